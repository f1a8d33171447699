// SPDX-License-Identifier: Apache-2.0
#include "fabric/agreement.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/port/process.hpp"
#include "base/text.hpp"

namespace skerry::inline SKERRY_ABI::fabric {

namespace {

using std::to_string;

constexpr std::uint64_t gib = std::uint64_t{1} << 30;

std::string text_of(const table_identity& table) {
    detail::fixed_text<96> text;
    text << table.entries << " task functions (table " << detail::hex{table.hash} << ", code "
         << detail::hex{table.code} << ')';
    return std::string(text.view());
}

// What each process answered, in these words; those that answered the same are named together.
template <class Words>
std::string results(std::span<const std::uint32_t> answers, const process_name& name, Words&& words) {
    std::vector<std::pair<std::string, std::string>> all;
    for (unsigned i = 0; i < answers.size(); ++i) {
        const std::string what = words(answers[i]);
        const auto same = std::ranges::find(all, what, &std::pair<std::string, std::string>::first);
        if (same == all.end()) {
            all.emplace_back(what, name(i, false));
        } else {
            same->second += " and " + name(i, true);
        }
    }
    std::string text;
    for (const auto& [what, who] : all) {
        text += text.empty() ? "" : ", ";
        text += who;
        text += " could reserve ";
        text += what;
    }
    return text;
}

std::string places_of(std::span<const port::arena_place> offered, std::uint32_t answer) {
    detail::fixed_text<400> text;
    for (std::size_t i = 0; i < offered.size(); ++i) {
        if ((answer >> i & 1U) != 0) {
            text << (text.view().empty() ? "" : ", ") << detail::hex{offered[i].address};
        }
    }
    return text.view().empty() ? "none" : std::string(text.view());
}

// The bytes of the largest place that a process could reserve.
std::uint64_t most_of(std::span<const port::arena_place> offered, std::uint32_t answer) noexcept {
    std::uint64_t most = 0;
    for (std::size_t i = 0; i < offered.size(); ++i) {
        most = (answer >> i & 1U) != 0 ? std::max(most, offered[i].bytes) : most;
    }
    return most;
}

// Regions have less room than one process, or the others, would have had: who is the reason hears it once.
void warn_if_small(std::span<const port::arena_place> offered, const port::arena_place& chosen,
                   std::span<const std::uint32_t> answers, const process_name& name) {
    const std::uint64_t usual = most_of(offered, UINT32_MAX);
    const bool limited =
        port::address_space_limit() != UINT64_MAX ||
        std::ranges::any_of(answers, [&](std::uint32_t answer) { return most_of(offered, answer) > chosen.bytes; });
    if (limited && chosen.bytes < usual) {
        port::write_stderr(
            "skerry: the arena for regions has " + to_string(chosen.bytes / gib) + " GiB in place of " +
            to_string(usual / gib) + "; " +
            results(answers, name,
                    [&](std::uint32_t answer) { return to_string(most_of(offered, answer) / gib) + " GiB"; }) +
            "; look at 'ulimit -v'\n");
    }
}

} // namespace

void expect_same_program(std::span<const table_identity> all, unsigned self, const process_name& name) {
    for (unsigned i = 0; i < all.size(); ++i) {
        if (all[i] != all[self]) {
            throw std::runtime_error("skerry: the processes run different programs: " + name(i, false) + " has " +
                                     text_of(all[i]) + ", " + name(self, false) + " has " + text_of(all[self]));
        }
    }
}

std::uint32_t reservable(std::span<const port::arena_place> offered) noexcept {
    const auto mine = port::arena_places();
    std::uint32_t answer = 0;
    for (std::size_t i = 0; i < offered.size(); ++i) {
        const port::arena_place& place = offered[i];
        if (std::find(mine.begin(), mine.end(), place) != mine.end() && port::reserve_at(place.address, place.bytes)) {
            port::release_reserved(place.address, place.bytes);
            answer |= 1U << i;
        }
    }
    return answer;
}

port::reservation reserve_common(std::span<const port::arena_place> offered, std::span<const std::uint32_t> answers,
                                 unsigned self, const process_name& name) {
    std::uint32_t common = UINT32_MAX;
    for (const std::uint32_t answer : answers) {
        common &= answer;
    }
    std::size_t chosen = 0;
    while (chosen < offered.size() && (common >> chosen & 1U) == 0) {
        ++chosen;
    }
    if (chosen == offered.size() || !port::reserve_at(offered[chosen].address, offered[chosen].bytes)) {
        throw std::runtime_error(
            "skerry: no address is free for the arena in all processes; " +
            results(answers, name, [&](std::uint32_t answer) { return places_of(offered, answer); }) +
            "; look at 'ulimit -v', and build all processes alike");
    }
    if (self == 0) {
        warn_if_small(offered, offered[chosen], answers, name);
    }
    return port::reservation(offered[chosen]);
}

} // namespace skerry::inline SKERRY_ABI::fabric
