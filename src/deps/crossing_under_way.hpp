// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tasks that wait for bytes: one that comes, and one that was away.

#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <skerry/detail/core/part_name.hpp>

#include "deps/byte_ranges.hpp"
#include "deps/crossing.hpp"
#include "deps/crossing_format.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// Which of three things a copy's word stands for.
inline constexpr std::uint64_t departure = 1;
inline constexpr std::uint64_t homecoming = 2;

// A task that is away, and what was kept of the bytes that it may write when it went.
struct crossing::lent_task {
    dependent_task* task = nullptr;
    std::vector<fabric::extent> kept;
};

// A task that was away, while what it wrote of regions is fetched.
struct crossing::return_home {
    dependent_task* task = nullptr;
    std::optional<std::string> error;
    std::vector<fabric::extent> pulls;
};

struct crossing::arrival {
    unsigned victim;
    std::uint64_t ticket;
    parcel_head head;
    std::vector<access> accesses;
    std::vector<part_name> parts; // among them
    std::list<byte_ranges>::iterator reading;
    std::vector<hop> lineage;
    std::vector<fabric::extent> pulls;
    std::vector<std::span<const std::byte>> contents; // all of which there is a copy here
    parcel closure;
    bool complete = false; // all it reads is here
};

} // namespace skerry::inline SKERRY_ABI::detail
