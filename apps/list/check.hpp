// SPDX-License-Identifier: Apache-2.0
#pragma once

// What makes the structure right, without the code that built and changed it.

#include "list/structure.hpp"
#include "program.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace apps::list {

/// What the walks have found: before everything was changed, and after.
struct walks {
    std::span<const std::uint64_t> trees_before; ///< for each lowest limb
    std::span<const std::uint64_t> trees_after;
    walk list_before;
    walk list_after;
};

/// The values in the order of the keys, and then in the order of the list. Follows pointers no further than a structure
/// of this plan can reach.
std::vector<std::uint64_t> contents(const limb* top, const plan& p);

/// Every key, value and link is as the plan says, and so are the walks' sums.
verdict structure(const limb* top, const plan& p, const walks& found);

} // namespace apps::list
