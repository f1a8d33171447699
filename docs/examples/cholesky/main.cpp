// SPDX-License-Identifier: Apache-2.0

// Blocked Cholesky: A = L times its transpose. Each step on a block is a task that names the blocks it reads and
// writes, and Skerry finds which may run at the same time.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

#include <skerry/skerry.hpp>

constexpr std::size_t side = 64, blocks = 8;

struct block {
    double x[side][side] = {};
};

void factor(block& a) { // a becomes its own lower factor
    for (std::size_t j = 0; j < side; ++j) {
        for (std::size_t k = 0; k < j; ++k)
            for (std::size_t i = j; i < side; ++i) a.x[i][j] -= a.x[i][k] * a.x[j][k];
        const double root = std::sqrt(a.x[j][j]);
        for (std::size_t i = j; i < side; ++i) a.x[i][j] /= root;
        for (std::size_t i = 0; i < j; ++i) a.x[i][j] = 0;
    }
}
void solve(const block& l, block& a) { // a becomes a times the inverse of l's transpose
    for (std::size_t i = 0; i < side; ++i)
        for (std::size_t j = 0; j < side; ++j) {
            for (std::size_t k = 0; k < j; ++k) a.x[i][j] -= a.x[i][k] * l.x[j][k];
            a.x[i][j] /= l.x[j][j];
        }
}
void subtract(const block& left, const block& right, block& a) { // a -= left times right's transpose
    for (std::size_t i = 0; i < side; ++i)
        for (std::size_t j = 0; j < side; ++j)
            for (std::size_t k = 0; k < side; ++k) a.x[i][j] -= left.x[i][k] * right.x[j][k];
}

int main() {
    std::vector<block> a(blocks * blocks);
    const auto at = [&](std::size_t i, std::size_t j) -> block& { return a[i * blocks + j]; };
    // The matrix with min(i, j) + 1 at (i, j), whose lower factor is all ones.
    for (std::size_t i = 0; i < blocks * side; ++i)
        for (std::size_t j = 0; j <= i; ++j) at(i / side, j / side).x[i % side][j % side] = static_cast<double>(j + 1);
    for (std::size_t k = 0; k < blocks; ++k) {
        skerry::spawn(factor, skerry::inout(at(k, k)));
        for (std::size_t i = k + 1; i < blocks; ++i)
            skerry::spawn(solve, skerry::in(at(k, k)), skerry::inout(at(i, k)));
        for (std::size_t i = k + 1; i < blocks; ++i)
            for (std::size_t j = k + 1; j <= i; ++j)
                skerry::spawn(subtract, skerry::in(at(i, k)), skerry::in(at(j, k)), skerry::inout(at(i, j)));
    }
    skerry::taskwait();
    double worst = 0;
    for (std::size_t i = 0; i < blocks * side; ++i)
        for (std::size_t j = 0; j <= i; ++j)
            worst = std::fmax(worst, std::fabs(at(i / side, j / side).x[i % side][j % side] - 1));
    std::printf("a factor of %zu x %zu, wrong by %.1e at most\n", blocks * side, blocks * side, worst);
    return worst < 1e-9 ? 0 : 1;
}
