// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tasks of the classifier. Each touches what it is given and nothing else, and needs nothing beside it, so it may
// run in any process. Included by digits.cpp, once in each variant.
//
// A tile is a square, column by column; its side is a multiple of leaf_step. The weights and scores of a block of
// images are a matrix too: a row for each class, padded to `lines`, and a column for each image.

#include "digits/image.hpp"
#include "digits/kernel.hpp"
#include "digits/leaves.hpp"
#include "support/dataflow.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace apps::SKERRY_APP_VARIANT {

namespace digits_tasks {

using digits::image;
using digits::leaf_step;

inline constexpr std::size_t lines = (digits::class_count + leaf_step - 1) / leaf_step * leaf_step;

using tile = std::span<double>;
using const_tile = std::span<const double>;

inline std::size_t side_of(const_tile t) {
    return static_cast<std::size_t>(std::sqrt(static_cast<double>(t.size())) + 0.5);
}

/// Where the recursion inside a tile ends: half the tile, but no more than a core's first cache holds of both factors.
inline std::size_t leaf_of(std::size_t side) {
    constexpr std::size_t largest = 72;
    return std::min(largest, (side / 2 + leaf_step - 1) / leaf_step * leaf_step);
}

/// Part of a tile.
template <class Number>
struct part {
    Number* data;
    std::size_t stride;
    std::size_t rows;
    std::size_t columns;

    part at(std::size_t row, std::size_t column, std::size_t height, std::size_t width) const {
        return {data + column * stride + row, stride, height, width};
    }
    digits::block block() const
        requires(!std::is_const_v<Number>)
    {
        return {data, static_cast<std::ptrdiff_t>(stride)};
    }
    std::ptrdiff_t step() const { return static_cast<std::ptrdiff_t>(stride); }
    operator part<const double>() const // NOLINT(google-explicit-constructor): as span<double> to span<const double>
        requires(!std::is_const_v<Number>)
    {
        return {data, stride, rows, columns};
    }
};

template <class Number>
part<Number> whole(std::span<Number> t) {
    const std::size_t side = side_of(t);
    return {t.data(), side, side, side};
}

/// The first half, and a multiple of leaf_step.
inline std::size_t half_of(std::size_t n) { return (n / 2 + leaf_step - 1) / leaf_step * leaf_step; }

/// C -= A B^T
inline void gemm_part(part<double> c, part<const double> a, part<const double> b, std::size_t leaf) {
    if (std::max(c.rows, c.columns) <= leaf) {
        digits::subtract_product(c.block(), a.data, a.step(), {b.data, 1, b.step()}, c.rows, c.columns, a.columns);
        return;
    }
    if (c.rows >= c.columns) {
        const std::size_t h = half_of(c.rows);
        par::parallel_invoke(
            [=] { gemm_part(c.at(0, 0, h, c.columns), a.at(0, 0, h, a.columns), b, leaf); },
            [=] { gemm_part(c.at(h, 0, c.rows - h, c.columns), a.at(h, 0, a.rows - h, a.columns), b, leaf); });
    } else {
        const std::size_t h = half_of(c.columns);
        par::parallel_invoke(
            [=] { gemm_part(c.at(0, 0, c.rows, h), a, b.at(0, 0, h, b.columns), leaf); },
            [=] { gemm_part(c.at(0, h, c.rows, c.columns - h), a, b.at(h, 0, b.rows - h, b.columns), leaf); });
    }
}

/// C -= A A^T, of which only the lower triangle counts.
inline void syrk_part(part<double> c, part<const double> a, std::size_t leaf) {
    if (c.rows <= leaf) {
        gemm_part(c, a, a, leaf);
        return;
    }
    const std::size_t h = half_of(c.rows);
    const std::size_t rest = c.rows - h;
    const part<const double> upper = a.at(0, 0, h, a.columns);
    const part<const double> lower = a.at(h, 0, rest, a.columns);
    par::parallel_invoke([=] { syrk_part(c.at(0, 0, h, h), upper, leaf); },
                         [=] { gemm_part(c.at(h, 0, rest, h), lower, upper, leaf); },
                         [=] { syrk_part(c.at(h, h, rest, rest), lower, leaf); });
}

/// A := A L^-T
inline void trsm_part(part<double> a, part<const double> l, std::size_t leaf) {
    if (a.rows <= leaf) {
        digits::solve_transposed(a.block(), l.data, l.step(), a.rows, a.columns);
        return;
    }
    const std::size_t h = half_of(a.rows);
    par::parallel_invoke([=] { trsm_part(a.at(0, 0, h, a.columns), l, leaf); },
                         [=] { trsm_part(a.at(h, 0, a.rows - h, a.columns), l, leaf); });
}

/// A := L with L L^T = A
inline void potrf_part(part<double> a, std::size_t leaf) {
    if (a.rows <= leaf) {
        digits::factor(a.block(), a.rows);
        return;
    }
    const std::size_t h = half_of(a.rows);
    const std::size_t rest = a.rows - h;
    potrf_part(a.at(0, 0, h, h), leaf);
    trsm_part(a.at(h, 0, rest, h), a.at(0, 0, h, h), leaf);
    syrk_part(a.at(h, h, rest, rest), a.at(h, 0, rest, h), leaf);
    potrf_part(a.at(h, h, rest, rest), leaf);
}

inline void potrf(tile a) { potrf_part(whole(a), leaf_of(side_of(a))); }
inline void trsm(const_tile d, tile a) { trsm_part(whole(a), whole(d), leaf_of(side_of(a))); }
inline void syrk(const_tile x, tile c) { syrk_part(whole(c), whole(x), leaf_of(side_of(c))); }
inline void gemm(const_tile x, const_tile y, tile c) { gemm_part(whole(c), whole(x), whole(y), leaf_of(side_of(c))); }

/// A tile of the matrix of likenesses. Padding is a piece of the unit matrix, which touches nothing else.
inline void compare(std::span<const image> rows, std::span<const image> columns, tile a, bool diagonal) {
    for (std::size_t j = 0; j < columns.size(); ++j) {
        digits::likenesses(rows, columns[j], a.data() + j * rows.size());
        if (diagonal) a[j * rows.size() + j] = columns[j].label == digits::no_label ? 1.0 : 1.0 + digits::ridge;
    }
}

/// What the weights shall yield: 1 for an image's own class, -1 for any other.
inline void targets(std::span<const image> images, tile w) {
    std::ranges::fill(w, 0.0);
    for (std::size_t i = 0; i < images.size(); ++i) {
        for (std::size_t c = 0; images[i].label != digits::no_label && c < digits::class_count; ++c) {
            w[i * lines + c] = images[i].label == c ? 1.0 : -1.0;
        }
    }
}

inline digits::block lines_of(tile w) { return {w.data(), static_cast<std::ptrdiff_t>(lines)}; }

/// W := L^-1 W, and W -= L V for the blocks that follow
inline void forward_solve(const_tile l, tile w) {
    const auto side = w.size() / lines;
    digits::solve_transposed(lines_of(w), l.data(), static_cast<std::ptrdiff_t>(side), lines, side);
}
inline void forward_update(const_tile l, const_tile v, tile w) {
    const auto side = w.size() / lines;
    digits::subtract_product(lines_of(w), v.data(), static_cast<std::ptrdiff_t>(lines),
                             {l.data(), 1, static_cast<std::ptrdiff_t>(side)}, lines, side, side);
}

/// W := L^-T W, and W -= L^T V for the blocks before
inline void backward_solve(const_tile l, tile w) {
    const auto side = w.size() / lines;
    digits::solve_plain(lines_of(w), l.data(), static_cast<std::ptrdiff_t>(side), lines, side);
}
inline void backward_update(const_tile l, const_tile v, tile w) {
    const auto side = static_cast<std::ptrdiff_t>(w.size() / lines);
    constexpr auto line_count = static_cast<std::ptrdiff_t>(lines);
    digits::subtract_product(lines_of(w), v.data() + (side - 1) * line_count, -line_count,
                             {l.data() + side - 1, side, -1}, lines, static_cast<std::size_t>(side),
                             static_cast<std::size_t>(side));
}

inline void clear(tile scores) { std::ranges::fill(scores, 0.0); }

/// What a block of examples says about a block of images.
inline void score(std::span<const image> images, std::span<const image> examples, const_tile w, tile scores) {
    for (std::size_t e = 0; e < examples.size(); ++e) {
        constexpr std::size_t portion = 64;
        std::array<double, portion> alike{};
        for (std::size_t begin = 0; begin < images.size(); begin += portion) {
            const std::size_t count = std::min(portion, images.size() - begin);
            digits::likenesses(images.subspan(begin, count), examples[e], alike.data());
            for (std::size_t i = 0; i < count; ++i) {
                double* const sums = scores.data() + (begin + i) * lines;
                for (std::size_t c = 0; c < lines; ++c) sums[c] += alike[i] * w[e * lines + c];
            }
        }
    }
}

inline void decide(const_tile scores, std::span<std::uint8_t> decided) {
    for (std::size_t i = 0; i < decided.size(); ++i) {
        const auto own = scores.subspan(i * lines, digits::class_count);
        decided[i] = static_cast<std::uint8_t>(std::ranges::max_element(own) - own.begin());
    }
}

} // namespace digits_tasks

} // namespace apps::SKERRY_APP_VARIANT
