// SPDX-License-Identifier: Apache-2.0
#pragma once

// The part of std::atomic that the library uses, over the compiler's own atomics. <atomic> brings strings, error codes
// and a mutex for wait(), which take a compiler longer than all the rest of a fork (design note 0026).

#include <type_traits>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/memory_order.hpp>
#include <skerry/detail/base/port/exceeds_here.hpp>
#include <skerry/detail/base/port/known.hpp>
#include <skerry/detail/base/port/watched.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// As std::atomic, of types that the processor accesses at once, and each order said. Thread safety: every member
// function but the constructors may run at any time; own() and known_own() are for the only thread that writes.
template <class T>
class atomic {
    static_assert(std::is_trivially_copyable_v<T> && __atomic_always_lock_free(sizeof(T), nullptr));

  public:
    constexpr atomic() noexcept : value_{} {}
    // From a plain value wherever std::atomic is: the explorer's class and this one take the same source.
    // NOLINTNEXTLINE(google-explicit-constructor): implicit, as the standard has it
    constexpr atomic(T value) noexcept : value_{value} {}
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;

    T load(memory_order o) const noexcept {
        T value;
        __atomic_load(&value_, &value, static_cast<int>(o));
        return value;
    }
    void store(T value, memory_order o) noexcept { __atomic_store(&value_, &value, static_cast<int>(o)); }

    // load(relaxed), its address formed where it stands, as address_here(): of the operand of an atomic access GCC
    // forms it once for all turns of a loop. A volatile read: GCC and Clang read a word of this size at once.
    T load_here() const noexcept {
        if constexpr (accesses_are_watched) {
            return load(memory_order::relaxed);
        } else {
            return *const_cast<const volatile T*>(&value_);
        }
    }

    // load(relaxed) > than, of pointers, in one instruction where there is one. What is loaded is not kept.
    bool exceeds_here(T than) const noexcept {
        if constexpr (accesses_are_watched) {
            return load(memory_order::relaxed) > than;
        } else {
            return detail::exceeds_here(value_, than);
        }
    }

    // For the only thread that writes: what it has written, which the compiler may keep, and what that is known to be.
    T own() const noexcept { return value_; }
    void known_own(T value) const noexcept { known(value_, value); }

    T exchange(T value, memory_order o) noexcept {
        T old;
        __atomic_exchange(&value_, &value, &old, static_cast<int>(o));
        return old;
    }
    bool compare_exchange_strong(T& expected, T wanted, memory_order o, memory_order failure) noexcept {
        return __atomic_compare_exchange(&value_, &expected, &wanted, false, static_cast<int>(o),
                                         static_cast<int>(failure));
    }
    bool compare_exchange_weak(T& expected, T wanted, memory_order o, memory_order failure) noexcept {
        return __atomic_compare_exchange(&value_, &expected, &wanted, true, static_cast<int>(o),
                                         static_cast<int>(failure));
    }

    // Integers only.
    T fetch_add(T value, memory_order o) noexcept { return __atomic_fetch_add(&value_, value, static_cast<int>(o)); }
    T fetch_sub(T value, memory_order o) noexcept { return __atomic_fetch_sub(&value_, value, static_cast<int>(o)); }
    T fetch_and(T value, memory_order o) noexcept { return __atomic_fetch_and(&value_, value, static_cast<int>(o)); }
    T fetch_or(T value, memory_order o) noexcept { return __atomic_fetch_or(&value_, value, static_cast<int>(o)); }
    T fetch_xor(T value, memory_order o) noexcept { return __atomic_fetch_xor(&value_, value, static_cast<int>(o)); }

  private:
    alignas(sizeof(T)) T value_;
};

} // namespace skerry::inline SKERRY_ABI::detail
