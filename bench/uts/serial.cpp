// SPDX-License-Identifier: Apache-2.0
#include "uts/uts.hpp"

namespace bench::uts {
namespace {

std::uint64_t below(const node& parent) {
    std::uint64_t nodes = 1;
    const unsigned children = parent.children();
    for (unsigned i = 0; i < children; ++i) {
        nodes += below(node(parent, i));
    }
    return nodes;
}

} // namespace

std::uint64_t count() { return below(node()); }

} // namespace bench::uts
