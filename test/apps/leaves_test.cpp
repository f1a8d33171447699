// SPDX-License-Identifier: Apache-2.0
#include "cilk5/leaves.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace {

namespace leaves = apps::leaves;
using keys = std::vector<leaves::key>;

keys random_keys(std::size_t size, std::uint64_t seed, leaves::key below) {
    keys result(size);
    for (std::size_t i = 0; i < size; ++i) {
        result[i] = static_cast<leaves::key>(apps::random_at(seed, i) % below);
    }
    return result;
}

std::vector<double> random_reals(std::size_t size, std::uint64_t seed) {
    std::vector<double> result(size);
    for (std::size_t i = 0; i < size; ++i) {
        result[i] = apps::random_real_at(seed, i);
    }
    return result;
}

// Few distinct keys make equal ones meet at every step of the merge from both ends.
TEST(leaf_merge, equals_std_merge_for_runs_of_all_small_sizes) {
    for (const leaves::key below : {2U, 40U, 4'000'000'000U}) {
        for (std::size_t a_size = 0; a_size < 40; ++a_size) {
            for (std::size_t b_size = 0; b_size < 40; ++b_size) {
                keys a = random_keys(a_size, 1, below);
                keys b = random_keys(b_size, 2, below);
                std::sort(a.begin(), a.end());
                std::sort(b.begin(), b.end());
                keys expected(a_size + b_size);
                std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin());
                keys merged(a_size + b_size);
                leaves::merge(a.data(), a_size, b.data(), b_size, merged.data());
                ASSERT_EQ(merged, expected) << a_size << " and " << b_size << " keys below " << below;
            }
        }
    }
}

TEST(leaf_merge, takes_one_run_wholly_before_the_other) {
    const keys low{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    const keys high{11, 12, 13, 14, 15, 16, 17, 18, 19, 20};
    keys expected = low;
    expected.insert(expected.end(), high.begin(), high.end());
    keys merged(20);
    leaves::merge(low.data(), 10, high.data(), 10, merged.data());
    EXPECT_EQ(merged, expected);
    leaves::merge(high.data(), 10, low.data(), 10, merged.data());
    EXPECT_EQ(merged, expected);
}

TEST(leaf_sort, equals_std_sort_for_all_small_sizes) {
    for (const leaves::key below : {1U, 3U, 4'000'000'000U}) {
        for (std::size_t size = 0; size < 300; ++size) {
            keys sorted = random_keys(size, size, below);
            keys expected = sorted;
            std::sort(expected.begin(), expected.end());
            keys scratch(size);
            leaves::sort(sorted.data(), scratch.data(), size);
            ASSERT_EQ(sorted, expected) << size << " keys below " << below;
        }
    }
}

TEST(leaf_multiply, equals_the_definition_for_every_remainder_of_the_tile) {
    constexpr std::size_t stride = 24;
    const auto a = random_reals(stride * stride, 1);
    const auto b = random_reals(stride * stride, 2);
    const auto start = random_reals(stride * stride, 3);
    for (std::size_t rows = 1; rows < 10; ++rows) {
        for (std::size_t columns = 1; columns < 20; ++columns) {
            const std::size_t depth = 1 + (rows + columns) % 7;
            auto c = start;
            leaves::multiply_add({c.data(), stride}, {a.data(), stride}, {b.data(), stride}, rows, columns, depth);
            for (std::size_t i = 0; i < stride; ++i) {
                for (std::size_t j = 0; j < stride; ++j) {
                    double expected = start[i * stride + j];
                    for (std::size_t k = 0; i < rows && j < columns && k < depth; ++k) {
                        expected += a[i * stride + k] * b[k * stride + j];
                    }
                    ASSERT_NEAR(c[i * stride + j], expected, 1e-12)
                        << rows << " x " << columns << " x " << depth << " at " << i << ", " << j;
                }
            }
        }
    }
}

using block = std::vector<double>;
constexpr std::size_t side = leaves::block_side;

block product(const block& a, const block& b) {
    block c(leaves::block_size);
    for (std::size_t i = 0; i < side; ++i) {
        for (std::size_t j = 0; j < side; ++j) {
            for (std::size_t k = 0; k < side; ++k) {
                c[i * side + j] += a[i * side + k] * b[k * side + j];
            }
        }
    }
    return c;
}

block random_dominant_block(std::uint64_t seed) {
    block m = random_reals(leaves::block_size, seed);
    for (std::size_t i = 0; i < side; ++i) {
        m[i * side + i] = 20.0;
    }
    return m;
}

struct factors {
    block lower;
    block upper;
};

factors split(const block& lu) {
    factors f{block(leaves::block_size), block(leaves::block_size)};
    for (std::size_t i = 0; i < side; ++i) {
        for (std::size_t j = 0; j < side; ++j) {
            (i > j ? f.lower : f.upper)[i * side + j] = lu[i * side + j];
        }
        f.lower[i * side + i] = 1.0;
    }
    return f;
}

void expect_near(const block& actual, const block& expected) {
    for (std::size_t i = 0; i < leaves::block_size; ++i) {
        ASSERT_NEAR(actual[i], expected[i], 1e-11) << "element " << i;
    }
}

TEST(leaf_lu, factors_multiply_to_the_block) {
    const block a = random_dominant_block(1);
    block lu = a;
    leaves::block_lu(lu.data());
    const factors f = split(lu);
    expect_near(product(f.lower, f.upper), a);
}

TEST(leaf_lu, solves_undo_the_products) {
    block lu = random_dominant_block(1);
    leaves::block_lu(lu.data());
    const factors f = split(lu);
    const block m = random_reals(leaves::block_size, 2);
    block lower_solved = m;
    leaves::block_lower_solve(lower_solved.data(), lu.data());
    expect_near(product(f.lower, lower_solved), m);
    block upper_solved = m;
    leaves::block_upper_solve(upper_solved.data(), lu.data());
    expect_near(product(upper_solved, f.upper), m);
}

TEST(leaf_lu, schur_subtracts_the_product) {
    const block left = random_reals(leaves::block_size, 1);
    const block up = random_reals(leaves::block_size, 2);
    block expected = random_reals(leaves::block_size, 3);
    block m = expected;
    const block p = product(left, up);
    for (std::size_t i = 0; i < leaves::block_size; ++i) {
        expected[i] -= p[i];
    }
    leaves::block_schur(m.data(), left.data(), up.data());
    expect_near(m, expected);
}

TEST(leaf_transpose, moves_every_element_and_no_other) {
    constexpr std::size_t stride = 50;
    std::vector<float> from(stride * stride);
    for (std::size_t i = 0; i < from.size(); ++i) {
        from[i] = static_cast<float>(i + 1);
    }
    for (const std::size_t rows : {1U, 15U, 16U, 17U, 32U, 49U}) {
        for (const std::size_t columns : {1U, 4U, 16U, 31U, 48U}) {
            std::vector<float> to(stride * stride, 0.0F);
            leaves::transpose(from.data(), stride, to.data(), stride, rows, columns);
            for (std::size_t j = 0; j < stride; ++j) {
                for (std::size_t i = 0; i < stride; ++i) {
                    const float expected = i < rows && j < columns ? from[i * stride + j] : 0.0F;
                    ASSERT_EQ(to[j * stride + i], expected) << rows << " x " << columns << " at " << i << ", " << j;
                }
            }
        }
    }
}

// Placement by placement, from the rule of the game.
std::uint64_t queens_by_definition(std::size_t n, std::vector<std::size_t>& placed) {
    if (placed.size() == n) {
        return 1;
    }
    std::uint64_t count = 0;
    const std::size_t row = placed.size();
    for (std::size_t column = 0; column < n; ++column) {
        bool attacked = false;
        for (std::size_t above = 0; above < row; ++above) {
            const std::size_t apart = row - above;
            attacked = attacked || placed[above] == column || placed[above] + apart == column ||
                       column + apart == placed[above];
        }
        if (!attacked) {
            placed.push_back(column);
            count += queens_by_definition(n, placed);
            placed.pop_back();
        }
    }
    return count;
}

TEST(leaf_queens, counts_as_the_definition_does) {
    for (unsigned n = 1; n <= 8; ++n) {
        std::vector<std::size_t> placed;
        EXPECT_EQ(leaves::queens((1U << n) - 1U, 0, 0, 0), queens_by_definition(n, placed)) << n;
    }
}

} // namespace
