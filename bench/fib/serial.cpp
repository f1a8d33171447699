// SPDX-License-Identifier: Apache-2.0
#include "fib/fib.hpp"

namespace bench::fib {
namespace {

// A call per node, but for what a compiler makes of the last one. Unless it is told not to, GCC at -O3 also inlines the
// recursion into itself many levels deep, which a node that does any work does not get; tools/bench limits has both. At
// a place that the linker chooses it takes up to a fifth more.
[[gnu::noinline, gnu::aligned(64)]] std::uint64_t fib(unsigned n) {
    if (n < 2) {
        return n;
    }
    return fib(n - 1) + fib(n - 2);
}

} // namespace

// Every form is held against the fastest form of the serial program.
std::uint64_t plain(unsigned n) { return fib(n); }
std::uint64_t captured(unsigned n) { return fib(n); }
std::uint64_t reference(unsigned n) { return fib(n); }
std::uint64_t values(unsigned n) { return fib(n); }
std::uint64_t object(unsigned n) { return fib(n); }
std::uint64_t group(unsigned n) { return fib(n); }
std::uint64_t throwing(unsigned n) { return fib(n); }
std::uint64_t initialised(unsigned n) { return fib(n); }

} // namespace bench::fib
