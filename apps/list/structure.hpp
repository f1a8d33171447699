// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the program builds: a binary search tree, and a list through all of it. The tree's upper part is of limbs, each
// in a region of its own within its parent's; the lowest limbs hold search trees of nodes and a stretch of the list
// each. Everything leads to everything by plain pointers, also across regions.

#include "support/random.hpp"

#include <cstddef>
#include <cstdint>

#include <skerry/region.hpp>

namespace apps::list {

struct node {
    std::uint64_t key;
    std::uint64_t value;
    node* left;
    node* right;
};

struct link {
    std::uint64_t value;
    link* next; ///< the last of a stretch leads to the first of the next stretch
};

struct limb {
    skerry::region home; ///< in which this limb lies, and everything below it
    limb* left;          ///< null in the lowest ones, which have the rest instead
    limb* right;
    node* tree;
    link* first;
    link* last;
};

/// Where the program finds what a task has built.
struct entrance {
    limb* top;
};

/// What a walk along the list has found.
struct walk {
    std::uint64_t hash;
    std::uint64_t length;

    friend bool operator==(const walk&, const walk&) = default;
};

/// What is built, in numbers. The keys of lowest limb b are 2 nodes b to 2 nodes (b + 1); it is built of the even
/// ones, and the odd ones are inserted by the tasks that extend it.
struct plan {
    std::size_t lowest; ///< limbs; a power of two
    std::size_t nodes;  ///< of a lowest limb when it is built; as many are added, and as many links
    std::size_t rounds; ///< how long a value takes to change
    std::uint64_t seed;
};

inline std::uint64_t node_value(const plan& p, std::uint64_t key) { return random_at(p.seed, key); }
inline std::uint64_t link_value(const plan& p, std::uint64_t place) { return random_at(p.seed + 1, place); }

/// What a change makes of a value: nothing that could be had in fewer steps.
inline std::uint64_t changed(std::uint64_t value, std::size_t rounds) {
    for (; rounds != 0; --rounds) value = scatter(value);
    return value;
}

/// What a visit to a single node makes of its value.
inline std::uint64_t touched(std::uint64_t value) { return ~value; }

} // namespace apps::list
