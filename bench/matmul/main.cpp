// SPDX-License-Identifier: Apache-2.0
#include "harness/harness.hpp"
#include "matmul/matmul.hpp"

#include <string>
#include <vector>

namespace {

using namespace bench;
using matmul::element;

/// Matrices of n rows whose product is known: a(i, k) = i + k, b(k, j) = k - j, modulo 2^32.
class problem {
  public:
    explicit problem(std::size_t n) : n_(n), a_(n * n), b_(n * n), c_(n * n) {
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                a_[i * n + j] = static_cast<element>(i + j);
                b_[i * n + j] = static_cast<element>(i - j);
            }
        }
    }

    seconds solve() {
        return time([&] { matmul::multiply({a_.data(), n_}, {b_.data(), n_}, {c_.data(), n_}, n_); });
    }

    /// The sum over k of (i + k) * (k - j), for every i and j.
    bool solved() const {
        const std::size_t ones = n_;
        const std::size_t numbers = n_ * (n_ - 1) / 2;
        const std::size_t squares = (n_ - 1) * n_ * (2 * n_ - 1) / 6;
        for (std::size_t i = 0; i < n_; ++i) {
            for (std::size_t j = 0; j < n_; ++j) {
                if (c_[i * n_ + j] != static_cast<element>(squares + (i - j) * numbers - i * j * ones)) {
                    return false;
                }
            }
        }
        return true;
    }

  private:
    std::size_t n_;
    std::vector<element> a_;
    std::vector<element> b_;
    std::vector<element> c_;
};

result measure(const settings& how) {
    result got{"ms", {}, {}};
    got.samples = repeated(how, 512, [&](std::uint64_t rows) {
        problem matrices(rows);
        const seconds passed = matrices.solve();
        if (!matrices.solved()) {
            got.wrong = "an element of the product";
        }
        return passed.count() * 1e3;
    });
    return got;
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, {"matmul", {"quadrants"}, 2048, measure}); }
