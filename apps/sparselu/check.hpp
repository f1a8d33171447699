// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "program.hpp"
#include "sparselu/matrix.hpp"

#include <functional>
#include <span>

namespace apps::sparselu {

/// Block (i, j) of the factors: L below the diagonal, with ones on it, and U above and on it. Empty: zeros.
using factors = std::function<std::span<const double>(std::size_t i, std::size_t j)>;

/// For two vectors x, L (U x) is A x, but for what rounding may change. Works with the matrix as it was made, and by
/// products of matrices and vectors alone.
verdict product(const matrix& a, const factors& found);

} // namespace apps::sparselu
