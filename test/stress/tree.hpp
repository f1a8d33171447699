// SPDX-License-Identifier: Apache-2.0
#pragma once

// Random task trees whose result is known: the same tree is walked serially and by any set of constructs.

#include <cstdint>
#include <stdexcept>

#include <skerry/forkjoin.hpp>

namespace skerry_test {

// The exception of one node.
struct thrown {
    std::uint64_t node;
};

struct tree_shape {
    unsigned depth = 10;
    unsigned throw_one_in = 0; // 0: nothing throws
    unsigned spin_one_in = 16; // such nodes work for a while, so that neighbours are stolen
    unsigned spins = 2000;
};

inline std::uint64_t mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15U; // splitmix64 (Steele, Lea, Flood)
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

// What a node does by itself: maybe spins, maybe throws.
inline std::uint64_t visit(const tree_shape& shape, std::uint64_t node) {
    const std::uint64_t h = mix(node);
    if (shape.spin_one_in != 0 && h % shape.spin_one_in == 0) {
        for (unsigned i = 0; i < shape.spins; ++i) {
            asm volatile("" ::: "memory");
        }
    }
    if (shape.throw_one_in != 0 && (h >> 20) % shape.throw_one_in == 0) {
        throw thrown{node};
    }
    return h;
}

inline bool is_leaf(const tree_shape& shape, std::uint64_t node, unsigned level) {
    return level >= shape.depth || mix(node ^ 0x5555) % 7 == 0;
}

inline std::uint64_t walk_serially(const tree_shape& shape, std::uint64_t node, unsigned level = 0) {
    std::uint64_t sum = visit(shape, node);
    if (!is_leaf(shape, node, level)) {
        sum += walk_serially(shape, 3 * node + 1, level + 1);
        sum += 3 * walk_serially(shape, 3 * node + 2, level + 1);
        if (node % 3 == 0) {
            sum += 5 * walk_serially(shape, 3 * node + 3, level + 1);
        }
    }
    return sum;
}

inline std::uint64_t walk_forking(const tree_shape& shape, std::uint64_t node, unsigned level = 0) {
    std::uint64_t sum = visit(shape, node);
    if (is_leaf(shape, node, level)) {
        return sum;
    }
    const auto child = [&](std::uint64_t k) { return walk_forking(shape, 3 * node + k, level + 1); };
    if (node % 3 == 0) {
        const auto [a, b, c] =
            skerry::parallel_invoke([&] { return child(1); }, [&] { return child(2); }, [&] { return child(3); });
        return sum + a + 3 * b + 5 * c;
    }
    const auto [a, b] = skerry::parallel_invoke([&] { return child(1); }, [&] { return child(2); });
    return sum + a + 3 * b;
}

// A walk's value, or the node whose exception arrived.
struct walked {
    std::uint64_t value = 0;
    bool failed = false;

    friend bool operator==(const walked&, const walked&) = default;
};

template <class Walk>
walked outcome_of(Walk&& walk) {
    try {
        return {walk(), false};
    } catch (const thrown& t) {
        return {t.node, true};
    }
}

} // namespace skerry_test
