// SPDX-License-Identifier: Apache-2.0
#pragma once

// The table of values: where they come from, and what they are in the end.

#include "program.hpp"

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

namespace apps::jacobi {

/// The value of --input for a table of random numbers.
inline constexpr std::string_view generated = "generated";

struct table {
    std::size_t rows;
    std::size_t columns;
    std::vector<float> values; ///< row by row

    const float* row(std::size_t r) const { return values.data() + r * columns; }
    float* row(std::size_t r) { return values.data() + r * columns; }
};

/// So many rows and columns of a photograph (of `china`, or of what --input names), each the nearest pixel's
/// brightness, or of random numbers. Throws as input::read_picture().
table chosen_table(const options& o, std::size_t rows, std::size_t columns);

/// Each value of `row(r)` is what so many rounds over the whole table make of it, but for rounding: every value but
/// those of the border becomes the mean of its four neighbours. Computes in double precision.
verdict means(const table& before, std::size_t rounds, const std::function<const float*(std::size_t r)>& row);

} // namespace apps::jacobi
