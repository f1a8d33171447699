// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where a thief and the joiner of a stolen task meet. A fork leaves the word unwritten: it comes to life when a thief
// takes the task, under the gate that the joiner passes before it reads the word.
//
//   begin(executor) by the thief   ->   executor's address
//   try_wait(sleeper) by the joiner ->  sleeper's address | 1
//   finish() by the thief          ->   done
//
// Thread safety: as in the drawing; executor() and done() by the joiner.

#include <cstddef>
#include <cstdint>
#include <new>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/memory_order.hpp>

namespace skerry::inline SKERRY_ABI::detail {

template <class M>
class join_word {
  public:
    // Leaves the word unwritten on purpose: a fork must not pay for a steal that does not happen. Trivial destruction,
    // too, is part of a fork's price: a cleanup for exceptions keeps compilers from splitting the function that forks.
    join_word() noexcept = default;
    join_word(const join_word&) = delete;
    join_word& operator=(const join_word&) = delete;

    // Precondition: inside the gate of the deque that the task is taken from.
    void begin(const void* executor) noexcept {
        ::new (static_cast<void*>(room_)) word(reinterpret_cast<std::uintptr_t>(executor));
    }

    // J1. What the task wrote has been published. Returns the sleeping joiner that the caller delivers to, or null. The
    // task may be gone when this returns.
    [[nodiscard]] void* finish() noexcept {
        const std::uintptr_t old = live().exchange(finished, memory_order::acq_rel); // J1 -> J2, J3; <- J3
        return (old & waiting) != 0 ? reinterpret_cast<void*>(old & ~waiting) : nullptr;
    }

    [[nodiscard]] bool done() const noexcept {
        return live().load(memory_order::acquire) == finished; // J2 <- J1
    }

    // Who runs the task; null: it is done. Precondition: the joiner has not called try_wait().
    [[nodiscard]] void* executor() const noexcept {
        const std::uintptr_t now = live().load(memory_order::acquire); // J2 <- J1
        return now == finished ? nullptr : reinterpret_cast<void*>(now);
    }

    // J3. False: the task is done. True: finish() will return `sleeper`, until stop_waiting().
    [[nodiscard]] bool try_wait(void* sleeper) noexcept {
        std::uintptr_t old = live().load(memory_order::acquire);
        return old != finished &&
               live().compare_exchange_strong(old, reinterpret_cast<std::uintptr_t>(sleeper) | waiting,
                                              memory_order::acq_rel, // J3 -> J1; <- J1
                                              memory_order::acquire);
    }

    // Takes try_wait() back. False: the task is done, and its finisher has the sleeper from finish(): it delivers to
    // it.
    [[nodiscard]] bool stop_waiting(void* executor) noexcept {
        std::uintptr_t old = live().load(memory_order::acquire);
        return old != finished && live().compare_exchange_strong(old, reinterpret_cast<std::uintptr_t>(executor),
                                                                 memory_order::acq_rel, memory_order::acquire);
    }

  private:
    using word = typename M::template atomic<std::uintptr_t>;
    static constexpr std::uintptr_t waiting = 1;
    static constexpr std::uintptr_t finished = 2;

    word& live() noexcept {
        void* const room = room_;
        return *std::launder(static_cast<word*>(room));
    }
    const word& live() const noexcept {
        const void* const room = room_;
        return *std::launder(static_cast<const word*>(room));
    }

    alignas(word) std::byte room_[sizeof(word)];
};

} // namespace skerry::inline SKERRY_ABI::detail
