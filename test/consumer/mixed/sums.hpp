// SPDX-License-Identifier: Apache-2.0
#pragma once

// Inline functions that fork, in both sources of the program: the linker keeps one compiler's copy of each of them, and
// of what a thief runs. So compilers must agree on a task's layout, and on how to call what has one name.

#include <skerry/forkjoin.hpp>

namespace mixed {

class total {
  public:
    explicit total(long value) : value_(value) {}
    total(const total& other) : value_(other.value_) {}
    total& operator=(const total&) = delete;
    ~total() { value_ = 0; }

    long value() const { return value_; }

  private:
    long value_;
};

// Fibonacci numbers with branches of each shape: one word and a number, two words by reference, an object.
inline long by_value(unsigned n) {
    if (n < 2) {
        return n;
    }
    const auto [x, y] = skerry::parallel_invoke([n] { return by_value(n - 1); }, [n] { return by_value(n - 2); });
    return x + y;
}

inline long by_reference(unsigned n) {
    if (n < 2) {
        return n;
    }
    long x = 0;
    long y = 0;
    skerry::parallel_invoke([&] { x = by_reference(n - 1); }, [&] { y = by_reference(n - 2); });
    return x + y;
}

inline total by_object(unsigned n) {
    if (n < 2) {
        return total(n);
    }
    const auto [x, y] = skerry::parallel_invoke([n] { return by_object(n - 1); }, [n] { return by_object(n - 2); });
    return total(x.value() + y.value());
}

inline long sum(unsigned n) { return by_value(n) + by_reference(n) + by_object(n).value(); }

long sum_elsewhere(unsigned n);

} // namespace mixed
