// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <event_machine.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace apps {

struct event_size {
    std::size_t bytes;
    std::size_t events; ///< of that size
};

/// The event machine of a program, with threads as its cores, from construction to end().
/// Errors of all that call need(): std::runtime_error.
class event_cores {
  public:
    /// `pool`: the default pool, of at most EM_MAX_SUBPOOLS sizes.
    event_cores(const char* program, std::size_t cores, const std::vector<event_size>& pool) : program_(program) {
        em_conf_t conf;
        em_conf_init(&conf);
        conf.thread_per_core = 1;
        conf.core_count = static_cast<int>(cores);
        em_core_mask_set_count(conf.core_count, &conf.phys_mask);
        conf.event_timer = 1;
        conf.default_pool_cfg.num_subpools = static_cast<int>(pool.size());
        for (std::size_t i = 0; i < pool.size(); ++i) {
            conf.default_pool_cfg.subpool[i].size = static_cast<std::uint32_t>(pool[i].bytes);
            conf.default_pool_cfg.subpool[i].num = static_cast<std::uint32_t>(pool[i].events);
        }
        need(em_init(&conf), "em_init()");
        for (std::size_t i = 0; i < cores; ++i) threads_.emplace_back([this] { dispatch(); });
    }
    event_cores(const event_cores&) = delete;
    event_cores& operator=(const event_cores&) = delete;
    ~event_cores() { end(); }

    /// Waits for the cores, and frees the events that are left. Precondition: no receive function is to be called any
    /// more. Nothing the second time.
    void end() noexcept {
        if (over_.exchange(true)) return;
        for (std::thread& t : threads_) t.join();
        static_cast<void>(em_term(nullptr));
    }

    void need(em_status_t status, const char* what) const {
        if (status != EM_OK)
            throw std::runtime_error(std::string(program_) + ": " + what + " fails with " + std::to_string(status));
    }

    /// An execution object without functions of its own but the one that receives.
    static em_eo_t object(const char* name, em_receive_func_t receive, void* context) {
        constexpr auto start = [](void*, em_eo_t, const em_eo_conf_t*) -> em_status_t { return EM_OK; };
        constexpr auto stop = [](void*, em_eo_t) -> em_status_t { return EM_OK; };
        return em_eo_create(name, start, nullptr, stop, nullptr, receive, context);
    }
    /// The same for several events at once, of one queue.
    static em_eo_t object(const char* name, em_receive_multi_func_t receive, void* context) {
        em_eo_multircv_param_t p;
        em_eo_multircv_param_init(&p);
        p.start = [](void*, em_eo_t, const em_eo_conf_t*) -> em_status_t { return EM_OK; };
        p.stop = [](void*, em_eo_t) -> em_status_t { return EM_OK; };
        p.receive_multi = receive;
        p.eo_ctx = context;
        return em_eo_create_multircv(name, &p);
    }
    em_queue_t queue(em_eo_t of, em_queue_type_t type, const void* context = nullptr) const {
        const em_queue_t q = em_queue_create(nullptr, type, EM_QUEUE_PRIO_NORMAL, EM_QUEUE_GROUP_DEFAULT, nullptr);
        need(em_queue_set_context(q, context), "em_queue_set_context()");
        need(em_eo_add_queue_sync(of, q), "em_eo_add_queue_sync()");
        return q;
    }

  private:
    void dispatch() const {
        need(em_init_core(), "em_init_core()");
        while (!over_) static_cast<void>(em_dispatch(1U << 20));
        need(em_term_core(), "em_term_core()");
    }

    const char* program_;
    std::atomic<bool> over_{false};
    std::vector<std::thread> threads_;
};

} // namespace apps
