// SPDX-License-Identifier: Apache-2.0
#pragma once

// Parts of arrays as names: which box of which array a task touches, in bytes. Arrays have three dimensions here, the
// outermost first; those that an array of the program lacks have one plane, one row.

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// The bytes of a box: `planes` times `rows` runs of `run` bytes each. Nothing is empty. A plane lies behind the one
// before, a row behind the row before, so runs are in the order of their addresses. Rows without a gap are one run.
struct byte_box {
    std::uintptr_t first;
    std::size_t planes, rows, run;
    std::size_t plane_pitch, row_pitch; // bytes from one to the next, at least what one spans; also if there is but one

    [[nodiscard]] constexpr std::size_t plane_span() const noexcept { return (rows - 1) * row_pitch + run; }
    // From the first byte to the last.
    [[nodiscard]] constexpr std::size_t span() const noexcept { return (planes - 1) * plane_pitch + plane_span(); }
    [[nodiscard]] constexpr std::uintptr_t end() const noexcept { return first + span(); }
    [[nodiscard]] constexpr std::size_t runs() const noexcept { return planes * rows; }
    [[nodiscard]] constexpr std::size_t bytes() const noexcept { return runs() * run; }

    // Calls f(first byte, bytes) for each run until it returns false; whether it never did.
    template <class F>
    constexpr bool every_run(F&& f) const {
        for (std::size_t p = 0; p < planes; ++p) {
            for (std::size_t r = 0; r < rows; ++r) {
                if (!f(first + p * plane_pitch + r * row_pitch, run)) {
                    return false;
                }
            }
        }
        return true;
    }

    // Whether the box has one of the bytes from `low` to before `high`. O(1).
    [[nodiscard]] constexpr bool touches(std::uintptr_t low, std::uintptr_t high) const noexcept {
        const auto [p, last] = met(first, plane_pitch, plane_span(), planes, low, high);
        if (p + 1 < last) {
            return true; // a plane between two that the range reaches lies within the range
        }
        for (std::size_t i = p; i <= last && i < planes; ++i) {
            const auto [r, last_row] = met(first + i * plane_pitch, row_pitch, run, rows, low, high);
            if (r <= last_row && r < rows) {
                return true;
            }
        }
        return false;
    }

    // Whether the box has all of these bytes. O(planes that begin where the one before ends, within the range).
    [[nodiscard]] constexpr bool covers(std::uintptr_t low, std::uintptr_t high) const noexcept {
        if (low < first || high > end()) {
            return false;
        }
        while (low < high) {
            const std::size_t in_plane = (low - first) % plane_pitch;
            const std::size_t in_run = in_plane % row_pitch;
            if (in_plane >= plane_span() || in_run >= run) {
                return false;
            }
            low += run - in_run;
        }
        return true;
    }

    // Those of `count` pieces of `span` bytes, one every `pitch` bytes from `at` on, that [low, high) meets: the first
    // and the last; first > last, or first == count: none.
    struct range {
        std::size_t first, last;
    };
    [[nodiscard]] static constexpr range met(std::uintptr_t at, std::size_t pitch, std::size_t span, std::size_t count,
                                             std::uintptr_t low, std::uintptr_t high) noexcept {
        if (high <= at) {
            return {1, 0};
        }
        const std::size_t before = low < at + span ? 0 : (low - at - span) / pitch + 1;
        const std::size_t last = (high - 1 - at) / pitch;
        return {before < count ? before : count, last < count ? last : count - 1};
    }
};

// Whether the boxes have a byte in common. O(runs of the one that has fewer).
[[nodiscard]] constexpr bool overlap(const byte_box& a, const byte_box& b) noexcept {
    if (a.end() <= b.first || b.end() <= a.first) {
        return false;
    }
    const byte_box& less = a.runs() <= b.runs() ? a : b;
    const byte_box& more = a.runs() <= b.runs() ? b : a;
    return !less.every_run([&more](std::uintptr_t at, std::size_t n) { return !more.touches(at, at + n); });
}

// Whether `outer` has all bytes of `inner`. O(runs of inner).
[[nodiscard]] constexpr bool covers(const byte_box& outer, const byte_box& inner) noexcept {
    return inner.every_run([&outer](std::uintptr_t at, std::size_t n) { return outer.covers(at, at + n); });
}

// An array cut into tiles, of which those at the upper ends may be short. Two that are equal have the same parts.
struct tiling {
    using index = std::array<std::size_t, 3>;

    std::uintptr_t first;
    index extent;                     // planes, rows, bytes of a row; none is 0
    index tile;                       // the same of a part; 1 to extent
    std::array<std::size_t, 2> pitch; // bytes from plane to plane, from row to row

    friend constexpr bool operator==(const tiling&, const tiling&) noexcept = default;

    // The bytes from index `at` on, `size` of them in each dimension.
    [[nodiscard]] constexpr byte_box shape(const index& at, const index& size) const noexcept {
        byte_box b{first + at[0] * pitch[0] + at[1] * pitch[1] + at[2], size[0], size[1], size[2], pitch[0], pitch[1]};
        if (b.rows == 1 || b.row_pitch == b.run) { // without gaps: one run
            b.run *= b.rows;
            b.rows = 1;
            b.row_pitch = b.run;
            if (b.planes == 1 || b.plane_pitch == b.run) {
                b.run *= b.planes;
                b.planes = 1;
                b.row_pitch = b.plane_pitch = b.run;
            }
        } else if (b.planes == 1) {
            b.plane_pitch = b.plane_span();
        }
        return b;
    }
    [[nodiscard]] constexpr byte_box whole() const noexcept { return shape({}, extent); }
};

// The part at a place in the grid of tiles.
struct part_name {
    tiling of;
    tiling::index at; // in tiles

    friend constexpr bool operator==(const part_name&, const part_name&) noexcept = default;

    [[nodiscard]] constexpr std::size_t begin(std::size_t d) const noexcept { return at[d] * of.tile[d]; }
    [[nodiscard]] constexpr std::size_t extent(std::size_t d) const noexcept {
        const std::size_t rest = of.extent[d] - begin(d);
        return rest < of.tile[d] ? rest : of.tile[d];
    }
    [[nodiscard]] constexpr std::uintptr_t first() const noexcept {
        return of.first + begin(0) * of.pitch[0] + begin(1) * of.pitch[1] + begin(2);
    }
    [[nodiscard]] constexpr byte_box shape() const noexcept {
        return of.shape({begin(0), begin(1), begin(2)}, {extent(0), extent(1), extent(2)});
    }
};
static_assert(std::is_trivially_copyable_v<part_name> && std::is_standard_layout_v<part_name> &&
              sizeof(part_name) == 12 * sizeof(std::size_t));
static_assert(offsetof(part_name, of) == 0 && offsetof(part_name, at) == 9 * sizeof(std::size_t));

} // namespace skerry::inline SKERRY_ABI::detail
