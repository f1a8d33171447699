// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/random.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace apps {

/// Hash of a sequence; equal only for equal values in equal order, for all practical purposes.
template <class T>
std::uint64_t digest_of(std::span<const T> values) {
    static_assert(std::is_arithmetic_v<T> && sizeof(T) <= sizeof(std::uint64_t));
    std::uint64_t hash = values.size();
    for (const T value : values) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof value);
        hash = scatter(hash ^ bits);
    }
    return hash;
}

/// Hash of a multiset: the order does not matter, every multiplicity does.
template <class T>
std::uint64_t multiset_digest_of(std::span<const T> values) {
    std::uint64_t sum = 0;
    for (const T value : values) {
        sum += scatter(static_cast<std::uint64_t>(value));
    }
    return sum;
}

} // namespace apps
