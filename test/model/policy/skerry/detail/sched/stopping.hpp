// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stands before include/ on the include path of the scheduler's model: nobody asks for anything to stop in its worlds.
// The count of requests is one for the process, which no world could make. How an owner comes to know of a request is
// a matter of its deque, and has a world of its own (cancel_test.cpp).

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/worker_page.hpp>

namespace skerry::inline SKERRY_ABI::detail {

inline void request_stop(const context&) noexcept {}
inline constexpr bool stops(const context&) noexcept { return false; }
inline constexpr bool is_stopping() noexcept { return false; }
inline void throw_if_stopping() {}
[[noreturn]] inline void throw_cancelled() { __builtin_trap(); }

} // namespace skerry::inline SKERRY_ABI::detail
