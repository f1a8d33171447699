// SPDX-License-Identifier: Apache-2.0
#include "packets/work.hpp"
#include "support/elision.hpp"
#include "support/preset.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <unistd.h>

#if !SKERRY_APP_SERIAL
#include "packets/machine.hpp"
#endif

namespace apps::SKERRY_APP_VARIANT {

namespace {

using packets::fate;

// Passes over the captures.
constexpr presets passes{{{2, 1}, {20, 1}, {200, 1}, {200, 1}}};
constexpr std::size_t most_lines = 100; // of the table of flows

std::vector<std::string> inputs_of(const options& o) {
    std::vector<std::string> files = o.more_inputs;
    if (!o.input.empty()) files.insert(files.begin(), o.input);
    return files;
}

class packets_through_a_machine final : public instance {
  public:
    explicit packets_through_a_machine(const options& o)
        : passes_(static_cast<std::uint32_t>(o.passes != 0 ? o.passes : chosen(passes, o).n)),
          cores_(o.cores),
          output_(o.output),
          files_(packets::look_over(inputs_of(o))) {
        if (output_.empty()) return;
        if (!files_.of_another_link.empty()) {
            throw input_error(files_.of_another_link + ": its link is another than that of " + files_.names.front() +
                              ", and --output writes one file of one link");
        }
        for (const std::string& name : files_.names) {
            std::error_code none; // the output may not be there yet
            if (std::filesystem::equivalent(name, output_, none))
                throw usage_error("--output " + output_ + ": this is an input, too");
        }
    }

    std::string problem() const override {
        return std::to_string(files_.packets) + " packets of " + std::to_string(files_.names.size()) + " files, " +
               std::to_string(passes_) + (passes_ == 1 ? " pass" : " passes");
    }

    void reset() override { result_ = {}; }

    void run() override {
        packets::output to(output_, files_);
#if SKERRY_APP_SERIAL
        packets::pass_serially(files_, passes_, to, result_);
#else
        packets::machine_settings settings{.cores = cores_};
        if (isatty(STDERR_FILENO) == 1) {
            settings.report = [all = files_.packets * passes_](std::uint64_t gone) {
                std::fprintf(stderr, "\r\033[Kpackets: %llu of %llu have gone out or were dropped\n",
                             static_cast<unsigned long long>(gone), static_cast<unsigned long long>(all));
            };
        }
        packets::pass_by_events(files_, passes_, to, result_, settings);
#endif
        to.close();
        written_ = to.packets();
        output_digest_ = to.digest();
    }

    verdict check() const override {
        const std::uint64_t in = files_.packets * passes_;
        if (result_.read != in || in != written_ + dropped()) {
            return {false, std::to_string(in) + " packets are there, " + std::to_string(result_.read) + " were read, " +
                               std::to_string(written_) + " have gone out, " + std::to_string(dropped()) +
                               " were dropped"};
        }
        std::uint64_t flows = 0;
        std::uint64_t in_flows = 0;
        for (const packets::pass_result& pass : result_.passes) {
            flows += pass.flows;
            in_flows += pass.packets;
            if (pass.alike != result_.passes.front().alike) return {false, "the passes differ"};
        }
        if (in_flows != of(fate::counted)) {
            return {false, std::to_string(of(fate::counted)) + " packets are counted, the flows have " +
                               std::to_string(in_flows)};
        }
        if (std::string wrong = file_without_its_key(); !wrong.empty()) return {false, wrong};
        return {true, std::to_string(flows) + " flows of " + std::to_string(in_flows) + " packets, " +
                          std::to_string(dropped()) + " dropped"};
    }

    void corrupt() override { --written_; }

    std::optional<std::uint64_t> digest() const override {
        std::uint64_t sum = scatter(output_digest_ ^ scatter(written_));
        for (const std::uint64_t n : result_.packets) sum = scatter(sum ^ n);
        for (const packets::pass_result& pass : result_.passes) sum = scatter(sum ^ pass.digest);
        return sum;
    }

    std::string print() const override {
        std::string text = "in " + std::to_string(result_.read) + ", out " + std::to_string(written_) +
                           ", dropped: cut " + std::to_string(of(fate::cut)) + ", of a wrong length " +
                           std::to_string(of(fate::wrong_length)) + ", of a wrong checksum " +
                           std::to_string(of(fate::wrong_checksum)) + ", with TTL spent " +
                           std::to_string(of(fate::ttl_spent));
        if (passes_ != 1) text += "\nflows of the first pass; the others have the same, with sources of their own:";
        std::istringstream table(result_.first_table);
        std::size_t lines = 0;
        for (std::string line; std::getline(table, line); ++lines) {
            if (lines < most_lines) text += "\n" + line;
        }
        if (lines > most_lines) text += "\n(" + std::to_string(lines - most_lines) + " more lines)";
        return text;
    }

  private:
    std::uint64_t of(fate f) const { return result_.packets[static_cast<std::size_t>(f)]; }
    std::uint64_t dropped() const {
        return of(fate::cut) + of(fate::wrong_length) + of(fate::wrong_checksum) + of(fate::ttl_spent);
    }

    // Some files are named after the key that is pressed in them.
    std::string file_without_its_key() const {
        const std::vector<std::string> names = packets::names_of(files_.names);
        for (std::size_t i = 0; i < names.size(); ++i) {
            const std::string name = std::filesystem::path(files_.names[i]).filename().string();
            constexpr std::string_view begin = "dtmf_2833_";
            constexpr std::string_view end = ".pcap";
            if (!name.starts_with(begin) || !name.ends_with(end)) continue;
            std::string key = name.substr(begin.size(), name.size() - begin.size() - end.size());
            key = key == "star" ? "*" : key == "pound" ? "#" : key;
            std::istringstream table(result_.first_table);
            bool found = false;
            for (std::string line; std::getline(table, line);) {
                found = found || (line.starts_with("keys  " + names[i] + " ") && line.ends_with(" " + key));
            }
            if (!found) return std::string(name).append(" has no key ").append(key);
        }
        return {};
    }

    std::uint32_t passes_;
    [[maybe_unused]] std::size_t cores_; // of the parallel form
    std::string output_;
    packets::capture_files files_;
    packets::work_result result_;
    std::uint64_t written_ = 0;
    std::uint64_t output_digest_ = 0;
};

} // namespace

entry entry_packets() {
    return {
        {.name = "packets",
         .summary = "captured packets through an event machine: flows, calls, and out again in their order",
         .example = "skerry run packets --size small",
         .takes_input = true,
         .takes_inputs = true,
         .takes_output = true,
         .takes_passes = true,
         .takes_cores = true,
         .of = system::events},
        [](const options& o) -> std::unique_ptr<instance> { return std::make_unique<packets_through_a_machine>(o); }};
}

} // namespace apps::SKERRY_APP_VARIANT
