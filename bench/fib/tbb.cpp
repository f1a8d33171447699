// SPDX-License-Identifier: Apache-2.0
#include "fib/fib.hpp"

#include <stdexcept>

#include <tbb/parallel_invoke.h>
#include <tbb/task_group.h>

namespace bench::fib {
namespace {

// parallel_invoke drops what its branches return, so they store it: plain, captured, reference and initialised
// are one program here.
std::uint64_t fib(unsigned n) {
    if (n < 2) {
        return n;
    }
    std::uint64_t x; // both are set by the branches
    std::uint64_t y;
    tbb::parallel_invoke([&] { x = fib(n - 1); }, [&] { y = fib(n - 2); });
    return x + y;
}

// Of the sequence that begins with these two numbers.
std::uint64_t fib_values(unsigned n, std::uint64_t zeroth, std::uint64_t first) {
    if (n < 2) {
        return n == 0 ? zeroth : first;
    }
    std::uint64_t x; // both are set by the branches
    std::uint64_t y;
    tbb::parallel_invoke([=, &x] { x = fib_values(n - 1, zeroth, first); },
                         [=, &y] { y = fib_values(n - 2, zeroth, first); });
    return x + y;
}

total fib_object(unsigned n) {
    if (n < 2) {
        return total(n);
    }
    total x(0);
    total y(0);
    tbb::parallel_invoke([&] { x = fib_object(n - 1); }, [&] { y = fib_object(n - 2); });
    return total(x.value() + y.value());
}

std::uint64_t fib_group(unsigned n) {
    if (n < 2) {
        return n;
    }
    std::uint64_t x = 0; // in case that the group was cancelled
    tbb::task_group group;
    group.run([&] { x = fib_group(n - 1); });
    const std::uint64_t y = fib_group(n - 2);
    group.wait();
    return x + y;
}

std::uint64_t fib_throwing(unsigned n) {
    if (n > last_that_fits) {
        throw std::overflow_error("a Fibonacci number");
    }
    if (n < 2) {
        return n;
    }
    std::uint64_t x; // both are set by the branches
    std::uint64_t y;
    tbb::parallel_invoke([&] { x = fib_throwing(n - 1); }, [&] { y = fib_throwing(n - 2); });
    return x + y;
}

} // namespace

std::uint64_t plain(unsigned n) { return fib(n); }
std::uint64_t captured(unsigned n) { return fib(n); }
std::uint64_t reference(unsigned n) { return fib(n); }
std::uint64_t values(unsigned n) { return fib_values(n, 0, 1); }
std::uint64_t object(unsigned n) { return fib_object(n).value(); }
std::uint64_t group(unsigned n) { return fib_group(n); }
std::uint64_t throwing(unsigned n) { return fib_throwing(n); }
std::uint64_t initialised(unsigned n) { return fib(n); }

} // namespace bench::fib
