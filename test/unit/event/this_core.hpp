// SPDX-License-Identifier: Apache-2.0
#pragma once

// An event machine whose one core is the thread of the test: what happens between two calls of dispatch() is known.

#include <cstdint>
#include <functional>
#include <stdexcept>

#include <gmock/gmock.h>

#include "cores.hpp"

namespace skerry::test {

class this_core {
  public:
    // `events` of 64 bytes in the default pool. `change`: what else the configuration has.
    explicit this_core(std::uint32_t events = 64, const std::function<void(em_conf_t&)>& change = nullptr) {
        static_cast<void>(take_errors());
        static_cast<void>(em_register_error_handler(keep_error));
        em_conf_t conf;
        em_conf_init(&conf);
        conf.thread_per_core = 1;
        conf.core_count = 1;
        em_core_mask_set_count(1, &conf.phys_mask);
        conf.default_pool_cfg.subpool[0].size = 64;
        conf.default_pool_cfg.subpool[0].num = events;
        if (change) {
            change(conf);
        }
        if (em_init(&conf) != EM_OK || em_init_core() != EM_OK) {
            throw std::runtime_error("an event machine on one core");
        }
    }
    this_core(const this_core&) = delete;
    this_core& operator=(const this_core&) = delete;
    ~this_core() {
        EXPECT_EQ(em_term_core(), EM_OK);
        EXPECT_EQ(em_term(nullptr), EM_OK);
        static_cast<void>(em_unregister_error_handler());
    }

    // Returns when that many events have been received. Precondition: they are there, or will come.
    static void dispatch(unsigned events) {
        for (std::uint64_t received = 0; received < events;) {
            received += em_dispatch(1);
        }
    }
};

inline em_event_t make_event() { return em_alloc(sizeof(std::uint64_t), EM_EVENT_TYPE_SW, EM_POOL_DEFAULT); }

inline em_status_t status_of(em_status_e e) { return static_cast<em_status_t>(e); }

} // namespace skerry::test
