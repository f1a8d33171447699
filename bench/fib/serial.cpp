// SPDX-License-Identifier: Apache-2.0
#include "fib/fib.hpp"

namespace bench::fib {
namespace {

std::uint64_t fib(unsigned n) {
    if (n < 2) {
        return n;
    }
    return fib(n - 1) + fib(n - 2);
}

} // namespace

// Every form is held against the fastest serial program there is.
std::uint64_t plain(unsigned n) { return fib(n); }
std::uint64_t reference(unsigned n) { return fib(n); }
std::uint64_t object(unsigned n) { return fib(n); }

} // namespace bench::fib
