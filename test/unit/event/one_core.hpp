// SPDX-License-Identifier: Apache-2.0
#pragma once

// An event machine whose cores begin when a test says so, and what its handler of errors was told.

#include <cstdint>
#include <functional>
#include <string>

#include <gmock/gmock.h>

#include "cores.hpp"

namespace skerry::test {

class bare_machine {
  public:
    // `change` sees the configuration before em_init().
    explicit bare_machine(int core_count = 1, const std::function<void(em_conf_t&)>& change = {}) {
        static_cast<void>(take_errors());
        EXPECT_EQ(em_register_error_handler(keep_error), EM_OK);
        em_conf_init(&conf_);
        conf_.thread_per_core = 1;
        conf_.core_count = core_count;
        em_core_mask_set_count(core_count, &conf_.phys_mask);
        if (change) {
            change(conf_);
        }
        EXPECT_EQ(em_init(&conf_), EM_OK);
    }
    bare_machine(const bare_machine&) = delete;
    bare_machine& operator=(const bare_machine&) = delete;
    ~bare_machine() {
        EXPECT_EQ(em_term(&conf_), EM_OK);
        static_cast<void>(em_unregister_error_handler());
        EXPECT_TRUE(take_errors().empty()) << "an error that no test looked at";
    }

  private:
    em_conf_t conf_;
};

// The calling thread is a core.
struct core_scope {
    core_scope() { EXPECT_EQ(em_init_core(), EM_OK); }
    core_scope(const core_scope&) = delete;
    core_scope& operator=(const core_scope&) = delete;
    ~core_scope() { EXPECT_EQ(em_term_core(), EM_OK); }
};

inline em_pool_cfg_t pool_config(std::uint32_t size, std::uint32_t num, em_event_type_t type = EM_EVENT_TYPE_SW) {
    em_pool_cfg_t c;
    em_pool_cfg_init(&c);
    c.event_type = type;
    c.subpool[0].size = size;
    c.subpool[0].num = num;
    c.stats_opt.in_use = true;
    c.stats_opt.opt.all = 0xff;
    return c;
}

} // namespace skerry::test
