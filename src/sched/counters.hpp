// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a worker has done, counted only where it has left the fast path anyway. Thread safety: the owner adds, anyone
// reads; each counter is exact, a set of them is not a snapshot. Release and acquire, so that a reader on caches kept
// by software sees the counts.

#include <cstddef>
#include <cstdint>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/sync/machine.hpp>

namespace skerry::inline SKERRY_ABI::detail {

class counter {
  public:
    // Owner only: a plain add.
    void add(std::uint64_t n = 1) noexcept {
        value_.store(value_.load(memory_order::relaxed) + n, memory_order::release);
    }
    void raise_to(std::uint64_t n) noexcept {
        if (n > value_.load(memory_order::relaxed)) {
            value_.store(n, memory_order::release);
        }
    }
    [[nodiscard]] std::uint64_t read() const noexcept { return value_.load(memory_order::acquire); }

  private:
    machine::atomic<std::uint64_t> value_{0};
};

struct counters {
    counter tasks;      // run from a deque or the queue, not in place by the one who forked
    counter asked;      // polite requests
    counter granted;    // steals
    counter refused;    // requests that came to nothing
    counter asymmetric; // steals that forced the split
    counter sleeps;
    counter wakes;
    counter deepest; // slots of the deque in use, high-water mark, sampled when the owner answers a request
};

} // namespace skerry::inline SKERRY_ABI::detail
