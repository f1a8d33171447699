// SPDX-License-Identifier: Apache-2.0

// What is compiled for each algorithm of a program: loop_code_test.py looks for what must not be in it. With CONTROL it
// is there.

#include <skerry/algorithm.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#ifdef CONTROL
#define GIVEN , skerry::grain::fixed(n)
#else
#define GIVEN
#endif

using reals = std::vector<double>;

void loop(reals& a, std::size_t n) {
    static_cast<void>(n);
    skerry::parallel_for(std::size_t{0}, a.size(), [&](std::size_t i) { a[i] += 1; } GIVEN);
}
void elements(reals& a, std::size_t n) {
    static_cast<void>(n);
    skerry::parallel_for_each(a, [](double& x) { x += 1; } GIVEN);
}
void transform(const reals& a, reals& b, std::size_t n) {
    static_cast<void>(n);
    skerry::parallel_transform(a, b.begin(), [](double x) { return x + 1; } GIVEN);
}
double sum(const reals& a, std::size_t n) {
    static_cast<void>(n);
    return skerry::parallel_reduce(a, 0.0, std::plus<>() GIVEN);
}
std::uint64_t count(const reals& a, std::size_t n) {
    static_cast<void>(n);
    return skerry::parallel_transform_reduce(a, std::uint64_t{0}, std::plus<>(),
                                             [](double x) { return std::uint64_t{x > 0}; } GIVEN);
}
