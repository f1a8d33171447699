// SPDX-License-Identifier: Apache-2.0
#pragma once

// A lock that one thread, its owner, takes all the time, by plain loads and stores, and others rarely: they ask for it,
// pass a heavy fence and wait until the owner is outside. A biased lock (Kawachiya, Koseki and Onodera, "Lock
// Reservation", OOPSLA 2002) whose owner never changes.
//
// Thread safety: enter() and leave(): the owner; it may be another thread when nobody else comes. The rest: who holds a
// lock that all of these others take first.
//
// Invariants
//  1. The owner is inside only if it has seen that nobody asks, behind its note that it is inside (E1, E2).
//  2. Who has asked (A1) passes a heavy fence (A2) and then waits for that note to be gone (A3). Either the owner's
//     note comes before the fence, so A3 sees it; or E2 comes behind the fence, and sees the question.
//  3. The owner wakes who waits for its note (E3), by the same rule: either A3 sees that it is gone, or the owner sees
//     the question. It is woken by open() (A4), if it has said that it sleeps for that (E4).
//
// src/sync/README.md has the steps one by one. Memory is coherent: caches that software keeps need more.

#include <cstdint>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/memory_order.hpp>

namespace skerry::inline SKERRY_ABI::detail {

template <class M>
class owner_gate {
  public:
    // `fenced`: there are no heavy fences, and both sides make full ones.
    explicit owner_gate(bool fenced) noexcept : fenced_(fenced) {}
    owner_gate(const owner_gate&) = delete;
    owner_gate& operator=(const owner_gate&) = delete;

    // Ends when those who have asked have gone: they take a bounded number of steps.
    void enter() noexcept {
        while (!try_enter()) [[unlikely]] {
            await_open();
        }
    }
    void leave() noexcept {
        inside_.store(0, memory_order::release);                           // E3 -> A3
        fenced_ ? fence_outside() : M::light_fence();                      // E3, before the look: pairs with A2
        if (asked_.load(memory_order::relaxed) != open_now) [[unlikely]] { // relaxed: only whether to wake
            wake();
        }
    }

    // Closes it for the owner, once a heavy fence (`fenced`: a full one) has been passed behind this (A2), and await()
    // has returned.
    void ask() noexcept { asked_.store(asked, memory_order::release); } // A1 -> E2
    // Ends when the owner has left, which takes a bounded number of steps inside. It may still be about to wake the
    // caller then: the gate must not go before the owner has returned from leave().
    void await() noexcept {
        for (int i = 0; i < M::gate_spins && inside_.load(memory_order::acquire) != 0; ++i) { // A3 <- E3
            M::pause();
        }
        while (inside_.load(memory_order::acquire) != 0) { // A3 <- E3
            M::futex_wait(inside_, 1);
        }
    }
    void open() noexcept {
        if (asked_.exchange(open_now, memory_order::release) == awaited) { // A4 -> E2, E4
            M::futex_wake(asked_, 1);
        }
    }

  private:
    [[nodiscard]] bool try_enter() noexcept {
        inside_.store(1, memory_order::relaxed);     // E1 -> A3; relaxed: A3 reads nothing behind it
        fenced_ ? fence_inside() : M::light_fence(); // E1, before the look: pairs with A2
        if (asked_.load(memory_order::acquire) == open_now) [[likely]] { // E2 <- A1, A4
            return true;
        }
        leave();
        return false;
    }
    // Apart, so that the rest has no fence.
    [[gnu::noinline, gnu::cold]] static void fence_inside() noexcept { M::full_fence(); }
    [[gnu::noinline, gnu::cold]] static void fence_outside() noexcept { M::full_fence(); }
    [[gnu::noinline, gnu::cold]] void wake() noexcept { M::futex_wake(inside_, 1); }
    [[gnu::noinline, gnu::cold]] void await_open() noexcept {
        for (int i = 0; i < M::gate_spins; ++i) {
            if (asked_.load(memory_order::acquire) == open_now) {
                return;
            }
            M::pause();
        }
        std::uint32_t seen = asked;
        if (asked_.compare_exchange_strong(seen, awaited, memory_order::acquire, memory_order::acquire) || // E4 -> A4
            seen == awaited) {
            M::futex_wait(asked_, awaited);
        }
    }

    static constexpr std::uint32_t open_now = 0;
    static constexpr std::uint32_t asked = 1;
    static constexpr std::uint32_t awaited = 2; // and the owner may sleep until it is open

    const bool fenced_;
    typename M::template atomic<std::uint32_t> inside_{0};
    typename M::template atomic<std::uint32_t> asked_{open_now};
};

} // namespace skerry::inline SKERRY_ABI::detail
