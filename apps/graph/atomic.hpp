// SPDX-License-Identifier: Apache-2.0
#pragma once

// Updates that several tasks may make to one location at once. In the serial elision they are plain loads and stores:
// the reference for speed must not pay for a lock prefix that serial code would not have.
//
// Memory order: relaxed is enough throughout. Within one edge map only the updated word itself is communicated; all
// else that a task reads was written before the loop was forked, or is read after its join.

#include "support/elision.hpp"

#include <atomic>
#include <type_traits>

namespace apps::SKERRY_APP_VARIANT {

inline constexpr bool concurrent = SKERRY_APP_SERIAL == 0;

/// A store that others may meanwhile load with `par::may_be_stale`.
template <class T>
void store(T& x, T value) {
    if constexpr (concurrent)
        std::atomic_ref(x).store(value, std::memory_order_relaxed);
    else
        x = value;
}

/// True for exactly one of those who replace `expected`.
template <class T>
bool replace_once(T& x, T expected, T value) {
    if (par::may_be_stale(x) != expected) return false;
    if constexpr (concurrent)
        return std::atomic_ref(x).compare_exchange_strong(expected, value, std::memory_order_relaxed);
    x = value;
    return true;
}

/// Lowers x to value, unless it is there already. If it did, `old` is what it replaced: among all who lower x at the
/// same time, each replaced value is seen by one.
template <class T>
bool write_min(T& x, T value, T& old) {
    old = par::may_be_stale(x);
    while (value < old) {
        if constexpr (concurrent) {
            if (std::atomic_ref(x).compare_exchange_weak(old, value, std::memory_order_relaxed)) return true;
        } else {
            x = value;
            return true;
        }
    }
    return false;
}

/// Returns the value before.
template <class T>
T add(T& x, T value) {
    if constexpr (concurrent && std::is_integral_v<T>) {
        return std::atomic_ref(x).fetch_add(value, std::memory_order_relaxed);
    } else if constexpr (concurrent) { // what processors have no instruction for; the first guess may be old
        T old = par::may_be_stale(x);
        while (!std::atomic_ref(x).compare_exchange_weak(old, old + value, std::memory_order_relaxed)) {
        }
        return old;
    }
    const T old = x;
    x = old + value;
    return old;
}

/// Returns the value before.
template <class T>
T set_bits(T& x, T bits) {
    if constexpr (concurrent) return std::atomic_ref(x).fetch_or(bits, std::memory_order_relaxed);
    const T old = x;
    x = old | bits;
    return old;
}

} // namespace apps::SKERRY_APP_VARIANT
