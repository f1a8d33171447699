// SPDX-License-Identifier: Apache-2.0
#include "cilk5/leaves.hpp"

namespace apps::leaves {

std::uint64_t queens(unsigned all, unsigned columns, unsigned left, unsigned right) {
    if (columns == all) {
        return 1;
    }
    std::uint64_t count = 0;
    for (unsigned free = all & ~(columns | left | right); free != 0; free &= free - 1) {
        const unsigned queen = free & (0U - free);
        count += queens(all, columns | queen, (left | queen) << 1U, (right | queen) >> 1U);
    }
    return count;
}

} // namespace apps::leaves
