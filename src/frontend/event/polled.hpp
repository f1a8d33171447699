// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a core calls in em_dispatch() for the program: where its input comes from, and what drains its output.
//
// Thread safety: a core's own.

#include <cstdint>

#include <event_machine/platform/event_machine_hw_specific.h>
#include <event_machine/platform/event_machine_init.h>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

class polled_functions {
  public:
    // How long a core that has something to poll sleeps at most.
    static constexpr std::uint64_t nap_ns = 100'000;

    polled_functions(const em_conf_t& conf, int core) noexcept
        : input_(is_for(conf.input.input_poll_mask, core) ? conf.input.input_poll_fn : nullptr),
          output_(is_for(conf.output.output_drain_mask, core) ? conf.output.output_drain_fn : nullptr) {}

    [[nodiscard]] bool any() const noexcept { return input_ != nullptr || output_ != nullptr; }

    // The core is about to look for an event.
    void before() noexcept {
        if (!any()) [[likely]] {
            return;
        }
        if (output_ != nullptr && ++looks_ % looks_per_drain == 0) {
            output_();
        }
        if (input_ != nullptr) {
            input_();
        }
    }
    // It has found none.
    void idle() const noexcept {
        if (output_ != nullptr) {
            output_();
        }
    }

  private:
    static constexpr unsigned looks_per_drain = 32;

    static bool is_for(const em_core_mask_t& mask, int core) noexcept { // none given: all
        return em_core_mask_iszero(&mask) != 0 || em_core_mask_isset(core, &mask) != 0;
    }

    const em_input_poll_func_t input_;
    const em_output_drain_func_t output_;
    unsigned looks_ = 0;
};

} // namespace skerry::inline SKERRY_ABI::detail
