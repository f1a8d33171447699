// SPDX-License-Identifier: Apache-2.0
#include "cilk5/checks.hpp"

#include "cilk5/leaves.hpp"
#include "support/digest.hpp"
#include "support/random.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace apps::checks {

namespace {

constexpr int probes = 4;

// Vectors of +1 and -1: a wrong element shows in each of them, undiminished, unless two wrong ones cancel.
std::vector<double> random_signs(std::size_t n, int probe) {
    std::vector<double> x(n);
    for (std::size_t i = 0; i < n; ++i) {
        x[i] = (random_at(0x5eedU + static_cast<std::uint64_t>(probe), i) & 1U) != 0 ? 1.0 : -1.0;
    }
    return x;
}

// y := M x, and the sum of the magnitudes that went into each element, which scales the rounding to expect.
struct product_of {
    std::vector<double> value;
    std::vector<double> magnitude;
};

template <class Element>
product_of times(std::size_t n, Element&& element, const std::vector<double>& x, const std::vector<double>& magnitude) {
    product_of y{std::vector<double>(n), std::vector<double>(n)};
    for (std::size_t i = 0; i < n; ++i) {
        double sum = 0;
        double size = 0;
        for (std::size_t j = 0; j < n; ++j) {
            const double m = element(i, j);
            sum += m * x[j];
            size += std::abs(m) * magnitude[j];
        }
        y.value[i] = sum;
        y.magnitude[i] = size;
    }
    return y;
}

// A not-a-number anywhere must fail, hence the comparison's direction.
verdict compare(const product_of& expected, const product_of& actual, const char* what) {
    const auto n = static_cast<double>(expected.value.size());
    const double unit = std::numeric_limits<double>::epsilon() * n;
    for (std::size_t i = 0; i < expected.value.size(); ++i) {
        const double allowed = unit * (expected.magnitude[i] + actual.magnitude[i]);
        const double error = std::abs(expected.value[i] - actual.value[i]);
        if (!(error <= allowed)) {
            return {false, std::string(what) + " is wrong in row " + std::to_string(i) + ": off by " +
                               std::to_string(error) + ", rounding allows " + std::to_string(allowed)};
        }
    }
    return {true, {}};
}

std::size_t block_index(std::size_t n, std::size_t i, std::size_t j) {
    using namespace leaves;
    const std::size_t block = i / block_side * (n / block_side) + j / block_side;
    return block * block_size + i % block_side * block_side + j % block_side;
}

} // namespace

verdict sorted(std::span<const std::uint32_t> input, std::span<const std::uint32_t> result) {
    if (input.size() != result.size()) {
        return {false, std::to_string(result.size()) + " elements came out of " + std::to_string(input.size())};
    }
    for (std::size_t i = 1; i < result.size(); ++i) {
        if (result[i] < result[i - 1]) {
            return {false, "element " + std::to_string(i) + " is less than its predecessor"};
        }
    }
    if (multiset_digest_of(input) != multiset_digest_of(result)) {
        return {false, "ascending, but not the elements that went in"};
    }
    return {true, "ascending, same multiset"};
}

verdict lu(std::span<const double> a, std::span<const double> lu, std::size_t n) {
    const auto original = [&](std::size_t i, std::size_t j) { return a[block_index(n, i, j)]; };
    const auto lower = [&](std::size_t i, std::size_t j) {
        return i == j ? 1.0 : i > j ? lu[block_index(n, i, j)] : 0.0;
    };
    const auto upper = [&](std::size_t i, std::size_t j) { return i <= j ? lu[block_index(n, i, j)] : 0.0; };
    const std::vector<double> ones(n, 1.0);
    for (int probe = 0; probe < probes; ++probe) {
        const auto x = random_signs(n, probe);
        const auto expected = times(n, original, x, ones);
        const auto inner = times(n, upper, x, ones);
        const auto actual = times(n, lower, inner.value, inner.magnitude);
        if (verdict v = compare(expected, actual, "L U"); !v.ok) {
            return v;
        }
    }
    return {true, "(A - L U) x within rounding for " + std::to_string(probes) + " random x"};
}

verdict product(std::span<const double> a, std::span<const double> b, std::span<const double> c, std::size_t n,
                std::size_t stride) {
    const auto element = [stride](std::span<const double> m) {
        return [m, stride](std::size_t i, std::size_t j) { return m[i * stride + j]; };
    };
    const std::vector<double> ones(n, 1.0);
    for (int probe = 0; probe < probes; ++probe) {
        const auto x = random_signs(n, probe);
        const auto inner = times(n, element(b), x, ones);
        const auto expected = times(n, element(a), inner.value, inner.magnitude);
        const auto actual = times(n, element(c), x, ones);
        if (verdict v = compare(expected, actual, "the product"); !v.ok) {
            return v;
        }
    }
    return {true, "C x = A (B x) for " + std::to_string(probes) + " random x"};
}

float transpose_element(std::uint64_t seed, std::size_t n, std::size_t row, std::size_t column) {
    // 24 bits: a float holds each of them, so two neighbours are hardly ever equal.
    return static_cast<float>(random_at(seed, row * n + column) >> 40U);
}

verdict transposed(std::span<const float> result, std::uint64_t seed, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            if (result[i * n + j] != transpose_element(seed, n, j, i)) {
                return {false, "element (" + std::to_string(i) + ", " + std::to_string(j) + ") is wrong"};
            }
        }
    }
    return {true, "every element in its place"};
}

std::uint64_t known_queens(std::size_t n) {
    constexpr std::array<std::uint64_t, 19> counts{
        0, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512, 95815104, 666090624};
    return n < counts.size() ? counts[n] : 0;
}

verdict queens(std::size_t n, std::uint64_t count) {
    const std::uint64_t known = known_queens(n);
    if (count != known) {
        return {false, std::to_string(count) + " solutions found; " + std::to_string(known) + " are known"};
    }
    return {true, std::to_string(count) + " solutions, as known"};
}

} // namespace apps::checks
