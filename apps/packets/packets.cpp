// SPDX-License-Identifier: Apache-2.0
#include "packets/capture.hpp"
#include "packets/flows.hpp"
#include "packets/parse.hpp"
#include "support/elision.hpp"
#include "support/preset.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <numeric>

#if !SKERRY_APP_SERIAL
#include "packets/machine.hpp"
#endif

namespace apps::SKERRY_APP_VARIANT {

namespace {

using packets::captures;
using packets::counts;
using packets::fate;
using packets::frame;

// Passes over the captures.
constexpr presets passes{{{2, 1}, {20, 1}, {1000, 1}, {1000, 1}}};

// The same without events: what an event machine does with the packets, one after the other.
[[maybe_unused]] void count_serially(const captures& all, std::uint32_t passes_wanted, counts& result) {
    for (std::uint32_t pass = 0; pass < passes_wanted; ++pass) {
        for (const frame& f : all.frames) {
            packets::parsed p = packets::parse(all.of(f), f.on_wire, f.link);
            ++result.packets[static_cast<std::size_t>(p.fate)];
            if (p.fate == fate::counted) {
                packets::move_to_pass(p.key, pass);
                packets::count(result.flows[packets::share_of(p.key)], p.key, p.bytes);
            }
        }
    }
}

class flows_of_packets final : public instance {
  public:
    explicit flows_of_packets(const options& o)
        : passes_(static_cast<std::uint32_t>(chosen(passes, o).n)),
          cores_(o.cores) {
        std::vector<std::string> files = o.more_inputs;
        if (!o.input.empty()) files.insert(files.begin(), o.input);
        all_ = packets::read_captures(files);
        if (all_.frames.empty()) throw input_error(o.input + ": there is no packet");
    }

    std::string problem() const override {
        return std::to_string(all_.frames.size()) + " packets of " + std::to_string(all_.files) + " files, " +
               std::to_string(passes_) + " passes";
    }

    void reset() override { result_ = {}; }

    void run() override {
#if SKERRY_APP_SERIAL
        count_serially(all_, passes_, result_);
#else
        packets::count_by_events(all_, passes_, cores_, result_);
#endif
    }

    // Each packet has one fate, and each pass has the flows of the first, moved.
    verdict check() const override {
        const std::uint64_t in = all_.frames.size() * std::uint64_t{passes_};
        const std::uint64_t out = std::accumulate(result_.packets.begin(), result_.packets.end(), std::uint64_t{0});
        if (in != out) return {false, std::to_string(in) + " packets came, " + std::to_string(out) + " have a fate"};
        std::uint64_t in_flows = 0;
        std::uint64_t bytes = 0;
        std::size_t number = 0;
        for (const packets::flow_table& table : result_.flows) {
            for (const auto& [key, f] : table) {
                in_flows += f.packets;
                bytes += f.bytes;
                ++number;
            }
        }
        if (in_flows != of(fate::counted)) {
            return {false, std::to_string(of(fate::counted)) + " packets are counted, the flows have " +
                               std::to_string(in_flows)};
        }
        if (in_flows % passes_ != 0 || bytes % passes_ != 0) return {false, "the passes differ"};
        return {true, std::to_string(number) + " flows of " + std::to_string(in_flows) + " packets, " +
                          std::to_string(dropped()) + " dropped"};
    }

    void corrupt() override {
        for (packets::flow_table& table : result_.flows) {
            if (!table.empty()) {
                ++table.begin()->second.packets;
                return;
            }
        }
        ++result_.packets[0];
    }

    std::optional<std::uint64_t> digest() const override { return packets::digest_of(result_); }

    std::string print() const override {
        return "counted " + std::to_string(of(fate::counted)) + ", no packets of IP " +
               std::to_string(of(fate::other)) + ", cut " + std::to_string(of(fate::cut)) + ", of a wrong length " +
               std::to_string(of(fate::wrong_length)) + ", of a wrong checksum " +
               std::to_string(of(fate::wrong_checksum));
    }

  private:
    std::uint64_t of(fate f) const { return result_.packets[static_cast<std::size_t>(f)]; }
    std::uint64_t dropped() const { return of(fate::cut) + of(fate::wrong_length) + of(fate::wrong_checksum); }

    captures all_;
    std::uint32_t passes_;
    [[maybe_unused]] std::size_t cores_; // of the parallel form
    counts result_;
};

} // namespace

entry entry_packets() {
    return {{.name = "packets",
             .summary = "flows of captured packets, counted by an event machine",
             .example = "skerry run packets --size small",
             .takes_input = true,
             .takes_inputs = true,
             .takes_cores = true,
             .of = system::events},
            [](const options& o) -> std::unique_ptr<instance> { return std::make_unique<flows_of_packets>(o); }};
}

} // namespace apps::SKERRY_APP_VARIANT
