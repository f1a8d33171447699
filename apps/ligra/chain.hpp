// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a breadth-first search found, for a person; and how to damage it, for tests.

#include "graph/csr.hpp"
#include "ligra/problem.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace apps::ligra {

/// What the user asked for: the names as given, and the vertices that the second one names. Empty: no path asked for.
struct path_request {
    std::string from;
    std::string to;
    std::vector<graph::vertex> targets;
};

/// A shortest path to the nearest target, or that there is none; without a target, how many vertices were reached.
std::string print_search(const problem_graph& g, std::span<const graph::vertex> parents, const path_request& r);

/// Takes the parent of a vertex that is no root; of a root, if nothing else was reached.
void orphan_someone(graph::vertex* parents, std::size_t vertices, std::span<const graph::vertex> roots);

} // namespace apps::ligra
