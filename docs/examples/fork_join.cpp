// SPDX-License-Identifier: Apache-2.0

// [program]
#include <cstdio>
#include <vector>

#include <skerry/skerry.hpp>

long fib(int n) {
    if (n < 2) return n;
    auto [x, y] = skerry::parallel_invoke([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
    return x + y;
}

int main() {
    std::vector<double> v(1'000'000);
    skerry::parallel_for(0, v.size(), [&](std::size_t i) { v[i] = 1.0 / static_cast<double>(i + 1); });
    std::printf("fib(30) = %ld, harmonic sum = %.6f\n", fib(30), skerry::parallel_reduce(v));
}
// [/program]
