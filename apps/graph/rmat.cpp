// SPDX-License-Identifier: Apache-2.0
#include "graph/rmat.hpp"

#include "support/random.hpp"

#include <skerry/forkjoin.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>

namespace apps::graph {
namespace {

constexpr std::uint64_t edges_per_vertex = 10;

/// Thresholds of a, a + b and a + b + c among the 32-bit numbers.
constexpr std::uint32_t bound_a = 0x8000'0000U;   // .5
constexpr std::uint32_t bound_ab = 0x9999'9999U;  // .6
constexpr std::uint32_t bound_abc = 0xB333'3333U; // .7

struct ends {
    vertex from = 0;
    vertex to = 0;

    void descend(std::uint32_t draw) {
        const bool lower = draw >= bound_ab;
        const bool right = (draw >= bound_a && draw < bound_ab) || draw >= bound_abc;
        from = (from << 1) | static_cast<vertex>(lower);
        to = (to << 1) | static_cast<vertex>(right);
    }
};

} // namespace

edge_list rmat(std::uint64_t vertices, std::uint64_t seed) {
    edge_list e;
    e.vertices = std::bit_ceil(vertices);
    const std::size_t size = vertices * edges_per_vertex;
    e.from = buffer<vertex>(size);
    e.to = buffer<vertex>(size);
    const int levels = std::countr_zero(e.vertices);
    skerry::parallel_for(std::size_t{0}, size, [&](std::size_t i) {
        ends x;
        std::uint64_t state = random_at(seed, i);
        for (int level = 0; level < levels; level += 2) {
            const std::uint64_t draw = scatter(state++);
            x.descend(static_cast<std::uint32_t>(draw));
            if (level + 1 < levels) x.descend(static_cast<std::uint32_t>(draw >> 32));
        }
        e.from[i] = x.from;
        e.to[i] = x.to;
    });
    return e;
}

void add_random_weights(edge_list& e, std::uint64_t seed) {
    const std::uint64_t range = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::bit_width(e.vertices)) - 1);
    e.weights = buffer<weight>(e.size());
    skerry::parallel_for(std::size_t{0}, e.size(),
                         [&](std::size_t i) { e.weights[i] = static_cast<weight>(1 + random_at(~seed, i) % range); });
}

} // namespace apps::graph
