// SPDX-License-Identifier: Apache-2.0
#pragma once

// Pictures of several cameras, and what is looked for in them, by code that shares nothing with the program.

#include "program.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace apps::motion {

inline constexpr std::size_t cell = 8;  ///< pixels of a cell's side
inline constexpr std::size_t reach = 2; ///< pixels by which a cell may have moved in either direction

/// Of each camera so many square pictures, rows of grey pixels. A table of cells has its blocks one after another.
struct film {
    std::size_t cameras = 0;
    std::size_t pictures = 0; ///< of each camera
    std::size_t side = 0;     ///< in pixels
    std::size_t block = 0;    ///< in cells
    std::vector<std::uint8_t> pixels;

    std::size_t cells() const { return side / cell; }      ///< in a row
    std::size_t blocks() const { return cells() / block; } ///< in a row
    std::span<const std::uint8_t> picture(std::size_t camera, std::size_t number) const {
        return std::span(pixels).subspan((camera * pictures + number) * side * side, side * side);
    }
};

/// A square crosses what each camera sees, in front of a still picture.
film filmed(std::size_t cameras, std::size_t pictures, std::size_t side, std::size_t block, std::uint64_t seed);

/// `sums[b]`: of the changes of all cells above and left of the end of block b. `before` is empty for a first picture,
/// which is compared with a black one.
verdict right_sums(const film& of, std::span<const std::uint8_t> before, std::span<const std::uint8_t> now,
                   std::span<const std::uint32_t> sums);

} // namespace apps::motion
