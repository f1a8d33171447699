// SPDX-License-Identifier: Apache-2.0

// [twice]
#include <cstdio>

#ifdef SERIAL
#include <skerry/serial.hpp>
namespace par = skerry::serial;
#else
#include <skerry/skerry.hpp>
namespace par = skerry;
#endif

long paths(int right, int down) { // ways through a grid, one step right or down at a time
    if (right == 0 || down == 0) return 1;
    const auto [a, b] =
        par::parallel_invoke([=] { return paths(right - 1, down); }, [=] { return paths(right, down - 1); });
    return a + b;
}

int main() {
    const long all = paths(12, 12);
    std::printf("%ld\n", all);
    return all == 2'704'156 ? 0 : 1;
}
// [/twice]
