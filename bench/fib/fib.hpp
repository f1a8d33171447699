// SPDX-License-Identifier: Apache-2.0
// Fibonacci numbers by the plain recursion, a fork at every inner node and no cut-off: what a fork costs. Each peer
// writes it in several forms, each the way its users would.
#pragma once

#include <cstdint>

namespace bench::fib {

/// A result that is an object: its copies and its end are calls the compiler may not skip over as it does for a number.
class total {
  public:
    explicit total(std::uint64_t value) : value_(value) {}
    total(const total& other) : value_(other.value_) {}
    total& operator=(const total& other) {
        value_ = other.value_;
        return *this;
    }
    ~total() { value_ = 0; }

    std::uint64_t value() const { return value_; }

  private:
    std::uint64_t value_;
};

std::uint64_t plain(unsigned n);     // branches capture n and return numbers
std::uint64_t captured(unsigned n);  // branches capture n by reference and return numbers
std::uint64_t reference(unsigned n); // branches capture everything by reference and store their results themselves
std::uint64_t values(unsigned n);    // branches capture three numbers and return one
std::uint64_t object(unsigned n);    // branches return an object of class type
std::uint64_t group(unsigned n);    // a group of tasks for each fork, with one task, beside which the other branch runs
std::uint64_t throwing(unsigned n); // as plain, and each call looks whether its result fits, and else throws
std::uint64_t initialised(unsigned n); // as reference, with an int, longs and the zeros that one writes at first

/// Of the last number that fits into 64 bits.
inline constexpr unsigned last_that_fits = 93;

} // namespace bench::fib
