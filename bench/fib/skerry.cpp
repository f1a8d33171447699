// SPDX-License-Identifier: Apache-2.0
#include "fib/fib.hpp"

#include <stdexcept>

#include <skerry/finish.hpp>
#include <skerry/forkjoin.hpp>
#include <skerry/task_group.hpp>

namespace bench::fib {
namespace {

std::uint64_t fib(unsigned n) {
    if (n < 2) {
        return n;
    }
    const auto [x, y] = skerry::parallel_invoke([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
    return x + y;
}

std::uint64_t fib_captured(unsigned n) {
    if (n < 2) {
        return n;
    }
    const auto [x, y] =
        skerry::parallel_invoke([&] { return fib_captured(n - 1); }, [&] { return fib_captured(n - 2); });
    return x + y;
}

std::uint64_t fib_reference(unsigned n) {
    if (n < 2) {
        return n;
    }
    std::uint64_t x; // both are set by the branches
    std::uint64_t y;
    skerry::parallel_invoke([&] { x = fib_reference(n - 1); }, [&] { y = fib_reference(n - 2); });
    return x + y;
}

// Of the sequence that begins with these two numbers.
std::uint64_t fib_values(unsigned n, std::uint64_t zeroth, std::uint64_t first) {
    if (n < 2) {
        return n == 0 ? zeroth : first;
    }
    const auto [x, y] = skerry::parallel_invoke([=] { return fib_values(n - 1, zeroth, first); },
                                                [=] { return fib_values(n - 2, zeroth, first); });
    return x + y;
}

total fib_object(unsigned n) {
    if (n < 2) {
        return total(n);
    }
    const auto [x, y] = skerry::parallel_invoke([n] { return fib_object(n - 1); }, [n] { return fib_object(n - 2); });
    return total(x.value() + y.value());
}

std::uint64_t fib_group(unsigned n) {
    if (n < 2) {
        return n;
    }
    std::uint64_t x = 0; // in case that the group was cancelled
    skerry::task_group group;
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
    const auto [x, y] =
        skerry::parallel_invoke([n] { return fib_throwing(n - 1); }, [n] { return fib_throwing(n - 2); });
    return x + y;
}

long fib_initialised(int n) {
    if (n < 2) {
        return n;
    }
    long x = 0;
    long y = 0;
    skerry::parallel_invoke([&] { x = fib_initialised(n - 1); }, [&] { y = fib_initialised(n - 2); });
    return x + y;
}

} // namespace

std::uint64_t plain(unsigned n) { return fib(n); }
std::uint64_t captured(unsigned n) { return fib_captured(n); }
std::uint64_t reference(unsigned n) { return fib_reference(n); }
std::uint64_t values(unsigned n) { return fib_values(n, 0, 1); }
std::uint64_t object(unsigned n) { return fib_object(n).value(); }
// In a finish, so that the caller has a slot: a group outside of any has a second thread started for its tasks.
std::uint64_t group(unsigned n) {
    return skerry::finish([n](skerry::scope& /*unused*/) { return fib_group(n); });
}
std::uint64_t throwing(unsigned n) { return fib_throwing(n); }
std::uint64_t initialised(unsigned n) { return static_cast<std::uint64_t>(fib_initialised(static_cast<int>(n))); }

} // namespace bench::fib
