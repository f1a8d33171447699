// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/csr.hpp"

#include <cstdint>

namespace apps::graph {

/// The recursive matrix of Chakrabarti, Zhan and Faloutsos ("R-MAT: A Recursive Model for Graph Mining", 2004): each
/// bit of an edge's two ends is drawn together, (0,0), (0,1), (1,0), (1,1) with probability .5, .1, .1, .3. As Ligra's
/// generator does, it rounds the vertices up to a power of two and makes ten edges for each vertex asked for: Table
/// III's rMat_100K is `rmat(100'000, seed)`. Edge i depends on `seed` and i alone. Precondition: 1 <= vertices <= 2^31.
edge_list rmat(std::uint64_t vertices, std::uint64_t seed);

/// Gives each edge a weight from 1 to log2 of the number of vertices, as Ligra's generator does.
void add_random_weights(edge_list& e, std::uint64_t seed);

} // namespace apps::graph
