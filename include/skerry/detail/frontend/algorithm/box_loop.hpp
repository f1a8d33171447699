// SPDX-License-Identifier: Apache-2.0
#pragma once

// Loops over boxes. A recursive schedule halves the longest side, so that pieces become cubes and neighbouring points
// stay together (cache-oblivious order); a chunked one cuts the row-major sequence of points into equal runs.

#include <skerry/detail/frontend/algorithm/indices.hpp>
#include <skerry/detail/frontend/algorithm/pieces.hpp>

namespace skerry::inline SKERRY_ABI::detail {

template <std::size_t N>
struct block {
    std::ptrdiff_t first[N];
    std::ptrdiff_t last[N];

    [[nodiscard]] constexpr std::uint64_t length(std::size_t d) const noexcept {
        return distance_between(first[d], last[d]);
    }

    // Points in the block. A product beyond 64 bits becomes the largest number.
    [[nodiscard]] constexpr std::uint64_t points() const noexcept {
        std::uint64_t n = 1;
        for (std::size_t d = 0; d < N; ++d)
            if (length(d) == 0) return 0;
        for (std::size_t d = 0; d < N; ++d)
            if (__builtin_mul_overflow(n, length(d), &n)) return ~std::uint64_t{0};
        return n;
    }

    [[nodiscard]] constexpr std::size_t longest() const noexcept {
        std::size_t d = 0;
        for (std::size_t e = 1; e < N; ++e)
            if (length(e) > length(d)) d = e;
        return d;
    }
};

template <std::size_t N>
constexpr block<N> block_of(const box<N>& space) noexcept {
    block<N> b{};
    for (std::size_t d = 0; d < N; ++d) {
        b.first[d] = space.first[d];
        b.last[d] = space.last[d];
    }
    return b;
}

// All points of b in row-major order.
template <std::size_t N, class F>
void run_block(F& f, const block<N>& b) {
    if constexpr (N == 1) {
        for (std::ptrdiff_t i = b.first[0]; i < b.last[0]; ++i) call_with_index(f, i);
    } else if constexpr (N == 2) {
        for (std::ptrdiff_t i = b.first[0]; i < b.last[0]; ++i)
            for (std::ptrdiff_t j = b.first[1]; j < b.last[1]; ++j) call_with_index(f, i, j);
    } else {
        for (std::ptrdiff_t i = b.first[0]; i < b.last[0]; ++i)
            for (std::ptrdiff_t j = b.first[1]; j < b.last[1]; ++j)
                for (std::ptrdiff_t k = b.first[2]; k < b.last[2]; ++k) call_with_index(f, i, j, k);
    }
}

// The points of b with row-major numbers in [from, to).
template <std::size_t N, class F>
void run_run(F& f, const block<N>& b, std::uint64_t from, std::uint64_t to) {
    const std::uint64_t row = b.length(N - 1);
    while (from < to) {
        std::uint64_t number = from / row;
        const std::uint64_t column = from % row;
        const std::uint64_t n = to - from < row - column ? to - from : row - column;
        block<N> piece{};
        piece.first[N - 1] = b.first[N - 1] + static_cast<std::ptrdiff_t>(column);
        piece.last[N - 1] = piece.first[N - 1] + static_cast<std::ptrdiff_t>(n);
        for (std::size_t d = N - 1; d-- > 0;) {
            piece.first[d] = b.first[d] + static_cast<std::ptrdiff_t>(number % b.length(d));
            piece.last[d] = piece.first[d] + 1;
            number /= b.length(d);
        }
        run_block(f, piece);
        from += n;
    }
}

// Runs the first points of b, in row-major order, and takes them off: a block of whole rows of dimension D, or, where
// the pace is less than a row, one row in such blocks. A look before each block whether the loop was called off. The
// dimensions before D have length 1.
template <class Executor, std::size_t D, std::size_t N, class Pace, class F>
void run_first_rows(Pace& pace, F& f, block<N>& b) {
    const std::uint64_t rows = b.length(D);
    // run_box() leaves out empty boxes, and halving a block makes none; the analyzer loses that between the two
    // functions. NOLINTNEXTLINE(clang-analyzer-core.DivideZero)
    const std::uint64_t step = pace.block() / (b.points() / rows);
    block<N> head = b;
    if constexpr (D + 1 < N) {
        if (step == 0) {
            head.last[D] = ++b.first[D];
            while (head.length(D + 1) != 0) run_first_rows<Executor, D + 1>(pace, f, head);
            return;
        }
    }
    head.last[D] = b.first[D] += static_cast<std::ptrdiff_t>(step < rows ? step : rows);
    check_stop<Executor>();
    run_block(f, head);
    pace.next();
}

// All of b, with a look for demand in between, like run_lazily.
template <class Executor, std::size_t N, class F>
void run_rows_lazily(loop_pace& loop, F& f, const block<N>& b) {
    const std::uint64_t per_row = b.points() / b.length(0);
    leaf_pace pace(loop, b.points(), blocks_per_leaf, per_row > shortest_block ? per_row : shortest_block);
    block<N> rest = b;
    while (rest.length(0) != 0) {
        run_first_rows<Executor, 0>(pace, f, rest);
        if (rest.length(0) > 1 && Executor::demand()) {
            block<N> head = rest;
            head.last[0] = rest.first[0] += static_cast<std::ptrdiff_t>(rest.length(0) / 2);
            Executor::fork_both([&loop, &f, &head] { run_rows_lazily<Executor>(loop, f, head); },
                                [&loop, &f, &rest] { run_rows_lazily<Executor>(loop, f, rest); });
            return;
        }
    }
}

template <class Executor, std::size_t N, class F>
void halve_block(loop_pace* lazily, F& f, const block<N>& b, std::uint64_t most_points) {
    if (b.points() <= most_points) {
        if (lazily != nullptr) {
            run_rows_lazily<Executor>(*lazily, f, b);
        } else {
            run_block(f, b);
        }
        return;
    }
    const std::size_t d = b.longest();
    block<N> lower = b;
    block<N> upper = b;
    lower.last[d] = upper.first[d] = b.first[d] + static_cast<std::ptrdiff_t>(b.length(d) / 2);
    Executor::fork_both([lazily, &f, &lower, most_points] { halve_block<Executor>(lazily, f, lower, most_points); },
                        [lazily, &f, &upper, most_points] { halve_block<Executor>(lazily, f, upper, most_points); });
}

template <class Executor, std::size_t N, class F>
void run_box(F& f, const box<N>& space, grain g, schedule order) {
    const block<N> b = block_of(space);
    const std::uint64_t points = b.points();
    if (points == 0) return;
    if constexpr (!Executor::parallel) {
        growing_pace pace(g);
        for (block<N> rest = b; rest.length(0) != 0;) run_first_rows<Executor, 0>(pace, f, rest);
    } else if (order == schedule::chunked) {
        const std::uint64_t length = g.is_automatic() ? (points - 1) / Executor::concurrency() + 1 : g.iterations();
        const leaves cuts{points, length};
        loop_pace loop;
        const auto leaf = [&f, &b, &loop, g, cuts](std::uint64_t k) {
            const auto run = [&f, &b](std::uint64_t from, std::uint64_t to) { run_run(f, b, from, to); };
            const std::uint64_t from = cuts.first(k);
            const std::uint64_t to = cuts.last(k);
            if (g.is_automatic()) {
                run_in_blocks<Executor>(pace_of_leaf<Executor>(loop, to - from), run, from, to);
            } else {
                run(from, to);
            }
        };
        Executor::run_leaves(leaf, 0, cuts.number());
    } else {
        check_stop<Executor>();
        loop_pace pace;
        halve_block<Executor>(g.is_automatic() ? &pace : nullptr, f, b, cut<Executor>(points, g).length);
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
