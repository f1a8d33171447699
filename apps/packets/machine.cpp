// SPDX-License-Identifier: Apache-2.0
#include "packets/machine.hpp"

#include "packets/parse.hpp"
#include "support/event_cores.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <semaphore>
#include <thread>
#include <vector>

#include <event_machine.h>

namespace apps::packets {

namespace {

constexpr std::ptrdiff_t most_under_way = 1024;

/// In front of the bytes of a packet in its event.
struct head {
    frame of;
    std::uint32_t pass = 0;
    parsed what;
};

class machine {
  public:
    machine(const captures& all, std::size_t cores, counts& result)
        : result_(result),
          by_fate_(cores),
          cores_("packets", cores, sizeof(head) + largest_of(all), most_under_way) {
        parse_ = event_cores::object("parse", parse_one, this);
        in_ = cores_.queue(parse_, EM_QUEUE_TYPE_PARALLEL, nullptr);
        count_ = event_cores::object("count", count_one, this);
        for (std::size_t i = 0; i < shares; ++i) {
            flows_[i] = cores_.queue(count_, EM_QUEUE_TYPE_ATOMIC, &result.flows[i]);
        }
        cores_.need(em_eo_start_sync(count_, nullptr, nullptr), "em_eo_start_sync()");
        cores_.need(em_eo_start_sync(parse_, nullptr, nullptr), "em_eo_start_sync()");
    }
    machine(const machine&) = delete;
    machine& operator=(const machine&) = delete;

    ~machine() {
        if (!stopped_) { // something has thrown before
            static_cast<void>(em_eo_stop_sync(parse_));
            static_cast<void>(em_eo_stop_sync(count_));
        }
        cores_.end();
        for (const auto& of_core : by_fate_) {
            for (std::size_t i = 0; i < fates; ++i) result_.packets[i] += of_core[i];
        }
    }

    void send(const captures& all, const frame& f, std::uint32_t pass) {
        free_.acquire(); // so that the pool always has one
        const em_event_t e =
            em_alloc(static_cast<std::uint32_t>(sizeof(head)) + f.captured, EM_EVENT_TYPE_SW, EM_POOL_DEFAULT);
        auto* const at = static_cast<std::byte*>(em_event_pointer(e));
        new (at) head{f, pass, {}};
        const auto bytes = all.of(f);
        std::copy(bytes.begin(), bytes.end(), at + sizeof(head));
        cores_.need(em_send(e, in_), "em_send()");
    }

    // Behind the last packet.
    void await_all() {
        for (std::ptrdiff_t i = 0; i < most_under_way; ++i) free_.acquire();
        cores_.need(em_eo_stop_sync(parse_), "em_eo_stop_sync()");
        cores_.need(em_eo_stop_sync(count_), "em_eo_stop_sync()");
        stopped_ = true;
    }

  private:
    static std::uint32_t largest_of(const captures& all) {
        std::uint32_t largest = 0;
        for (const frame& f : all.frames) largest = std::max(largest, f.captured);
        return largest;
    }

    static head& head_of(em_event_t e) { return *static_cast<head*>(em_event_pointer(e)); }

    void done(em_event_t e) {
        em_free(e);
        free_.release();
    }

    static void parse_one(void* context, em_event_t e, em_event_type_t /*type*/, em_queue_t /*queue*/, void* /*q*/) {
        machine& all = *static_cast<machine*>(context);
        head& h = head_of(e);
        const std::span bytes(static_cast<const std::byte*>(em_event_pointer(e)) + sizeof(head), h.of.captured);
        h.what = parse(bytes, h.of.on_wire, h.of.link);
        ++all.by_fate_[static_cast<std::size_t>(em_core_id())][static_cast<std::size_t>(h.what.fate)];
        if (h.what.fate != fate::counted) {
            all.done(e);
            return;
        }
        move_to_pass(h.what.key, h.pass);
        if (em_send(e, all.flows_[share_of(h.what.key)]) != EM_OK) all.done(e);
    }

    static void count_one(void* context, em_event_t e, em_event_type_t /*type*/, em_queue_t /*queue*/, void* table) {
        const head& h = head_of(e);
        count(*static_cast<flow_table*>(table), h.what.key, h.what.bytes);
        static_cast<machine*>(context)->done(e);
    }

    counts& result_;
    std::counting_semaphore<> free_{most_under_way};
    bool stopped_ = false;
    std::vector<std::array<std::uint64_t, fates>> by_fate_; // of each core
    std::array<em_queue_t, shares> flows_{};
    em_queue_t in_ = EM_QUEUE_UNDEF;
    em_eo_t parse_ = EM_EO_UNDEF;
    em_eo_t count_ = EM_EO_UNDEF;
    event_cores cores_; // last: they dispatch from here on
};

} // namespace

void count_by_events(const captures& all, std::uint32_t passes, std::size_t cores, counts& result) {
    machine m(all, cores != 0 ? cores : std::clamp(std::thread::hardware_concurrency(), 1U, 4U), result);
    for (std::uint32_t pass = 0; pass < passes; ++pass) {
        for (const frame& f : all.frames) m.send(all, f, pass);
    }
    m.await_all();
}

} // namespace apps::packets
