// SPDX-License-Identifier: Apache-2.0
// The leaves against plain loops, bit by bit: the same operations in the same order, whatever the vectors' length and
// the way through the matrix.
#include "digits/kernel.hpp"
#include "digits/leaves.hpp"
#include "support/random.hpp"

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>

namespace {

namespace digits = apps::digits;

/// Column by column, with room between the columns.
struct matrix {
    matrix(std::size_t r, std::size_t c, std::uint64_t seed) : rows(r), columns(c), stride(r + 3), data(stride * c) {
        for (std::size_t i = 0; i < data.size(); ++i) data[i] = apps::random_real_at(seed, i);
    }

    double& operator()(std::size_t i, std::size_t j) { return data[j * stride + i]; }
    double operator()(std::size_t i, std::size_t j) const { return data[j * stride + i]; }
    std::ptrdiff_t step() const { return static_cast<std::ptrdiff_t>(stride); }
    digits::block block() { return {data.data(), step()}; }

    std::size_t rows;
    std::size_t columns;
    std::size_t stride;
    std::vector<double> data;
};

matrix lower(std::size_t n, std::uint64_t seed) {
    matrix l(n, n, seed);
    for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t i = 0; i < j; ++i) l(i, j) = std::nan("");
        l(j, j) = 3.0 + std::abs(l(j, j));
    }
    return l;
}

matrix positive_definite(std::size_t n, std::uint64_t seed) {
    matrix a(n, n, seed);
    for (std::size_t j = 0; j < n; ++j) a(j, j) = static_cast<double>(n) + 1.0;
    return a;
}

TEST(subtract_product, equals_the_plain_loops) {
    for (std::size_t rows = 4; rows <= 28; rows += 4) {
        for (std::size_t columns = 4; columns <= 28; columns += 4) {
            for (const std::size_t depth : {0U, 1U, 7U, 24U}) {
                const matrix a(rows, depth, 1);
                const matrix b(columns, depth, 2);
                matrix c(rows, columns, 3);
                matrix expected = c;
                for (std::size_t i = 0; i < rows; ++i) {
                    for (std::size_t j = 0; j < columns; ++j) {
                        for (std::size_t k = 0; k < depth; ++k) expected(i, j) -= b(j, k) * a(i, k);
                    }
                }
                digits::subtract_product(c.block(), a.data.data(), a.step(), {b.data.data(), 1, b.step()}, rows,
                                         columns, depth);
                ASSERT_EQ(c.data, expected.data) << rows << " x " << columns << " x " << depth;
            }
        }
    }
}

TEST(subtract_product, goes_backwards_through_a_transposed_factor) {
    constexpr std::size_t rows = 12;
    constexpr std::size_t columns = 16;
    constexpr std::size_t depth = 20;
    const matrix a(rows, depth, 1);
    const matrix b(depth, columns, 2);
    matrix c(rows, columns, 3);
    matrix expected = c;
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < columns; ++j) {
            for (std::size_t k = depth; k-- != 0;) expected(i, j) -= b(k, j) * a(i, k);
        }
    }
    digits::subtract_product(c.block(), &a.data[(depth - 1) * a.stride], -a.step(), {&b.data[depth - 1], b.step(), -1},
                             rows, columns, depth);
    EXPECT_EQ(c.data, expected.data);
}

TEST(factor, equals_the_plain_loops_below_the_diagonal) {
    for (std::size_t n = 4; n <= 52; n += 4) {
        matrix a = positive_definite(n, n);
        matrix expected = a;
        for (std::size_t j = 0; j < n; ++j) {
            for (std::size_t i = j; i < n; ++i) {
                for (std::size_t k = 0; k < j; ++k) expected(i, j) -= expected(j, k) * expected(i, k);
            }
            expected(j, j) = std::sqrt(expected(j, j));
            for (std::size_t i = j + 1; i < n; ++i) expected(i, j) /= expected(j, j);
        }
        digits::factor(a.block(), n);
        for (std::size_t j = 0; j < n; ++j) {
            for (std::size_t i = j; i < n; ++i) ASSERT_EQ(a(i, j), expected(i, j)) << n << ": " << i << ", " << j;
        }
    }
}

TEST(factor, refuses_what_is_not_positive_definite) {
    for (const double wrong : {-1.0, 0.0, std::nan("")}) {
        matrix a = positive_definite(24, 1);
        a(17, 17) = wrong;
        EXPECT_THAT([&] { digits::factor(a.block(), 24); },
                    testing::ThrowsMessage<std::domain_error>("the matrix is not positive definite"));
    }
}

TEST(solve_transposed, equals_the_plain_loops) {
    for (std::size_t n = 4; n <= 40; n += 4) {
        for (std::size_t rows = 4; rows <= 20; rows += 4) {
            const matrix l = lower(n, 1);
            matrix x(rows, n, 2);
            matrix expected = x;
            for (std::size_t i = 0; i < rows; ++i) {
                for (std::size_t j = 0; j < n; ++j) {
                    for (std::size_t k = 0; k < j; ++k) expected(i, j) -= l(j, k) * expected(i, k);
                    expected(i, j) /= l(j, j);
                }
            }
            digits::solve_transposed(x.block(), l.data.data(), l.step(), rows, n);
            ASSERT_EQ(x.data, expected.data) << rows << " x " << n;
        }
    }
}

TEST(solve_plain, equals_the_plain_loops) {
    for (std::size_t n = 4; n <= 40; n += 4) {
        for (std::size_t rows = 4; rows <= 20; rows += 4) {
            const matrix l = lower(n, 1);
            matrix x(rows, n, 2);
            matrix expected = x;
            for (std::size_t i = 0; i < rows; ++i) {
                for (std::size_t j = n; j-- != 0;) {
                    for (std::size_t k = n; --k != j;) expected(i, j) -= l(k, j) * expected(i, k);
                    expected(i, j) /= l(j, j);
                }
            }
            digits::solve_plain(x.block(), l.data.data(), l.step(), rows, n);
            ASSERT_EQ(x.data, expected.data) << rows << " x " << n;
        }
    }
}

digits::image random_image(std::uint64_t seed) {
    digits::image result{};
    for (std::size_t i = 0; i < digits::pixel_count; ++i) {
        result.pixels[i] = static_cast<std::uint8_t>(apps::random_at(seed, i) % (digits::darkest + 1U));
    }
    return result;
}

TEST(likenesses, are_the_kernels_and_none_of_padding) {
    std::vector<digits::image> images;
    for (std::uint64_t i = 0; i < 20; ++i) images.push_back(random_image(i));
    images[7].label = digits::no_label;
    for (const digits::image& other : images) {
        std::vector<double> found(images.size(), -1.0);
        digits::likenesses(images, other, found.data());
        for (std::size_t i = 0; i < images.size(); ++i) {
            const bool padding = images[i].label == digits::no_label || other.label == digits::no_label;
            EXPECT_EQ(found[i], padding ? 0.0 : digits::likeness(digits::distance(images[i], other)));
        }
    }
}

} // namespace
