// SPDX-License-Identifier: Apache-2.0
#include "sums.hpp"

#include <cstdio>

int main() {
    constexpr long expected = 3 * 832040L; // fib(30), three ways
    const long here = mixed::sum(30);
    const long elsewhere = mixed::sum_elsewhere(30);
    std::printf("%ld %ld\n", here, elsewhere);
    return here == expected && elsewhere == expected ? 0 : 1;
}
