// SPDX-License-Identifier: Apache-2.0
#include "cilk5/leaves.hpp"

#include <algorithm>
#include <cstring>

namespace apps::leaves {

namespace {

using lanes [[gnu::vector_size(16)]] = float;
constexpr std::size_t lane_count = 4;

// A square of this side reads and writes whole cache lines.
constexpr std::size_t line = 16;

inline void transpose_four(const float* from, std::size_t from_stride, float* to, std::size_t to_stride) {
    lanes row[lane_count];
    for (std::size_t i = 0; i < lane_count; ++i) {
        std::memcpy(&row[i], from + i * from_stride, sizeof(lanes));
    }
    const lanes low01 = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5);
    const lanes high01 = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7);
    const lanes low23 = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5);
    const lanes high23 = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
    const lanes column[lane_count] = {
        __builtin_shufflevector(low01, low23, 0, 1, 4, 5), __builtin_shufflevector(low01, low23, 2, 3, 6, 7),
        __builtin_shufflevector(high01, high23, 0, 1, 4, 5), __builtin_shufflevector(high01, high23, 2, 3, 6, 7)};
    for (std::size_t j = 0; j < lane_count; ++j) {
        std::memcpy(to + j * to_stride, &column[j], sizeof(lanes));
    }
}

void transpose_square(const float* from, std::size_t from_stride, float* to, std::size_t to_stride, std::size_t rows,
                      std::size_t columns) {
    if (rows == line && columns == line) {
        for (std::size_t j = 0; j < line; j += lane_count) {
            for (std::size_t i = 0; i < line; i += lane_count) {
                transpose_four(from + i * from_stride + j, from_stride, to + j * to_stride + i, to_stride);
            }
        }
        return;
    }
    for (std::size_t j = 0; j < columns; ++j) {
        for (std::size_t i = 0; i < rows; ++i) {
            to[j * to_stride + i] = from[i * from_stride + j];
        }
    }
}

} // namespace

void transpose(const float* from, std::size_t from_stride, float* to, std::size_t to_stride, std::size_t rows,
               std::size_t columns) {
    for (std::size_t i = 0; i < rows; i += line) {
        for (std::size_t j = 0; j < columns; j += line) {
            transpose_square(from + i * from_stride + j, from_stride, to + j * to_stride + i, to_stride,
                             std::min(line, rows - i), std::min(line, columns - j));
        }
    }
}

} // namespace apps::leaves
