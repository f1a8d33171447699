// SPDX-License-Identifier: Apache-2.0

#include <skerry/detail/frontend/algorithm/pace.hpp>

#include <algorithm>

#include "base/port/clock.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

// What a block may take: bodies may be four times as long as those before, and the loop still ends in a millisecond.
constexpr double block_s = 250e-6;
// So much longer than the block before may one be.
constexpr std::uint64_t most_growth = 16;

} // namespace

std::uint64_t loop_pace::now() noexcept { return port::ticks(); }

std::uint64_t loop_pace::after(std::uint64_t block, std::uint64_t most, std::uint64_t& since) noexcept {
    const std::uint64_t begun = since;
    since = now();
    const double taken = static_cast<double>(std::max<std::uint64_t>(since - begun, 1));
    const double fitting = static_cast<double>(block) * block_s * port::ticks_per_second() / taken;
    const std::uint64_t longest = std::min(most, block * most_growth);
    const std::uint64_t next = fitting < static_cast<double>(longest)
                                   ? std::max<std::uint64_t>(static_cast<std::uint64_t>(fitting), 1)
                                   : longest;
    const bool known_enough = next == most && !is_timed(next, most);
    known_.store(next, memory_order::relaxed);
    since = known_enough ? 0 : since;
    return next;
}

} // namespace skerry::inline SKERRY_ABI::detail
