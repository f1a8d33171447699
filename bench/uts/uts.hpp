// SPDX-License-Identifier: Apache-2.0
// The unbalanced tree search benchmark (Olivier et al., LCPC 2006), its tree T1: a node is a SHA-1 digest, a child the
// digest of its parent's and its own number, and how many children a node has follows from its digest: a geometric
// distribution of mean 4 down to depth 10. Nobody knows where the nodes are; a task for every node, no cut-off.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include <nettle/sha1.h>

namespace bench::uts {

inline constexpr unsigned most_children = 100; // of a node, as the benchmark has it
inline constexpr unsigned deepest = 10;
inline constexpr double branching = 4;
inline constexpr std::uint32_t seed = 19; // of the root

using digest = std::array<std::uint8_t, SHA1_DIGEST_SIZE>;

inline std::array<std::uint8_t, 4> big_endian(std::uint32_t value) {
    return {static_cast<std::uint8_t>(value >> 24), static_cast<std::uint8_t>(value >> 16),
            static_cast<std::uint8_t>(value >> 8), static_cast<std::uint8_t>(value)};
}

struct node {
    digest state;
    unsigned depth;

    /// The root.
    node() : depth(0) {
        const std::array<std::uint8_t, 16> zeros{};
        hash(zeros, seed);
    }

    node(const node& parent, std::uint32_t number) : depth(parent.depth + 1) { hash(parent.state, number); }

    unsigned children() const {
        if (depth >= deepest) {
            return 0;
        }
        const std::uint32_t random = (std::uint32_t{state[16]} << 24 | std::uint32_t{state[17]} << 16 |
                                      std::uint32_t{state[18]} << 8 | state[19]) &
                                     0x7fff'ffff;
        static const double scale = std::log(1 - 1 / (1 + branching));
        const double count = std::floor(std::log(1 - random / 2147483648.0) / scale);
        return count < most_children ? static_cast<unsigned>(count) : most_children;
    }

  private:
    template <class Bytes>
    void hash(const Bytes& before, std::uint32_t number) {
        const std::array<std::uint8_t, 4> last = big_endian(number);
        sha1_ctx context;
        sha1_init(&context);
        sha1_update(&context, before.size(), before.data());
        sha1_update(&context, last.size(), last.data());
        sha1_digest(&context, state.size(), state.data());
    }
};

/// Nodes of the tree.
std::uint64_t count();

} // namespace bench::uts
