// SPDX-License-Identifier: Apache-2.0

// Ten loops, three reductions and a sort, as algorithms.cpp has them.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_sort.h>

using reals = std::vector<double>;
using numbers = std::vector<std::uint32_t>;

void fill(reals& a) {
    tbb::parallel_for(std::size_t{0}, a.size(), [&](std::size_t i) { a[i] = static_cast<double>(i); });
}

void scale(reals& a, double by) {
    tbb::parallel_for(std::size_t{0}, a.size(), [&a, by](std::size_t i) { a[i] *= by; });
}

void add(const reals& a, const reals& b, reals& sum) {
    tbb::parallel_for(std::size_t{0}, a.size(), [&](std::size_t i) { sum[i] = a[i] + b[i]; });
}

void add_scaled(double by, const reals& a, reals& sum) {
    tbb::parallel_for(std::size_t{0}, a.size(), [&, by](std::size_t i) { sum[i] += by * a[i]; });
}

void take_roots(reals& a) {
    tbb::parallel_for(std::size_t{0}, a.size(), [&](std::size_t i) { a[i] = std::sqrt(a[i]); });
}

void blur(const reals& a, reals& out) {
    tbb::parallel_for(std::size_t{1}, a.size() - 1, [&](std::size_t i) { out[i] = (a[i - 1] + a[i] + a[i + 1]) / 3; });
}

void gather(const reals& a, const numbers& places, reals& out) {
    tbb::parallel_for(std::size_t{0}, places.size(), [&](std::size_t i) { out[i] = a[places[i]]; });
}

void clamp(reals& a, double low, double high) {
    tbb::parallel_for(std::size_t{0}, a.size(), [&a, low, high](std::size_t i) {
        if (a[i] < low) {
            a[i] = low;
        } else if (a[i] > high) {
            a[i] = high;
        }
    });
}

void multiply(const reals& matrix, const reals& x, reals& y) {
    tbb::parallel_for(std::size_t{0}, y.size(), [&](std::size_t i) {
        double sum = 0;
        for (std::size_t k = 0; k != x.size(); ++k) {
            sum += matrix[i * x.size() + k] * x[k];
        }
        y[i] = sum;
    });
}

void find_positive(const reals& a, std::vector<unsigned char>& found) {
    tbb::parallel_for(std::size_t{0}, a.size(), [&](std::size_t i) { found[i] = a[i] > 0; });
}

using range = tbb::blocked_range<std::size_t>;

double sum_of(const reals& a) {
    const auto add_all = [&](const range& r, double sum) {
        for (std::size_t i = r.begin(); i != r.end(); ++i) {
            sum += a[i];
        }
        return sum;
    };
    return tbb::parallel_reduce(range(0, a.size()), 0.0, add_all, std::plus<>());
}

double largest_of(const reals& a) {
    const auto larger = [](double x, double y) { return x < y ? y : x; };
    const auto largest = [&](const range& r, double so_far) {
        for (std::size_t i = r.begin(); i != r.end(); ++i) {
            so_far = larger(so_far, a[i]);
        }
        return so_far;
    };
    return tbb::parallel_reduce(range(0, a.size()), a[0], largest, larger);
}

std::size_t count_positive(const reals& a) {
    const auto count = [&](const range& r, std::size_t found) {
        for (std::size_t i = r.begin(); i != r.end(); ++i) {
            found += a[i] > 0;
        }
        return found;
    };
    return tbb::parallel_reduce(range(0, a.size()), std::size_t{0}, count, std::plus<>());
}

void sort(numbers& a) { tbb::parallel_sort(a.begin(), a.end()); }
