// SPDX-License-Identifier: Apache-2.0
#include "cilk5/leaves.hpp"
#include "support/vector_clones.hpp"

#include <cstddef>

namespace apps::leaves {

namespace {

// Four doubles; the compiler splits them where the machine's vectors are shorter. Rows begin anywhere.
using lanes [[gnu::vector_size(32)]] = double;
using stored_lanes [[gnu::vector_size(32), gnu::aligned(alignof(double)), gnu::may_alias]] = double;

constexpr std::size_t lane_count = 4;
constexpr std::size_t tile_rows = 4;
constexpr std::size_t tile_columns = 2 * lane_count;

struct lane_pair {
    lanes low;
    lanes high;
};

[[gnu::always_inline]] inline lane_pair load(const double* from) {
    return {*reinterpret_cast<const stored_lanes*>(from), *reinterpret_cast<const stored_lanes*>(from + lane_count)};
}

[[gnu::always_inline]] inline void store(double* to, const lane_pair& value) {
    *reinterpret_cast<stored_lanes*>(to) = value.low;
    *reinterpret_cast<stored_lanes*>(to + lane_count) = value.high;
}

template <int Sign>
[[gnu::always_inline]] inline void add_scaled(lane_pair& sum, double factor, const lane_pair& row) {
    sum.low += Sign * factor * row.low;
    sum.high += Sign * factor * row.high;
}

// 4 x 8 of C stay in eight vector registers for the whole depth: enough independent chains for two FMA units. They are
// named one by one because GCC 12 keeps an array of vectors in memory.
template <int Sign>
[[gnu::always_inline]] inline void multiply_tile(double* c, std::size_t c_stride, const double* a, std::size_t a_stride,
                                                 const double* b, std::size_t b_stride, std::size_t depth) {
    lane_pair sum0 = load(c);
    lane_pair sum1 = load(c + c_stride);
    lane_pair sum2 = load(c + 2 * c_stride);
    lane_pair sum3 = load(c + 3 * c_stride);
    for (std::size_t k = 0; k < depth; ++k) {
        const lane_pair row = load(b + k * b_stride);
        add_scaled<Sign>(sum0, a[k], row);
        add_scaled<Sign>(sum1, a[a_stride + k], row);
        add_scaled<Sign>(sum2, a[2 * a_stride + k], row);
        add_scaled<Sign>(sum3, a[3 * a_stride + k], row);
    }
    store(c, sum0);
    store(c + c_stride, sum1);
    store(c + 2 * c_stride, sum2);
    store(c + 3 * c_stride, sum3);
}

template <int Sign>
[[gnu::always_inline]] inline void multiply_edge(double* c, std::size_t c_stride, const double* a, std::size_t a_stride,
                                                 const double* b, std::size_t b_stride, std::size_t rows,
                                                 std::size_t columns, std::size_t depth) {
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t k = 0; k < depth; ++k) {
            const double factor = Sign * a[i * a_stride + k];
            for (std::size_t j = 0; j < columns; ++j) {
                c[i * c_stride + j] += factor * b[k * b_stride + j];
            }
        }
    }
}

template <int Sign>
[[gnu::always_inline]] inline void multiply_any(double* c, std::size_t c_stride, const double* a, std::size_t a_stride,
                                                const double* b, std::size_t b_stride, std::size_t rows,
                                                std::size_t columns, std::size_t depth) {
    std::size_t i = 0;
    for (; i + tile_rows <= rows; i += tile_rows) {
        std::size_t j = 0;
        for (; j + tile_columns <= columns; j += tile_columns) {
            multiply_tile<Sign>(c + i * c_stride + j, c_stride, a + i * a_stride, a_stride, b + j, b_stride, depth);
        }
        multiply_edge<Sign>(c + i * c_stride + j, c_stride, a + i * a_stride, a_stride, b + j, b_stride, tile_rows,
                            columns - j, depth);
    }
    multiply_edge<Sign>(c + i * c_stride, c_stride, a + i * a_stride, a_stride, b, b_stride, rows - i, columns, depth);
}

} // namespace

APPS_VECTOR_CLONES void multiply_add(tile c, const_tile a, const_tile b, std::size_t rows, std::size_t columns,
                                     std::size_t depth) {
    multiply_any<1>(c.data, c.stride, a.data, a.stride, b.data, b.stride, rows, columns, depth);
}

APPS_VECTOR_CLONES void block_schur(double* m, const double* left, const double* up) {
    multiply_any<-1>(m, block_side, left, block_side, up, block_side, block_side, block_side, block_side);
}

APPS_VECTOR_CLONES void block_lu(double* m) {
    for (std::size_t k = 0; k < block_side; ++k) {
        const double* pivot = m + k * block_side;
        const double inverse = 1.0 / pivot[k];
        for (std::size_t i = k + 1; i < block_side; ++i) {
            double* row = m + i * block_side;
            const double factor = row[k] * inverse;
            row[k] = factor;
            for (std::size_t j = k + 1; j < block_side; ++j) {
                row[j] -= factor * pivot[j];
            }
        }
    }
}

APPS_VECTOR_CLONES void block_lower_solve(double* m, const double* l) {
    for (std::size_t i = 1; i < block_side; ++i) {
        double* row = m + i * block_side;
        for (std::size_t k = 0; k < i; ++k) {
            const double factor = l[i * block_side + k];
            const double* solved = m + k * block_side;
            for (std::size_t j = 0; j < block_side; ++j) {
                row[j] -= factor * solved[j];
            }
        }
    }
}

APPS_VECTOR_CLONES void block_upper_solve(double* m, const double* u) {
    for (std::size_t i = 0; i < block_side; ++i) {
        double* row = m + i * block_side;
        for (std::size_t k = 0; k < block_side; ++k) {
            const double* pivot = u + k * block_side;
            const double factor = row[k] / pivot[k];
            row[k] = factor;
            for (std::size_t j = k + 1; j < block_side; ++j) {
                row[j] -= factor * pivot[j];
            }
        }
    }
}

} // namespace apps::leaves
