// SPDX-License-Identifier: Apache-2.0
#pragma once

// The books of regions and of the arena, held against what a program knows to lie there. Nobody else may use the
// regions meanwhile.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <skerry/region.hpp>

#include "coherence/page_source.hpp"

namespace random_programs {

// What is wrong about a region that holds exactly these objects; empty: nothing is. Looked at are its slabs and pages,
// the counts and lists of free ones, and what is said to lie at each object's ends. An empty page is kept only where
// the others have no room: one of these has some at any time, with an object that stays.
std::string audit_region(const char* name, skerry::region r, std::vector<std::span<const std::byte>> objects);

// What is wrong about how a parcel of the region with one damaged byte, chosen by `which`, is refused.
std::string audit_refusal(skerry::region r, std::size_t which);

// Of the first pages of the arena, how many this process uses or may hand out: as many before a program as after it,
// unless other processes have some of them.
std::size_t pages_here();

// What is wrong about pages whose regions are gone: this process is to have them.
std::string audit_given_back(std::span<const skerry::detail::page_range> pages);

} // namespace random_programs
