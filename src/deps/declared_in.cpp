// SPDX-License-Identifier: Apache-2.0

#include "deps/declared_in.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>

#include "base/port/poison.hpp"
#include "base/text.hpp"
#include "coherence/exposure.hpp"
#include "coherence/parcel.hpp"
#include "deps/access_ranges.hpp"
#include "deps/access_text.hpp"
#include "deps/byte_ranges.hpp"
#include "deps/name_table.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

constexpr std::size_t piece = 256;
// So many pieces of an access are looked at: a task that declares much and reads little must not cost as if it read
// all.
constexpr std::size_t most_pieces = 4096;

std::uint64_t mix(std::uint64_t sum, std::uintptr_t first, std::size_t bytes) noexcept {
    std::byte copy[piece]{};
    port::copy_unchecked(copy, reinterpret_cast<const void*>(first), bytes);
    for (std::size_t i = 0; i < piece; i += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, copy + i, sizeof(word));
        sum = std::rotl((sum ^ word) * 0x9e37'79b9'7f4a'7c15, 29);
    }
    return sum;
}

// What the access names and no access of the task writes.
byte_ranges read_only(const access& a, std::span<const access_node> all) {
    byte_ranges ranges;
    insert(ranges, a);
    for (const access_node& n : all) {
        if (writes(n.what.mode)) {
            erase(ranges, n.what);
        }
    }
    return ranges;
}

std::uint64_t sum_of(const access& a, std::span<const access_node> all) {
    const byte_ranges ranges = read_only(a, all);
    std::size_t pieces = 0;
    ranges.for_each([&](std::uintptr_t, std::size_t bytes) { pieces += (bytes + piece - 1) / piece; });
    const std::size_t step = pieces / most_pieces + 1;
    std::uint64_t sum = pieces;
    std::size_t number = 0; // of the piece; the last of all is always looked at
    ranges.for_each([&](std::uintptr_t first, std::size_t bytes) {
        for (std::size_t at = 0; at < bytes; at += piece, ++number) {
            if (number % step == 0 || number + 1 == pieces) {
                sum = mix(sum, first + at, std::min(piece, bytes - at));
            }
        }
    });
    return sum;
}

// Not what lies in a region that the task may write, where it may be gone at the end. Of regions that another process
// writes the books are not whole while another parcel of them arrives; and where a process guards what came from
// elsewhere, their pages are closed to writing.
bool is_looked_at(const access& a, std::span<const access_node> all) noexcept {
    return !writes(a.mode) &&
           (a.kind != access_kind::region || (exposure::active() == nullptr && written_here(region_id{a.first}))) &&
           std::ranges::none_of(all, [&a](const access_node& n) {
               return n.what.kind == access_kind::region && writes(n.what.mode) && contains(n.what, a);
           });
}

} // namespace

input_sums::input_sums(const dependent_task& task) {
    for (const access_node& n : task.all_nodes()) {
        sums_.push_back(is_looked_at(n.what, task.all_nodes()) ? std::optional(sum_of(n.what, task.all_nodes()))
                                                               : std::nullopt);
    }
}

void input_sums::compare(const dependent_task& task) const {
    for (std::size_t i = 0; i < sums_.size(); ++i) {
        const access& a = task.nodes[i].what;
        const std::optional<std::uint64_t>& before = sums_[i];
        if (!before || sum_of(a, task.all_nodes()) == *before) {
            continue;
        }
        fixed_text<500> text;
        text << "skerry: ";
        put_with_type(text, task);
        text << " declares ";
        put(text, a);
        text << " (access " << i + 1 << " of " << sums_.size()
             << "), and they are changed when it ends; declare it with inout(), or wait for the task before you write "
                "there";
        throw std::logic_error(text.c_str());
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
