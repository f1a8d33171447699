// SPDX-License-Identifier: Apache-2.0
#include "digits/leaves.hpp"

#include "digits/kernel.hpp"
#include "support/vector_clones.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace apps::digits {

namespace {

// Four doubles; the compiler splits them where the machine's vectors are shorter. Columns begin anywhere.
using lanes [[gnu::vector_size(32)]] = double;
using stored_lanes [[gnu::vector_size(32), gnu::aligned(alignof(double)), gnu::may_alias]] = double;

constexpr std::size_t lane_count = 4;
static_assert(leaf_step == lane_count);

// A piece of a column: one vector, or two.
template <int Vectors>
struct strip {
    lanes low{};
    lanes high{};
};

template <int Vectors>
[[gnu::always_inline]] inline strip<Vectors> load(const double* from) {
    strip<Vectors> s;
    s.low = *reinterpret_cast<const stored_lanes*>(from);
    if constexpr (Vectors == 2) s.high = *reinterpret_cast<const stored_lanes*>(from + lane_count);
    return s;
}

template <int Vectors>
[[gnu::always_inline]] inline void store(double* to, const strip<Vectors>& s) {
    *reinterpret_cast<stored_lanes*>(to) = s.low;
    if constexpr (Vectors == 2) *reinterpret_cast<stored_lanes*>(to + lane_count) = s.high;
}

template <int Vectors>
[[gnu::always_inline]] inline void subtract(strip<Vectors>& from, double factor, const strip<Vectors>& s) {
    from.low -= factor * s.low;
    if constexpr (Vectors == 2) from.high -= factor * s.high;
}

// 8 x 6 of C stay in twelve vector registers for the whole depth; two hold a piece of A's column, one an element of B
// and one the product: all that AVX2 has. The columns are named one by one because GCC 12 keeps an array of vectors in
// memory.
template <int Vectors, int Columns>
[[gnu::always_inline]] inline void subtract_block(block c, const double* a, std::ptrdiff_t a_stride, scattered b,
                                                  std::size_t depth) {
    static_assert(Columns == 2 || Columns == 6);
    strip<Vectors> c0 = load<Vectors>(c.data);
    strip<Vectors> c1 = load<Vectors>(c.data + c.stride);
    strip<Vectors> c2;
    strip<Vectors> c3;
    strip<Vectors> c4;
    strip<Vectors> c5;
    if constexpr (Columns == 6) {
        c2 = load<Vectors>(c.data + 2 * c.stride);
        c3 = load<Vectors>(c.data + 3 * c.stride);
        c4 = load<Vectors>(c.data + 4 * c.stride);
        c5 = load<Vectors>(c.data + 5 * c.stride);
    }
    for (; depth != 0; --depth) {
        const strip<Vectors> s = load<Vectors>(a);
        subtract(c0, b.data[0], s);
        subtract(c1, b.data[b.row], s);
        if constexpr (Columns == 6) {
            subtract(c2, b.data[2 * b.row], s);
            subtract(c3, b.data[3 * b.row], s);
            subtract(c4, b.data[4 * b.row], s);
            subtract(c5, b.data[5 * b.row], s);
        }
        a += a_stride;
        b.data += b.column;
    }
    store(c.data, c0);
    store(c.data + c.stride, c1);
    if constexpr (Columns == 6) {
        store(c.data + 2 * c.stride, c2);
        store(c.data + 3 * c.stride, c3);
        store(c.data + 4 * c.stride, c4);
        store(c.data + 5 * c.stride, c5);
    }
}

template <int Columns>
[[gnu::always_inline]] inline void subtract_columns(block c, const double* a, std::ptrdiff_t a_stride, scattered b,
                                                    std::size_t rows, std::size_t depth) {
    std::size_t i = 0;
    for (; i + 2 * lane_count <= rows; i += 2 * lane_count) {
        subtract_block<2, Columns>({c.data + i, c.stride}, a + i, a_stride, b, depth);
    }
    if (i < rows) subtract_block<1, Columns>({c.data + i, c.stride}, a + i, a_stride, b, depth);
}

[[gnu::always_inline]] inline void subtract_any(block c, const double* a, std::ptrdiff_t a_stride, scattered b,
                                                std::size_t rows, std::size_t columns, std::size_t depth) {
    constexpr std::size_t wide = 6;
    constexpr std::size_t narrow = 2;
    if (depth == 0) return; // a and b may be null then
    std::size_t left = columns;
    const auto next = [&](std::size_t done) {
        c.data += static_cast<std::ptrdiff_t>(done) * c.stride;
        b.data += static_cast<std::ptrdiff_t>(done) * b.row;
        left -= done;
    };
    while (left >= wide) {
        subtract_columns<wide>(c, a, a_stride, b, rows, depth);
        next(wide);
    }
    while (left >= narrow) {
        subtract_columns<narrow>(c, a, a_stride, b, rows, depth);
        next(narrow);
    }
}

// The solves go by strips of so many columns: within one they work column by column, and what lies outside it is a
// product. A multiple of both kinds of columns above.
constexpr std::size_t strip_columns = 12;

} // namespace

APPS_VECTOR_CLONES void subtract_product(block c, const double* a, std::ptrdiff_t a_stride, scattered b,
                                         std::size_t rows, std::size_t columns, std::size_t depth) {
    subtract_any(c, a, a_stride, b, rows, columns, depth);
}

APPS_VECTOR_CLONES void solve_transposed(block x, const double* l, std::ptrdiff_t l_stride, std::size_t rows,
                                         std::size_t n) {
    for (std::size_t begin = 0; begin < n; begin += strip_columns) {
        const std::size_t end = std::min(n, begin + strip_columns);
        double* const strip = x.data + static_cast<std::ptrdiff_t>(begin) * x.stride;
        subtract_any({strip, x.stride}, x.data, x.stride, {l + begin, 1, l_stride}, rows, end - begin, begin);
        for (std::size_t j = begin; j < end; ++j) {
            double* const column = x.data + static_cast<std::ptrdiff_t>(j) * x.stride;
            for (std::size_t k = begin; k < j; ++k) {
                const double factor = l[static_cast<std::ptrdiff_t>(k) * l_stride + static_cast<std::ptrdiff_t>(j)];
                const double* const solved = x.data + static_cast<std::ptrdiff_t>(k) * x.stride;
                for (std::size_t i = 0; i < rows; ++i) column[i] -= factor * solved[i];
            }
            const double pivot = l[static_cast<std::ptrdiff_t>(j) * (l_stride + 1)];
            for (std::size_t i = 0; i < rows; ++i) column[i] /= pivot;
        }
    }
}

APPS_VECTOR_CLONES void solve_plain(block x, const double* l, std::ptrdiff_t l_stride, std::size_t rows,
                                    std::size_t n) {
    const auto at = [](std::size_t index) { return static_cast<std::ptrdiff_t>(index); };
    for (std::size_t end = n; end != 0;) {
        const std::size_t begin = end - ((end - 1) % strip_columns + 1);
        // The columns behind the strip, from the last to the first.
        const scattered behind{l + at(begin) * l_stride + at(n) - 1, l_stride, -1};
        subtract_any({x.data + at(begin) * x.stride, x.stride}, x.data + (at(n) - 1) * x.stride, -x.stride, behind,
                     rows, end - begin, n - end);
        for (std::size_t j = end; j-- != begin;) {
            double* const column = x.data + at(j) * x.stride;
            for (std::size_t k = end; --k != j;) {
                const double factor = l[at(j) * l_stride + at(k)];
                const double* const solved = x.data + at(k) * x.stride;
                for (std::size_t i = 0; i < rows; ++i) column[i] -= factor * solved[i];
            }
            const double pivot = l[at(j) * (l_stride + 1)];
            for (std::size_t i = 0; i < rows; ++i) column[i] /= pivot;
        }
        end = begin;
    }
}

APPS_VECTOR_CLONES void factor(block a, std::size_t n) {
    const auto at = [](std::size_t index) { return static_cast<std::ptrdiff_t>(index); };
    for (std::size_t begin = 0; begin < n; begin += strip_columns) {
        const std::size_t end = std::min(n, begin + strip_columns);
        double* const strip = a.data + at(begin) * a.stride + at(begin);
        subtract_any({strip, a.stride}, a.data + begin, a.stride, {a.data + begin, 1, a.stride}, n - begin, end - begin,
                     begin);
        for (std::size_t j = begin; j < end; ++j) {
            double* const column = a.data + at(j) * a.stride;
            for (std::size_t k = begin; k < j; ++k) {
                const double* const solved = a.data + at(k) * a.stride;
                const double factor = solved[j];
                for (std::size_t i = j; i < n; ++i) column[i] -= factor * solved[i];
            }
            if (!(column[j] > 0)) throw std::domain_error("the matrix is not positive definite");
            const double pivot = std::sqrt(column[j]);
            column[j] = pivot;
            for (std::size_t i = j + 1; i < n; ++i) column[i] /= pivot;
        }
    }
}

APPS_VECTOR_CLONES void likenesses(std::span<const image> images, const image& other, double* to) {
    for (const image& i : images) {
        const bool padding = i.label == no_label || other.label == no_label;
        *to++ = padding ? 0.0 : likeness(distance(i, other));
    }
}

} // namespace apps::digits
