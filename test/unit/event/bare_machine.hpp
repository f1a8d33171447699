// SPDX-License-Identifier: Apache-2.0
#pragma once

// An event machine whose cores begin when a test says so, what its handler of errors was told, and its options.

#include <cstdint>
#include <functional>

#include <gmock/gmock.h>

#include <skerry/event.h>

#include "cores.hpp"

namespace skerry::test {

inline constexpr auto sw = static_cast<em_event_type_t>(EM_EVENT_TYPE_SW);

// The options of machines while it lives; behind it they are the environment's again. It is made before the machine.
class with_options {
  public:
    explicit with_options(const std::function<void(skerry_em_options_t&)>& change) { configure(change); }
    with_options(const with_options&) = delete;
    with_options& operator=(const with_options&) = delete;
    ~with_options() {
        configure([](skerry_em_options_t&) {});
    }

  private:
    static void configure(const std::function<void(skerry_em_options_t&)>& change) {
        skerry_em_options_t options;
        skerry_em_options_init(&options);
        change(options);
        EXPECT_EQ(skerry_em_configure(&options), EM_OK);
    }
};

class bare_machine {
  public:
    // `change` sees the configuration before em_init().
    explicit bare_machine(int count = 1, std::uint32_t events = 1024,
                          const std::function<void(em_conf_t&)>& change = {}) {
        static_cast<void>(take_errors());
        EXPECT_EQ(em_register_error_handler(keep_error), EM_OK);
        em_conf_t conf = configuration(count, events);
        if (change) {
            change(conf);
        }
        EXPECT_EQ(em_init(&conf), EM_OK);
    }
    bare_machine(const bare_machine&) = delete;
    bare_machine& operator=(const bare_machine&) = delete;
    ~bare_machine() {
        EXPECT_EQ(em_term(nullptr), EM_OK);
        static_cast<void>(em_unregister_error_handler());
        EXPECT_TRUE(take_errors().empty()) << "an error that no test looked at";
    }
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

inline em_pool_t make_pool(const em_pool_cfg_t& config, const char* name = "p") {
    return em_pool_create(name, EM_POOL_UNDEF, &config);
}

} // namespace skerry::test
