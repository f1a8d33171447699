// SPDX-License-Identifier: Apache-2.0
#pragma once

// A heavy fence that is as good for everybody who has asked for one before it began. A kernel makes one at a time, and
// each interrupts all processors: sixteen that ask at once wait for two of them and not for sixteen.
//
// Thread safety: any thread.
//
// Invariants
//  1. count_ is odd while a fence is under way, and goes up when that is over, or back if it was refused.
//  2. Only a read-modify-write changes it, so whoever leads sees all that has been done before any U1 that came first.
//
// It counts to four, for a model's sake: who misses a whole round may take a fence for one of before and pass another.

#include <cstdint>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/memory_order.hpp>
#include <skerry/detail/sync/heavy_fence.hpp>

namespace skerry::inline SKERRY_ABI::detail {

template <class M>
class shared_fence {
  public:
    // Passes a heavy fence that began after the call did, the caller's or another's. In flight: none could be had for
    // M::fence_spins looks, or `goes_on`, which is called between two, has said no.
    template <class GoesOn>
    [[nodiscard]] heavy_fence pass(GoesOn&& goes_on) noexcept {
        std::uint32_t seen = count_.fetch_add(0, memory_order::release); // U1 -> U2
        std::uint32_t early = under_way(seen) ? seen : none;             // it may have begun before the call
        for (int i = 0; i < M::fence_spins; ++i) {
            if (!under_way(seen) && count_.compare_exchange_strong(seen, seen + 1, memory_order::acquire, // U2 <- U1
                                                                   memory_order::relaxed)) {
                const heavy_fence made = M::heavy_fence();
                const bool passed = made == heavy_fence::passed;
                count_.exchange(passed ? (seen + 2) % round : seen, memory_order::release); // U3 -> U4
                if (made != heavy_fence::in_flight) {
                    return made;
                }
            }
            if (!goes_on()) {
                return heavy_fence::in_flight;
            }
            const std::uint32_t now = count_.load(memory_order::acquire); // U4 <- U3
            const std::uint32_t since = (now - seen) % round;
            if (under_way(seen) && seen != early && (since == 1 || since == 2)) {
                return heavy_fence::passed; // it is over; 3: it was refused
            }
            early = now == early ? early : none;
            seen = now;
        }
        return heavy_fence::in_flight;
    }

  private:
    static constexpr std::uint32_t round = 4;
    static constexpr std::uint32_t none = round;

    static bool under_way(std::uint32_t count) noexcept { return count % 2 != 0; }

    typename M::template atomic<std::uint32_t> count_{0};
};

} // namespace skerry::inline SKERRY_ABI::detail
