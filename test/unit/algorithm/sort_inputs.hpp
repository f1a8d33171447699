// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executors.hpp"

#include <skerry/detail/frontend/algorithm/sorting.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <random>
#include <vector>

namespace algorithm_test {

// The slow builds leave out large inputs and repetitions whose like remains.
#ifdef SKERRY_SLOW_BUILD
inline constexpr bool slow_build = true;
#else
inline constexpr bool slow_build = false;
#endif

inline std::vector<std::size_t> sizes() {
    std::vector<std::size_t> all{0, 1, 2, 3, 4, 5, 8, 9, 16, 17, 33, 100, 160, 161, 255, 256, 257, 1000, 5000, 10000};
    if (!slow_build) all.insert(all.end(), {20000, 40000, 100000});
    return all;
}

// Inputs that sorts find hard or easy, as ranks below n.
inline std::vector<std::vector<std::uint32_t>> patterns(std::size_t n) {
    std::mt19937_64 random{n};
    std::vector<std::vector<std::uint32_t>> all;
    const auto add = [&](auto f) {
        std::vector<std::uint32_t> v(n);
        for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<std::uint32_t>(f(i));
        all.push_back(std::move(v));
    };
    add([&](std::size_t) { return random(); });
    add([&](std::size_t) { return random() % 3; });
    add([&](std::size_t) { return random() % (n / 4 + 1); });
    add([&](std::size_t) { return random() % 10 == 0 ? random() : 77; });
    add([](std::size_t i) { return i; });
    add([n](std::size_t i) { return n - i; });
    add([n](std::size_t i) { return std::min(i, n - i); });
    add([](std::size_t i) { return i % 17; });
    add([](std::size_t) { return 5; });
    add([n](std::size_t i) { return i + 1 == n ? 0 : i; });
    add([&](std::size_t i) { return random() % 100 == 0 ? random() : i; });
    add([&](std::size_t) { return std::uint32_t{1} << random() % 32; });
    return all;
}

// The order of the elements is what the comparison says, and nothing is known about the comparison but its calls.
struct by_value {
    bool operator()(const auto& a, const auto& b) const { return a < b; }
};

struct record {
    std::uint16_t key;
    std::int64_t wide;
    std::uint32_t number;
    bool operator==(const record&) const = default;
};

inline std::vector<record> records(std::size_t n) {
    std::mt19937_64 random{n};
    std::vector<record> v(n);
    for (std::uint32_t i = 0; auto& r : v) {
        r.key = static_cast<std::uint16_t>(random() % (n / 3 + 1));
        r.wide = static_cast<std::int64_t>(random() % 1000) - 500;
        r.number = i++;
    }
    return v;
}

} // namespace algorithm_test
