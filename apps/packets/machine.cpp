// SPDX-License-Identifier: Apache-2.0
#include "packets/machine.hpp"

#include "packets/parse.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <semaphore>
#include <stdexcept>
#include <string>
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

void need(em_status_t status, const char* what) {
    if (status != EM_OK)
        throw std::runtime_error(std::string("packets: ") + what + " fails with " + std::to_string(status));
}

class machine {
  public:
    machine(const captures& all, std::size_t cores, counts& result) : result_(result) {
        std::uint32_t largest = 0;
        for (const frame& f : all.frames) largest = std::max(largest, f.captured);
        em_conf_t conf;
        em_conf_init(&conf);
        conf.thread_per_core = 1;
        conf.core_count = static_cast<int>(cores);
        em_core_mask_set_count(conf.core_count, &conf.phys_mask);
        conf.default_pool_cfg.subpool[0].size = static_cast<std::uint32_t>(sizeof(head)) + largest;
        conf.default_pool_cfg.subpool[0].num = static_cast<std::uint32_t>(most_under_way);
        need(em_init(&conf), "em_init()");
        by_fate_.resize(cores);
        for (std::size_t i = 0; i < cores; ++i) threads_.emplace_back([this] { dispatch(); });
        parse_ = object("parse", parse_one);
        in_ = queue(parse_, EM_QUEUE_TYPE_PARALLEL, nullptr);
        count_ = object("count", count_one);
        for (std::size_t i = 0; i < shares; ++i) flows_[i] = queue(count_, EM_QUEUE_TYPE_ATOMIC, &result.flows[i]);
        need(em_eo_start_sync(count_, nullptr, nullptr), "em_eo_start_sync()");
        need(em_eo_start_sync(parse_, nullptr, nullptr), "em_eo_start_sync()");
    }
    machine(const machine&) = delete;
    machine& operator=(const machine&) = delete;

    ~machine() {
        if (!stopped_) { // something has thrown before
            static_cast<void>(em_eo_stop_sync(parse_));
            static_cast<void>(em_eo_stop_sync(count_));
        }
        over_ = true;
        for (std::thread& t : threads_) t.join();
        static_cast<void>(em_term(nullptr));
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
        need(em_send(e, in_), "em_send()");
    }

    // Behind the last packet.
    void await_all() {
        for (std::ptrdiff_t i = 0; i < most_under_way; ++i) free_.acquire();
        need(em_eo_stop_sync(parse_), "em_eo_stop_sync()");
        need(em_eo_stop_sync(count_), "em_eo_stop_sync()");
        stopped_ = true;
    }

  private:
    static em_status_t start(void*, em_eo_t, const em_eo_conf_t*) { return EM_OK; }
    static em_status_t stop(void*, em_eo_t) { return EM_OK; }

    em_eo_t object(const char* name, em_receive_func_t receive) {
        return em_eo_create(name, start, nullptr, stop, nullptr, receive, this);
    }
    static em_queue_t queue(em_eo_t of, em_queue_type_t type, const void* context) {
        const em_queue_t q = em_queue_create(nullptr, type, EM_QUEUE_PRIO_NORMAL, EM_QUEUE_GROUP_DEFAULT, nullptr);
        need(em_queue_set_context(q, context), "em_queue_set_context()");
        need(em_eo_add_queue_sync(of, q), "em_eo_add_queue_sync()");
        return q;
    }

    void dispatch() {
        need(em_init_core(), "em_init_core()");
        while (!over_) need(em_dispatch(1U << 20), "em_dispatch()");
        need(em_term_core(), "em_term_core()");
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
    std::atomic<bool> over_{false};
    bool stopped_ = false;
    std::vector<std::array<std::uint64_t, fates>> by_fate_; // of each core
    std::array<em_queue_t, shares> flows_{};
    em_queue_t in_ = EM_QUEUE_UNDEF;
    em_eo_t parse_ = EM_EO_UNDEF;
    em_eo_t count_ = EM_EO_UNDEF;
    std::vector<std::thread> threads_;
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
