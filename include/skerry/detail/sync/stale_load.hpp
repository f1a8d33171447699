// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <type_traits>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/sync/machine.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// Whether one load instruction reads the whole object wherever it may lie.
template <class T>
constexpr bool loads_at_once() noexcept {
    if constexpr (std::is_trivially_copyable_v<T> && !std::is_volatile_v<T>) {
        return std::atomic_ref<T>::is_always_lock_free && alignof(T) >= std::atomic_ref<T>::required_alignment;
    } else {
        return false;
    }
}

// relaxed: the caller takes any value that was there at some time.
template <class T>
T stale_load(const T& x) noexcept {
    machine::allow_stale_begin();
    const T value = std::atomic_ref<T>(const_cast<T&>(x)).load(std::memory_order_relaxed);
    machine::allow_stale_end();
    return value;
}

} // namespace skerry::inline SKERRY_ABI::detail
