// SPDX-License-Identifier: Apache-2.0
// Each checker accepts a right result and rejects the damage that a lost, doubled or misplaced task would do.
#include "cilk5/checks.hpp"
#include "cilk5/leaves.hpp"
#include "support/digest.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include <gmock/gmock.h>

namespace {

namespace checks = apps::checks;
using testing::HasSubstr;

void expect_rejected(const apps::verdict& v, const char* reason) {
    EXPECT_FALSE(v.ok);
    EXPECT_THAT(v.text, HasSubstr(reason));
}

TEST(check_sorted, accepts_and_rejects) {
    using keys = std::vector<std::uint32_t>;
    const keys input{3, 1, 2, 2};
    EXPECT_TRUE(checks::sorted(input, keys{1, 2, 2, 3}).ok);
    expect_rejected(checks::sorted(input, keys{1, 2, 3, 2}), "element 3 is less");
    expect_rejected(checks::sorted(input, keys{1, 1, 2, 3}), "not the elements");
    expect_rejected(checks::sorted(input, keys{1, 2, 3}), "3 elements came out of 4");
    EXPECT_TRUE(checks::sorted(keys{}, keys{}).ok);
}

class check_lu : public testing::Test {
  protected:
    // One block: its storage is plain row-major.
    static constexpr std::size_t n = apps::leaves::block_side;

    check_lu() : a_(n * n) {
        for (std::size_t i = 0; i < a_.size(); ++i) {
            a_[i] = apps::random_real_at(1, i);
        }
        for (std::size_t i = 0; i < n; ++i) {
            a_[i * n + i] = 20.0;
        }
        lu_ = a_;
        for (std::size_t k = 0; k < n; ++k) {
            for (std::size_t i = k + 1; i < n; ++i) {
                lu_[i * n + k] /= lu_[k * n + k];
                for (std::size_t j = k + 1; j < n; ++j) {
                    lu_[i * n + j] -= lu_[i * n + k] * lu_[k * n + j];
                }
            }
        }
    }

    std::vector<double> a_;
    std::vector<double> lu_;
};

TEST_F(check_lu, accepts_the_factors) { EXPECT_TRUE(checks::lu(a_, lu_, n).ok); }

TEST_F(check_lu, rejects_an_untouched_matrix) { expect_rejected(checks::lu(a_, a_, n), "L U is wrong"); }

TEST_F(check_lu, rejects_each_wrong_element) {
    for (double& element : lu_) {
        const double right = element;
        element += 1e-9;
        EXPECT_FALSE(checks::lu(a_, lu_, n).ok);
        element = std::numeric_limits<double>::quiet_NaN();
        EXPECT_FALSE(checks::lu(a_, lu_, n).ok);
        element = right;
    }
}

TEST(check_product, accepts_and_rejects) {
    constexpr std::size_t n = 20;
    constexpr std::size_t stride = 23;
    std::vector<double> a(n * stride);
    std::vector<double> b(n * stride);
    std::vector<double> c(n * stride);
    for (std::size_t i = 0; i < a.size(); ++i) {
        a[i] = apps::random_real_at(1, i);
        b[i] = apps::random_real_at(2, i);
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            for (std::size_t k = 0; k < n; ++k) {
                c[i * stride + j] += a[i * stride + k] * b[k * stride + j];
            }
        }
    }
    ASSERT_TRUE(checks::product(a, b, c, n, stride).ok);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            double& element = c[i * stride + j];
            const double right = element;
            for (const double wrong : {right + 1e-9, 0.0, std::numeric_limits<double>::quiet_NaN()}) {
                element = wrong;
                EXPECT_FALSE(checks::product(a, b, c, n, stride).ok) << i << ", " << j << " is " << wrong;
            }
            element = right;
        }
    }
}

TEST(check_transposed, accepts_and_rejects) {
    constexpr std::size_t n = 9;
    std::vector<float> result(n * n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            result[j * n + i] = checks::transpose_element(1, n, i, j);
        }
    }
    ASSERT_TRUE(checks::transposed(result, 1, n).ok);
    for (float& element : result) {
        const float right = element;
        element = -1.0F;
        EXPECT_FALSE(checks::transposed(result, 1, n).ok);
        element = right;
    }
    std::swap(result[1], result[n]);
    expect_rejected(checks::transposed(result, 1, n), "element (0, 1) is wrong");
}

TEST(check_queens, knows_the_counts) {
    EXPECT_TRUE(checks::queens(8, 92).ok);
    EXPECT_TRUE(checks::queens(12, 14200).ok);
    EXPECT_TRUE(checks::queens(13, 73712).ok);
    expect_rejected(checks::queens(8, 91), "92 are known");
    EXPECT_EQ(checks::known_queens(99), 0U);
}

TEST(digest, tells_sequences_apart_and_multisets_alike) {
    const std::array<std::uint32_t, 3> ascending{1, 2, 3};
    const std::array<std::uint32_t, 3> descending{3, 2, 1};
    const std::array<std::uint32_t, 3> doubled{1, 1, 3};
    const std::span<const std::uint32_t> up(ascending);
    const std::span<const std::uint32_t> down(descending);
    const std::span<const std::uint32_t> twice(doubled);
    EXPECT_NE(apps::digest_of(up), apps::digest_of(down));
    EXPECT_NE(apps::digest_of(up), apps::digest_of(up.first(2)));
    EXPECT_EQ(apps::multiset_digest_of(up), apps::multiset_digest_of(down));
    EXPECT_NE(apps::multiset_digest_of(up), apps::multiset_digest_of(twice));
}

} // namespace
