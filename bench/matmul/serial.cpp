// SPDX-License-Identifier: Apache-2.0
#include "matmul/matmul.hpp"

namespace bench::matmul {

void multiply(input a, input b, output c, std::size_t n) {
    if (n <= block_rows) {
        multiply_block(a, b, c, n);
        return;
    }
    for (std::size_t k = 0; k < 2; ++k) {
        for (std::size_t i = 0; i < 2; ++i) {
            for (std::size_t j = 0; j < 2; ++j) {
                multiply(a.quadrant(n, i, k), b.quadrant(n, k, j), c.quadrant(n, i, j), n / 2);
            }
        }
    }
}

} // namespace bench::matmul
