// SPDX-License-Identifier: Apache-2.0
#include "motion/film.hpp"

#include "support/random.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace apps::motion {

namespace {

constexpr std::uint64_t step = 3; // pixels from picture to picture

std::uint32_t difference(std::span<const std::uint8_t> before, std::size_t a, std::span<const std::uint8_t> now,
                         std::size_t b) {
    return static_cast<std::uint32_t>(std::abs((before.empty() ? 0 : int{before[a]}) - int{now[b]}));
}

// The least that any of the places from which the cell may have come leaves unexplained.
std::uint32_t change_of(const film& of, std::span<const std::uint8_t> before, std::span<const std::uint8_t> now,
                        std::size_t column, std::size_t row) {
    std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
    for (std::size_t from_y = row < reach ? 0 : row - reach; from_y <= std::min(row + reach, of.side - cell);
         ++from_y) {
        for (std::size_t from_x = column < reach ? 0 : column - reach;
             from_x <= std::min(column + reach, of.side - cell); ++from_x) {
            std::uint32_t all = 0;
            for (std::size_t at = 0; at < cell * cell; ++at) {
                const std::size_t y = at / cell;
                const std::size_t x = at % cell;
                all += difference(before, (from_y + y) * of.side + from_x + x, now, (row + y) * of.side + column + x);
            }
            least = std::min(least, all);
        }
    }
    return least;
}

} // namespace

film filmed(std::size_t cameras, std::size_t pictures, std::size_t side, std::size_t block, std::uint64_t seed) {
    film f{cameras, pictures, side, block, {}};
    f.pixels.reserve(cameras * pictures * side * side);
    const std::size_t width = side / 4;
    for (std::size_t camera = 0; camera < cameras; ++camera) {
        for (std::size_t picture = 0; picture < pictures; ++picture) {
            const std::size_t left = (camera * side / cameras + picture * step) % (side - width);
            const std::size_t top = random_at(seed, camera) % (side - width);
            for (std::size_t y = 0; y < side; ++y) {
                for (std::size_t x = 0; x < side; ++x) {
                    const bool inside = x - left < width && y - top < width; // unsigned: left of it is far
                    const std::uint64_t grain =
                        random_at(seed + 1 + camera, inside ? (y - top) * side + x - left : side * side + y * side + x);
                    f.pixels.push_back(static_cast<std::uint8_t>((inside ? 128 : 0) + grain % 128));
                }
            }
        }
    }
    return f;
}

verdict right_sums(const film& of, std::span<const std::uint8_t> before, std::span<const std::uint8_t> now,
                   std::span<const std::uint32_t> sums) {
    const std::size_t blocks = of.blocks();
    const std::size_t pixels = of.block * cell;
    std::vector<std::uint32_t> above(blocks, 0); // the sums of the row of blocks above
    for (std::size_t row = 0; row < blocks; ++row) {
        std::uint32_t of_row = 0;
        for (std::size_t column = 0; column < blocks; ++column) {
            for (std::size_t y = row * pixels; y < (row + 1) * pixels; y += cell) {
                for (std::size_t x = column * pixels; x < (column + 1) * pixels; x += cell) {
                    of_row += change_of(of, before, now, x, y);
                }
            }
            above[column] += of_row;
            if (sums[row * blocks + column] != above[column]) {
                return {false, "the changes up to block " + std::to_string(row * blocks + column) + " sum up to " +
                                   std::to_string(above[column]) + ", not " +
                                   std::to_string(sums[row * blocks + column])};
            }
        }
    }
    return {true, {}};
}

} // namespace apps::motion
