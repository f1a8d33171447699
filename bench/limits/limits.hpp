// SPDX-License-Identifier: Apache-2.0
// What each step of a fork, and of a leaf of a loop, costs at least. No runtime is measured here: the same recursion,
// fib without inlining, does one step more from line to line, and the difference is what a runtime pays that takes the
// step.
#pragma once

#include "harness/harness.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace bench::limits {

/// A way to write fib(n).
struct step {
    const char* name;
    std::uint64_t (*fib)(unsigned n);
};

/// Prints one line of JSON: {"workload": "limits", "step", "unit", "value"}.
void print(const char* name, const char* unit, double value);

/// The least of several runs of f, which returns a duration.
double least_nanoseconds(unsigned runs, const std::function<seconds()>& f);

std::vector<step> fork_steps();            // forks.cpp
std::vector<step> owner_steps();           // owner.cpp
std::uint64_t fib_of_coroutines(unsigned); // coroutine.cpp
void measure_loops();                      // rows.cpp
void measure_operations();                 // operations.cpp

} // namespace bench::limits
