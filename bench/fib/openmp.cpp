// SPDX-License-Identifier: Apache-2.0
#include "fib/fib.hpp"

#include <stdexcept>

namespace bench::fib {
namespace {

// A task returns nothing, so it stores its result: plain, captured, reference and initialised are one
// program here.
std::uint64_t fib(unsigned n) {
    if (n < 2) {
        return n;
    }
    std::uint64_t x; // both are set before they are read
    std::uint64_t y;
#pragma omp task shared(x) firstprivate(n)
    x = fib(n - 1);
    y = fib(n - 2);
#pragma omp taskwait
    return x + y;
}

// Of the sequence that begins with these two numbers.
std::uint64_t fib_values(unsigned n, std::uint64_t zeroth, std::uint64_t first) {
    if (n < 2) {
        return n == 0 ? zeroth : first;
    }
    std::uint64_t x; // both are set before they are read
    std::uint64_t y;
#pragma omp task shared(x) firstprivate(n, zeroth, first)
    x = fib_values(n - 1, zeroth, first);
    y = fib_values(n - 2, zeroth, first);
#pragma omp taskwait
    return x + y;
}

total fib_object(unsigned n) {
    if (n < 2) {
        return total(n);
    }
    total x(0);
#pragma omp task shared(x) firstprivate(n)
    x = fib_object(n - 1);
    const total y = fib_object(n - 2);
#pragma omp taskwait
    return total(x.value() + y.value());
}

std::uint64_t fib_group(unsigned n) {
    if (n < 2) {
        return n;
    }
    std::uint64_t x; // both are set before they are read
    std::uint64_t y;
#pragma omp taskgroup
    {
#pragma omp task shared(x) firstprivate(n)
        x = fib_group(n - 1);
        y = fib_group(n - 2);
    }
    return x + y;
}

std::uint64_t fib_throwing(unsigned n) {
    if (n > last_that_fits) {
        throw std::overflow_error("a Fibonacci number");
    }
    if (n < 2) {
        return n;
    }
    std::uint64_t x; // both are set before they are read
    std::uint64_t y;
#pragma omp task shared(x) firstprivate(n)
    x = fib_throwing(n - 1);
    y = fib_throwing(n - 2);
#pragma omp taskwait
    return x + y;
}

// One thread begins, and the others of the team help.
template <class Compute>
std::uint64_t in_team(const Compute& compute) {
    std::uint64_t sum = 0;
#pragma omp parallel
#pragma omp single
    sum = compute();
    return sum;
}

} // namespace

std::uint64_t plain(unsigned n) {
    return in_team([n] { return fib(n); });
}
std::uint64_t captured(unsigned n) { return plain(n); }
std::uint64_t reference(unsigned n) { return plain(n); }
std::uint64_t values(unsigned n) {
    return in_team([n] { return fib_values(n, 0, 1); });
}
std::uint64_t object(unsigned n) {
    return in_team([n] { return fib_object(n).value(); });
}
std::uint64_t group(unsigned n) {
    return in_team([n] { return fib_group(n); });
}
std::uint64_t throwing(unsigned n) {
    return in_team([n] { return fib_throwing(n); });
}
std::uint64_t initialised(unsigned n) { return plain(n); }

} // namespace bench::fib
