// SPDX-License-Identifier: Apache-2.0
#pragma once

// The owner's end of a deque: the words that a fork and a join touch. The rest of the protocol, and why it is right, is
// in src/sync/deque.hpp and src/sync/README.md.
//
// Thread safety: push() and pop() belong to the owner. ring() may be called by any thread.
//
// Invariants
//  1. Slots below `bottom` hold tasks; the newest is at bottom - 1.
//  2. Slots below `split` may be taken by thieves; the owner touches them only under the deque's gate. Slots at or
//     above `split` are the owner's, without any fence.
//  3. `limit` is the end of the slots, or null: "rung", somebody wants the owner's attention.
//  4. Slots never move: a fork that has pushed knows where its task is.

#include <cstddef>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/memory_order.hpp>
#include <skerry/detail/base/port/address_here.hpp>

namespace skerry::inline SKERRY_ABI::detail {

template <class M, class Task>
struct deque_page {
    using slot = typename M::template atomic<Task*>;

    // Where the next push goes: what pop_at() and pop_to() want to know.
    [[nodiscard]] slot* next() const noexcept { return bottom.own(); }

    // Stores the task and says whether the owner is wanted: the deque is full, or was rung. Whoever gets true calls
    // deque::attend(). A few plain stores and loads: no fence, no locked operation, no call.
    [[nodiscard]] bool push(Task* task) noexcept { return push_at(next(), task); }

    // The same for an owner that wants to know where. Precondition: b is next().
    //
    // LookFirst: the task most likely lay at this address when the deque was last as deep, so the slot holds it
    // already. What a fork waits for is its stores, not its instructions: then a look is cheaper. If it is wrong, it is
    // dearer.
    template <bool LookFirst = false>
    [[nodiscard]] bool push_at(slot* b, Task* task) noexcept {
        // relaxed: nobody else writes a slot at or above bottom
        if (!LookFirst || __builtin_expect(b->load(memory_order::relaxed) != task, 0)) {
            b->store(task, memory_order::relaxed); // P1, published by P2
        }
        slot* const end = address_here(b[1]); // not kept in a register from turn to turn
        bottom.store(end, M::owner_release);  // P2 -> S3, Z3: publishes the slot and the task
        M::light_fence();                     // P2 before P3: pairs with the heavy fence Z2
        return end >= limit.load_here();      // P3 <- Z1
    }

    // Whether n tasks can be pushed from b on with nobody wanting attention. Precondition: b is next(). Never true in
    // the locked protocol. A look only: push_all() looks again.
    [[nodiscard]] bool has_room(const slot* b, std::size_t n) const noexcept {
        return b + n < limit.load(memory_order::relaxed); // P0 <- Z1
    }

    // Pushes N tasks at once, of which task(0) becomes the newest: what N push_at() in a row do, with one store to
    // `bottom`. True: somebody rang meanwhile. Precondition: has_room(b, N) was true after the owner's last push.
    template <std::size_t N, class NthTask>
    [[nodiscard]] bool push_all(slot* b, NthTask&& task) noexcept {
#pragma GCC unroll 8
        for (std::size_t i = 0; i != N; ++i) {
            (b + (N - 1 - i))->store(task(i), memory_order::relaxed); // P1, all of them published by P2
        }
        bottom.store(b + N, M::owner_release); // P2 -> S3, Z3
        M::light_fence();                      // P2 before P3
        return rung_at(b + N);                 // room there was at P0
    }

    // Whether somebody has rung since the owner last attended; always in the locked protocol.
    [[nodiscard]] bool rung() const noexcept { return limit.load(memory_order::relaxed) == nullptr; } // P3 <- Z1

    // The same for an owner that knows that there is room for b: one comparison.
    [[nodiscard]] bool rung_at(slot* b) const noexcept { return !limit.exceeds_here(b); } // P3 <- Z1

    // Takes the newest slot off and says whether its task certainly is the owner's. If not, deque::settle() finds out.
    [[nodiscard]] bool pop() noexcept { return pop_to(bottom.load(memory_order::relaxed) - 1); }

    // The same for an owner that remembers where it pushed, and takes off with its task all that lies above: loose
    // tasks, if anything, all of which are shared, so that the answer is false and deque::settle() puts them back.
    [[nodiscard]] bool pop_to(slot* b) noexcept {
        bottom.store(b, M::owner_release); // O1 -> S3
        M::light_fence();                  // O1 before O2: pairs with the heavy fence S2
        return !split.exceeds_here(b);     // O2 <- S1
    }

    // The same for a fork: the next push begins there, and need load nothing. It gains nothing by the comparison of
    // pop_to() (design note 0028).
    [[nodiscard]] bool pop_at(slot* b) noexcept {
        bottom.store(b, M::owner_release);           // O1 -> S3
        M::light_fence();                            // O1 before O2
        const bool certain = b >= split.load_here(); // O2 <- S1
        if (certain) {
            bottom.known_own(b); // the next push begins here
        }
        return certain;
    }

    // Asks for the owner's attention at its next push.
    void ring() noexcept {
        if (limit.load(memory_order::relaxed) != nullptr) {
            limit.store(nullptr, memory_order::relaxed); // Z1 -> P3; a lost ring is repeated, see README
        }
    }

    typename M::template atomic<slot*> bottom{nullptr}; // owner writes, thieves read
    typename M::template atomic<slot*> limit{nullptr};  // owner writes, any thread writes null
    typename M::template atomic<slot*> split{nullptr};  // written under the gate, the owner reads
};

} // namespace skerry::inline SKERRY_ABI::detail
