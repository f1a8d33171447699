// SPDX-License-Identifier: Apache-2.0
#include "uts/uts.hpp"

namespace bench::uts {
namespace {

std::uint64_t below(const node& parent) {
    std::array<std::uint64_t, most_children> nodes;
    const unsigned children = parent.children();
    for (unsigned i = 0; i < children; ++i) {
#pragma omp task shared(parent, nodes) firstprivate(i)
        nodes[i] = below(node(parent, i));
    }
#pragma omp taskwait
    std::uint64_t sum = 1;
    for (unsigned i = 0; i < children; ++i) {
        sum += nodes[i];
    }
    return sum;
}

} // namespace

std::uint64_t count() {
    std::uint64_t sum = 0;
#pragma omp parallel
#pragma omp single
    sum = below(node());
    return sum;
}

} // namespace bench::uts
