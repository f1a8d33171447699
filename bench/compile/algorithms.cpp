// SPDX-License-Identifier: Apache-2.0

// Ten loops, three reductions and a sort, as algorithms_tbb.cpp has them.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <skerry/algorithm.hpp>

using reals = std::vector<double>;
using numbers = std::vector<std::uint32_t>;

void fill(reals& a) {
    skerry::parallel_for(std::size_t{0}, a.size(), [&](std::size_t i) { a[i] = static_cast<double>(i); });
}

void scale(reals& a, double by) {
    skerry::parallel_for(std::size_t{0}, a.size(), [&a, by](std::size_t i) { a[i] *= by; });
}

void add(const reals& a, const reals& b, reals& sum) {
    skerry::parallel_for(std::size_t{0}, a.size(), [&](std::size_t i) { sum[i] = a[i] + b[i]; });
}

void add_scaled(double by, const reals& a, reals& sum) {
    skerry::parallel_for(std::size_t{0}, a.size(), [&, by](std::size_t i) { sum[i] += by * a[i]; });
}

void take_roots(reals& a) {
    skerry::parallel_for(std::size_t{0}, a.size(), [&](std::size_t i) { a[i] = std::sqrt(a[i]); });
}

void blur(const reals& a, reals& out) {
    skerry::parallel_for(std::size_t{1}, a.size() - 1,
                         [&](std::size_t i) { out[i] = (a[i - 1] + a[i] + a[i + 1]) / 3; });
}

void gather(const reals& a, const numbers& places, reals& out) {
    skerry::parallel_for(std::size_t{0}, places.size(), [&](std::size_t i) { out[i] = a[places[i]]; });
}

void clamp(reals& a, double low, double high) {
    skerry::parallel_for(std::size_t{0}, a.size(), [&a, low, high](std::size_t i) {
        if (a[i] < low) {
            a[i] = low;
        } else if (a[i] > high) {
            a[i] = high;
        }
    });
}

void multiply(const reals& matrix, const reals& x, reals& y) {
    skerry::parallel_for(std::size_t{0}, y.size(), [&](std::size_t i) {
        double sum = 0;
        for (std::size_t k = 0; k != x.size(); ++k) {
            sum += matrix[i * x.size() + k] * x[k];
        }
        y[i] = sum;
    });
}

void find_positive(const reals& a, std::vector<unsigned char>& found) {
    skerry::parallel_for(std::size_t{0}, a.size(), [&](std::size_t i) { found[i] = a[i] > 0; });
}

double sum_of(const reals& a) { return skerry::parallel_reduce(a, 0.0); }

double largest_of(const reals& a) {
    return skerry::parallel_reduce(a, a[0], [](double x, double y) { return x < y ? y : x; });
}

std::size_t count_positive(const reals& a) {
    return skerry::parallel_transform_reduce(a, std::size_t{0}, std::plus<>(),
                                             [](double x) { return std::size_t{x > 0}; });
}

void sort(numbers& a) { skerry::parallel_sort(a); }
