// SPDX-License-Identifier: Apache-2.0
#pragma once

// Two clocks: one that costs a few nanoseconds and counts ticks, one that counts nanoseconds.
//
// Both are monotonic for one thread. Two threads may see ticks() differ by the skew of their cores (zero where the
// counter is invariant, as far as the hardware says).
// Thread safety: any thread, use before main included; async-signal-safe but for the first ticks_per_second().
// Errors: none.

#include <cstdint>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::port {

// The processor's constant-rate counter (x86-64: the time stamp counter where it is invariant; arm64: the virtual
// counter); elsewhere the same as now_ns().
std::uint64_t ticks() noexcept;

// The rate of ticks(). The first call may spin for up to 200 us to measure it; later calls cost one load.
double ticks_per_second() noexcept;

// CLOCK_MONOTONIC in nanoseconds.
std::uint64_t now_ns() noexcept;

} // namespace skerry::inline SKERRY_ABI::port
