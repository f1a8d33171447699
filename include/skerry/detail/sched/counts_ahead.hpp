// SPDX-License-Identifier: Apache-2.0
#pragma once

// Counts of one latch that a worker holds ahead of need. A task that it begins takes one of them, and one that ends
// here leaves its own, so tasks that begin and end where they were made do not write the count that all workers share.
//
// Thread safety: the owner of the worker.
//
// Invariants
//  1. The latch counts what is held here besides its tasks and its waiter.
//  2. Counts are held only above what keeps the waiter from leaving: a task of the latch, a branch of one, or the
//     waiter's own frame. So the latch is there as long as any are, and nobody waits for them longer than for that.

#include <cstddef>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/sync/latch.hpp>
#include <skerry/detail/sync/machine.hpp>

namespace skerry::inline SKERRY_ABI::detail {

struct counts_ahead {
    static constexpr std::size_t batch = 64;

    latch<machine>* of = nullptr;
    std::size_t held = 0;

    // Counts a task that begins.
    void begin(latch<machine>& l) noexcept {
        if (of != &l) {
            l.add();
            return;
        }
        if (held == 0) {
            l.add(batch); // C1
            held = batch;
        }
        --held;
    }
    // Keeps the count of a task that has ended. False: the caller gives it back.
    [[nodiscard]] bool end(const latch<machine>& l) noexcept {
        if (of != &l) {
            return false;
        }
        ++held;
        return true;
    }
    // Of what the latch counts.
    [[nodiscard]] std::size_t held_of(const latch<machine>& l) const noexcept { return of == &l ? held : 0; }
};

} // namespace skerry::inline SKERRY_ABI::detail
