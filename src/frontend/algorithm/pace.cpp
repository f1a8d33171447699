// SPDX-License-Identifier: Apache-2.0

#include <skerry/detail/frontend/algorithm/pace.hpp>

#include <algorithm>

#include "base/port/clock.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

// What a block may take: bodies may be four times as long as those before, and the loop still ends in a millisecond.
constexpr double block_s = 250e-6;
// Another worker gains nothing by half of so little.
constexpr double brief_s = 1e-6;
// So much longer than the block before may a block be that lasts longer than that.
constexpr std::uint64_t most_growth = 16;

} // namespace

std::uint64_t loop_pace::now() noexcept { return port::ticks(); }

std::uint64_t loop_pace::after(std::uint64_t block, std::uint64_t most, std::uint64_t& since) noexcept {
    const std::uint64_t begun = since;
    since = now();
    const double taken = static_cast<double>(std::max<std::uint64_t>(since - begun, 1));
    const double in_a_second = static_cast<double>(block) * port::ticks_per_second() / taken;
    const auto at_most = [in_a_second](double seconds, std::uint64_t longest) {
        const double fitting = in_a_second * seconds;
        return fitting < static_cast<double>(longest) ? std::max<std::uint64_t>(static_cast<std::uint64_t>(fitting), 1)
                                                      : longest;
    };
    const std::uint64_t brief = at_most(brief_s, UINT64_MAX >> 1);
    most = std::max(most, brief);
    const std::uint64_t next = at_most(block_s, std::min(most, std::max(block * most_growth, brief)));
    brief_.store(brief, memory_order::relaxed);
    known_.store(next, memory_order::relaxed);
    since = is_timed(next, most) ? since : 0;
    return next;
}

} // namespace skerry::inline SKERRY_ABI::detail
