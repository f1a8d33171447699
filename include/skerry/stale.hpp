// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/sync/stale_load.hpp>

namespace skerry::inline SKERRY_ABI {

// Reads x where another task may be writing it and an old value does no harm (a benign race): a visited flag, a bound
// that only gets better. On cores whose caches are kept by software it spares the discard that a fresh value needs.
//
// Here it is a plain load instruction for trivially copyable types that the processor reads at once (integers, floats,
// pointers, small structures of sufficient alignment); writers use std::atomic_ref or std::atomic. Another type is
// copied, and then nobody may be writing it.
template <std::copy_constructible T>
[[nodiscard]] T may_be_stale(const T& x) {
    if constexpr (detail::loads_at_once<T>()) {
        return detail::stale_load(x);
    } else {
        return x;
    }
}

} // namespace skerry::inline SKERRY_ABI
