// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stands before src/ on the include path of the scheduler's model. A counter that counted would make every round of a
// search a new state; nothing in the scheduler reads one.

#include <cstdint>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

struct counter {
    void add(std::uint64_t = 1) noexcept {}
    void raise_to(std::uint64_t) noexcept {}
};

struct counters {
    counter tasks, asked, granted, refused, asymmetric, sleeps, wakes, deepest;
};

} // namespace skerry::inline SKERRY_ABI::detail
