// SPDX-License-Identifier: Apache-2.0

// A plugin with a Skerry of its own inside.

#include <skerry/forkjoin.hpp>

namespace {

long fib(int n) {
    if (n < 2) {
        return n;
    }
    const auto [x, y] = skerry::parallel_invoke([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
    return x + y;
}

} // namespace

extern "C" __attribute__((visibility("default"))) long plugin_fib(int n) { return fib(n); }
