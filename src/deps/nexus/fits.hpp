// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which tasks a manager of some shape can ever take. A task that fits enters at the latest when all earlier ones have
// ended, since then it has the pool and the table for itself. One that does not fit would wait for ever, so the driver
// asks before its first word.

#include <cstdint>
#include <span>

#include <skerry/detail/base/abi.hpp>

#include "deps/nexus/words.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// The set of the dependence table that an address belongs to, out of `sets`, a power of two: pieces of log2(sets) bits,
// exclusive or. All bits count, so that neither small objects nor large strides fall into few sets.
[[nodiscard]] constexpr std::uint32_t nexus_set(std::uint64_t address, std::uint32_t sets) noexcept {
    std::uint64_t set = 0;
    for (std::uint64_t rest = address & nexus_access_word::most_address; rest != 0 && sets > 1; rest /= sets)
        set ^= rest % sets;
    return static_cast<std::uint32_t>(set);
}

// Entries of the task pool for so many access words: one at least.
[[nodiscard]] constexpr std::uint32_t nexus_entries(std::uint64_t accesses) noexcept {
    return accesses == 0 ? 1 : static_cast<std::uint32_t>((accesses + nexus_entry_accesses - 1) / nexus_entry_accesses);
}

// `accesses`: the access words of the task. One step if they are no more than the ways; else their number squared, or
// cubed where most of them fall into one set.
[[nodiscard]] constexpr bool fits(const nexus_shape_word& shape, std::span<const std::uint64_t> accesses) noexcept {
    if (accesses.size() > shape.accesses || nexus_entries(accesses.size()) > shape.pool) return false;
    if (accesses.size() <= shape.ways) return true;
    // Each address that appears for the first time: how many of its set were there before it?
    const auto address = [](std::uint64_t word) { return nexus_access_word::unpack(word).address; };
    const auto appears_in = [&](std::span<const std::uint64_t> words, std::uint64_t wanted) {
        for (const std::uint64_t w : words) {
            if (address(w) == wanted) return true;
        }
        return false;
    };
    for (std::size_t last = shape.ways; last < accesses.size(); ++last) {
        const std::uint64_t candidate = address(accesses[last]);
        if (appears_in(accesses.first(last), candidate)) continue;
        std::uint32_t in_set = 0;
        for (std::size_t i = 0; i < last; ++i) {
            const std::uint64_t other = address(accesses[i]);
            const bool first = nexus_set(other, shape.sets) == nexus_set(candidate, shape.sets) &&
                               !appears_in(accesses.first(i), other);
            in_set += first ? 1U : 0U;
        }
        if (in_set >= shape.ways) return false;
    }
    return true;
}

} // namespace skerry::inline SKERRY_ABI::detail
