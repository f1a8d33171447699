// SPDX-License-Identifier: Apache-2.0
// A task per child but the last, which the caller visits itself.
#include "uts/uts.hpp"

#include <tbb/task_group.h>

namespace bench::uts {
namespace {

std::uint64_t below(const node& parent) {
    const unsigned children = parent.children();
    if (children == 0) {
        return 1;
    }
    std::array<std::uint64_t, most_children> nodes;
    tbb::task_group group;
    for (unsigned i = 0; i + 1 < children; ++i) {
        group.run([&, i] { nodes[i] = below(node(parent, i)); });
    }
    nodes[children - 1] = below(node(parent, children - 1));
    group.wait();
    std::uint64_t sum = 1;
    for (unsigned i = 0; i < children; ++i) {
        sum += nodes[i];
    }
    return sum;
}

} // namespace

std::uint64_t count() { return below(node()); }

} // namespace bench::uts
