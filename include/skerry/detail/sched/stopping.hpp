// SPDX-License-Identifier: Apache-2.0
#pragma once

// Groups that are asked to stop, and how those that run inside come to know. src/sched/README.md has the protocol.

#include <cstdint>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/export.hpp>
#include <skerry/detail/core/worker_page.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// Asks all that is begun under a group's context to stop. What has not begun is skipped from here on, on every worker.
// Any thread, while the group lives.
SKERRY_EXPORT void request_stop(const context& group) noexcept;

// How many requests are in force, counting what is left of a group apart: a look that is cheap while there are none.
extern SKERRY_EXPORT constinit machine::atomic<std::uint32_t> stops_in_force;

// Throws skerry::cancelled.
[[gnu::__noreturn__]] SKERRY_EXPORT void throw_cancelled();

// Whether the calling worker runs inside of a group that was asked to stop.
[[nodiscard]] SKERRY_EXPORT bool is_stopping() noexcept;

// Whether what is begun under this context is skipped.
[[gnu::__always_inline__]] inline bool stops(const context& c) noexcept {
    return __builtin_expect(stops_in_force.load(memory_order::acquire) != 0, 0) && c.stopping(); // T2 <- T1
}

// Before something begins that would be skipped.
[[gnu::__always_inline__]] inline void throw_if_stopping() {
    if (__builtin_expect(stops_in_force.load(memory_order::acquire) != 0, 0) && is_stopping()) { // T2 <- T1
        throw_cancelled();
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
