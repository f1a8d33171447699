// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace apps {

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection that scatters consecutive numbers. Input that is
/// a function of its index can be generated in any order, in parallel, and recomputed by a check.
constexpr std::uint64_t scatter(std::uint64_t x) noexcept {
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
}

/// The i-th number of stream `seed`.
constexpr std::uint64_t random_at(std::uint64_t seed, std::uint64_t i) noexcept { return scatter(scatter(seed) + i); }

/// In [-1, 1).
constexpr double random_real_at(std::uint64_t seed, std::uint64_t i) noexcept {
    return static_cast<double>(static_cast<std::int64_t>(random_at(seed, i)) >> 11) * 0x1p-52;
}

} // namespace apps
