// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where one thread leaves things for another one, in order: it hands them over when it likes, many at once, so each
// costs little.
//
// Thread safety: put(), kept() and hand_over() by one thread, take() and has_any() by another. Who stops both may call
// all.
//
// Invariants
//  1. taken_ <= handed_ <= end_ <= taken_ + N, counted without end.
//  2. The sender writes only places from end_ on that were taken (R1); the receiver reads only those before handed_
//     (R3).
//
// src/sync/README.md has the steps one by one.

#include <array>
#include <cstdint>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/cache_line.hpp>
#include <skerry/detail/base/memory_order.hpp>

namespace skerry::inline SKERRY_ABI::detail {

template <class M, class T, std::uint32_t N>
class handover_ring {
    static_assert(N != 0 && (N & (N - 1)) == 0); // since counts go round

  public:
    // False: it is full.
    [[nodiscard]] bool put(const T& what) noexcept {
        if (end_ - taken_seen_ == N) {
            taken_seen_ = taken_.load(memory_order::acquire); // R1 <- R4
            if (end_ - taken_seen_ == N) {
                return false;
            }
        }
        slots_[end_++ % N] = what;
        return true;
    }
    // So many are not handed over yet.
    [[nodiscard]] std::uint32_t kept() const noexcept { return end_ - handed_own_; }
    void hand_over() noexcept {
        handed_own_ = end_;
        handed_.store(end_, memory_order::release); // R2 -> R3
    }

    // How far it is now, and whether all until then was taken.
    [[nodiscard]] std::uint32_t position() const noexcept { return end_; }
    [[nodiscard]] bool was_taken(std::uint32_t until) noexcept {
        taken_seen_ = taken_.load(memory_order::acquire); // R1 <- R4
        return static_cast<std::int32_t>(taken_seen_ - until) >= 0;
    }

    // relaxed: a hint. True for the receiver: take() finds something.
    [[nodiscard]] bool has_any() const noexcept {
        return handed_.load(memory_order::relaxed) != taken_.load(memory_order::relaxed);
    }
    // Calls first(what) for each, and then f(what) for each.
    template <class First, class F>
    void take(First&& first, F&& f) noexcept {
        const std::uint32_t begin = taken_.load(memory_order::relaxed); // its own
        const std::uint32_t end = handed_.load(memory_order::acquire);  // R3 <- R2
        if (begin == end) {
            return;
        }
        for (std::uint32_t i = begin; i != end; ++i) {
            first(slots_[i % N]);
        }
        for (std::uint32_t i = begin; i != end; ++i) {
            f(slots_[i % N]);
        }
        taken_.store(end, memory_order::release); // R4 -> R1
    }

  private:
    // The sender's.
    alignas(cache_line) std::uint32_t end_ = 0;
    std::uint32_t handed_own_ = 0;
    std::uint32_t taken_seen_ = 0;
    // Each in a line of its own: what the one writes at each step, the other one need not get when it looks.
    alignas(cache_line) typename M::template atomic<std::uint32_t> handed_{0};
    alignas(cache_line) typename M::template atomic<std::uint32_t> taken_{0};
    alignas(cache_line) std::array<T, N> slots_;
};

} // namespace skerry::inline SKERRY_ABI::detail
