// SPDX-License-Identifier: Apache-2.0
#pragma once

// The four tasks of the factorisation, on blocks row by row. Each touches what it is given and nothing else, so it may
// run in any process. Every element sees its operations in the order of the plain elimination, so the result has the
// same bits for every size of the blocks. Included by sparselu.cpp, once in each variant.

#include "support/dataflow.hpp"

#include <cmath>
#include <cstddef>
#include <span>

namespace apps::SKERRY_APP_VARIANT {

namespace sparselu_tasks {

using block = std::span<double>;
using const_block = std::span<const double>;

inline std::size_t side_of(const_block b) {
    return static_cast<std::size_t>(std::sqrt(static_cast<double>(b.size())) + 0.5);
}

/// to -= factor * from
inline void subtract(double* to, double factor, const double* from, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) to[i] -= factor * from[i];
}

/// A := L and U with L U = A
inline void lu0(block a) {
    const std::size_t n = side_of(a);
    for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t i = k + 1; i < n; ++i) {
            a[i * n + k] /= a[k * n + k];
            subtract(&a[i * n + k] + 1, a[i * n + k], &a[k * n + k] + 1, n - k - 1);
        }
    }
}

/// A := L^-1 A
inline void fwd(const_block diagonal, block a) {
    const std::size_t n = side_of(a);
    for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t i = k + 1; i < n; ++i) subtract(&a[i * n], diagonal[i * n + k], &a[k * n], n);
    }
}

/// A := A U^-1
inline void bdiv(const_block diagonal, block a) {
    const std::size_t n = side_of(a);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < n; ++k) {
            a[i * n + k] /= diagonal[k * n + k];
            subtract(&a[i * n + k] + 1, a[i * n + k], &diagonal[k * n + k] + 1, n - k - 1);
        }
    }
}

/// A -= L U
inline void bmod(const_block l, const_block u, block a) {
    const std::size_t n = side_of(a);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < n; ++k) subtract(&a[i * n], l[i * n + k], &u[k * n], n);
    }
}

} // namespace sparselu_tasks

} // namespace apps::SKERRY_APP_VARIANT
