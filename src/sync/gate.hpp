// SPDX-License-Identifier: Apache-2.0
#pragma once

// The lock of a deque's shared part. Thieves only try it; the owner, who cannot go elsewhere, waits.
//
// Thread safety: any thread. At most one thread (the owner) waits at a time.
//
// Invariants
//  1. word_ is `open`, `closed`, or `waited` (closed, and the owner sleeps or is about to).
//  2. Whoever opens a gate that was `waited` wakes the owner.

#include <cstdint>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/memory_order.hpp>

namespace skerry::inline SKERRY_ABI::detail {

template <class M>
class gate {
  public:
    [[nodiscard]] bool try_enter() noexcept {
        std::uint32_t seen = open;
        // acquire: where caches are kept by software a plain load could say `closed` for ever
        return word_.load(memory_order::acquire) == open &&
               word_.compare_exchange_strong(seen, closed, memory_order::acquire, // G1 <- G3
                                             memory_order::relaxed);
    }

    // Ends: a thief takes a bounded number of steps inside, of which the longest is a heavy fence, and never waits for
    // the owner.
    void enter() noexcept {
        for (int i = 0; i < M::gate_spins; ++i) {
            if (try_enter()) {
                return;
            }
            M::pause();
        }
        while (word_.exchange(waited, memory_order::acquire) != open) { // G2 <- G3
            M::futex_wait(word_, waited);
        }
    }

    // For the owner: nobody else waits, so there is nobody to wake.
    void leave_as_owner() noexcept { word_.store(open, memory_order::release); } // G4 -> G1

    void leave() noexcept {
        if (word_.exchange(open, memory_order::release) == waited) { // G3 -> G1, G2
            M::futex_wake(word_, 1);
        }
    }

  private:
    static constexpr std::uint32_t open = 0;
    static constexpr std::uint32_t closed = 1;
    static constexpr std::uint32_t waited = 2;

    typename M::template atomic<std::uint32_t> word_{open};
};

} // namespace skerry::inline SKERRY_ABI::detail
