// SPDX-License-Identifier: Apache-2.0
#pragma once

// Who needs what another thread has for some steps only: the gate of a deque, or the one heavy fence of a process.

#include <cstdint>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/sync/heavy_fence.hpp>
#include <skerry/detail/sync/machine.hpp>

#include "base/port/thread.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// How often something that another thread has for some steps is tried before it gets the processor for them; and how
// often that is before a sleep, which a thread of lower priority needs.
inline constexpr int tries_between_yields = 100;
inline constexpr int yields_before_sleep = 1000;
inline constexpr std::uint64_t short_sleep_ns = 50'000;

// Tries until the fence of this step has been passed, or the system refuses it. In flight: another thread is at the
// gate or makes a fence, which it will have left after some steps; it may have lost its processor there.
template <class Step>
void insist(Step&& step) noexcept {
    for (int turn = 1, yields = 0; step() == heavy_fence::in_flight; ++turn) {
        if (turn % tries_between_yields != 0) {
            machine::pause();
        } else if (++yields % yields_before_sleep != 0) {
            port::yield();
        } else {
            port::sleep_ns(short_sleep_ns);
        }
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
