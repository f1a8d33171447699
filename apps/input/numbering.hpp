// SPDX-License-Identifier: Apache-2.0
#pragma once

// Vertices are numbered without gaps, whatever numbers their file has for them: memory is for the vertices that have an
// edge, not for the largest number.

#include "graph/csr.hpp"
#include "input/text.hpp"

#include <cstdint>

namespace apps::input {

/// Numbers the vertices anew that are ends of an edge, in the order of their names, which are what `e.from` and `e.to`
/// hold; sets `e.vertices` and `e.names`. Where each number up to the largest is one of them, nothing changes and there
/// are no names. There is an edge. Throws input_error if more than `most` are different.
void number_vertices(const text& t, graph::edge_list& e, std::uint64_t most = graph::no_vertex);

/// The same from names of 64 bits; makes `e.from` and `e.to`.
void number_vertices(const text& t, graph::edge_list& e, const graph::buffer<std::uint64_t>& from,
                     const graph::buffer<std::uint64_t>& to, std::uint64_t most = graph::no_vertex);

} // namespace apps::input
