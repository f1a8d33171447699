// SPDX-License-Identifier: Apache-2.0
#include "jacobi/table.hpp"

#include "input/picture.hpp"
#include "support/random.hpp"

#include <cmath>
#include <string>

namespace apps::jacobi {

namespace {

constexpr std::uint64_t brightest = 8U * 255U;

/// A whole number, so that no compiler rounds it in its own way.
float brightness(std::span<const std::uint8_t, 3> pixel) {
    return static_cast<float>(2 * pixel[0] + 5 * pixel[1] + pixel[2]);
}

} // namespace

table chosen_table(const options& o, std::size_t rows, std::size_t columns) {
    table t{rows, columns, std::vector<float>(rows * columns)};
    if (o.input == generated) {
        for (std::size_t i = 0; i < t.values.size(); ++i) {
            t.values[i] = static_cast<float>(random_at(o.seed, i) % (brightest + 1));
        }
        return t;
    }
    const input::picture p = input::read_picture(o.input.empty() ? std::string(input::photographs[0]) : o.input);
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < columns; ++c) {
            t.row(r)[c] = brightness(p.pixel(r * p.height() / rows, c * p.width() / columns));
        }
    }
    return t;
}

verdict means(const table& before, std::size_t rounds, const std::function<const float*(std::size_t r)>& row) {
    constexpr double allowed = 0.01; // of 2,040: what single precision rounds away is a hundredth of that
    const std::size_t columns = before.columns;
    std::vector<double> now(before.values.begin(), before.values.end());
    std::vector<double> next = now;
    for (std::size_t round = 0; round < rounds; ++round) {
        for (std::size_t i = columns + 1; i + columns + 1 < now.size(); ++i) {
            if (i % columns != 0 && (i + 1) % columns != 0) {
                next[i] = (now[i - columns] + now[i + columns] + now[i - 1] + now[i + 1]) / 4;
            }
        }
        now.swap(next);
    }
    for (std::size_t i = 0; i < now.size(); ++i) {
        const double found = row(i / columns)[i % columns];
        if (!(std::fabs(found - now[i]) <= allowed)) {
            return {false, "row " + std::to_string(i / columns) + ", column " + std::to_string(i % columns) + ": " +
                               std::to_string(found) + " in place of " + std::to_string(now[i])};
        }
    }
    return {true, std::to_string(now.size()) + " values are those of plain rounds in double precision"};
}

} // namespace apps::jacobi
