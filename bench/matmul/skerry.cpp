// SPDX-License-Identifier: Apache-2.0
#include "matmul/matmul.hpp"

#include <skerry/parallel_invoke.hpp>

namespace bench::matmul {

void multiply(input a, input b, output c, std::size_t n) {
    if (n <= block_rows) {
        multiply_block(a, b, c, n);
        return;
    }
    for (std::size_t k = 0; k < 2; ++k) {
        const auto product = [=](std::size_t i, std::size_t j) {
            return [=] { multiply(a.quadrant(n, i, k), b.quadrant(n, k, j), c.quadrant(n, i, j), n / 2); };
        };
        skerry::parallel_invoke(product(0, 0), product(0, 1), product(1, 0), product(1, 1));
    }
}

} // namespace bench::matmul
