// SPDX-License-Identifier: Apache-2.0
#pragma once

// Folds get(0) ... get(count - 1) with an associative operation, in order: op need not be commutative. Leaves are
// folded from left to right and joined along a binary tree whose shape depends on their number only, so for a fixed
// grain the sequence of operations is the same for any executor and any number of workers; but where no grouping can be
// told from another (sums of integers and the like), an executor may group as it likes.

#include <skerry/detail/frontend/algorithm/any_grouping.hpp>
#include <skerry/detail/frontend/algorithm/pieces.hpp>

#include <type_traits>
#include <utility>

namespace skerry::inline SKERRY_ABI::detail {

// The fold of `sum` and [from, to).
template <class T, class Op, class Get>
T fold_on(T sum, Op& op, const Get& get, std::uint64_t from, std::uint64_t to) {
    // Compilers may regroup integers, and vectorise the plain loop. Elsewhere they must keep the order: four elements
    // at a time leave one operation in four on the critical path.
    if constexpr (!std::is_integral_v<T>) {
        for (; to - from >= 4; from += 4) {
            T left = T(op(T(get(from)), T(get(from + 1))));
            T right = T(op(T(get(from + 2)), T(get(from + 3))));
            sum = T(op(std::move(sum), T(op(std::move(left), std::move(right)))));
        }
    }
    for (; from < to; ++from) sum = T(op(std::move(sum), T(get(from))));
    return sum;
}

// The fold of [from, to), from < to.
template <class T, class Op, class Get>
T fold_run(Op& op, const Get& get, std::uint64_t from, std::uint64_t to) {
    return fold_on<T>(T(get(from)), op, get, from + 1, to);
}

// The same operations with looks in between whether the fold was called off: blocks end where fold_on() would go on
// with four more.
template <class Executor, class T, class Op, class Get>
T fold_in_blocks(Op& op, const Get& get, std::uint64_t from, std::uint64_t to) {
    if constexpr (!Executor::parallel) {
        return fold_run<T>(op, get, from, to);
    } else {
        loop_pace loop;
        leaf_pace pace(loop, to - from, blocks_per_leaf, shortest_block);
        const auto looking = [&get](std::uint64_t k) -> T {
            check_stop<Executor>();
            return get(k);
        };
        T sum = T(get(from));
        for (++from; to - from >= 4;) {
            const std::uint64_t fitting = to - from < pace.block() ? to - from : pace.block();
            if (fitting < 4) { // elements of long bodies: looks between them, too
                sum = fold_on<T>(std::move(sum), op, looking, from, from + 4);
                from += 4;
            } else {
                check_stop<Executor>();
                const std::uint64_t fours = fitting & ~std::uint64_t{3};
                sum = fold_on<T>(std::move(sum), op, get, from, from + fours);
                from += fours;
            }
            pace.next();
        }
        return fold_on<T>(std::move(sum), op, looking, from, to);
    }
}

// op(left(), right()), the two perhaps at the same time.
template <class Executor, class T, class Op, class Left, class Right>
[[gnu::always_inline]] inline T fold_both(Op& op, Left&& left, Right&& right) {
    auto both = Executor::fork_values(static_cast<Left&&>(left), static_cast<Right&&>(right));
    return T(op(std::move(both.first), std::move(both.second)));
}

// run_lazily with a result.
template <class Executor, class T, class Op, class Get>
T fold_lazily(loop_pace& loop, Op& op, const Get& get, std::uint64_t first, std::uint64_t last) {
    leaf_pace pace(loop, last - first, blocks_per_leaf, shortest_block);
    if (last - first <= pace.block()) return fold_run<T>(op, get, first, last);
    T sum = fold_run<T>(op, get, first, first + pace.block());
    first += pace.block();
    for (pace.next(); last - first > pace.block(); pace.next()) {
        check_stop<Executor>();
        if (Executor::demand() && last - first > 1) {
            const std::uint64_t middle = first + (last - first) / 2;
            T rest = fold_both<Executor, T>(
                op, [&, first, middle] { return fold_lazily<Executor, T>(loop, op, get, first, middle); },
                [&, middle, last] { return fold_lazily<Executor, T>(loop, op, get, middle, last); });
            return T(op(std::move(sum), std::move(rest)));
        }
        sum = T(op(std::move(sum), fold_run<T>(op, get, first, first + pace.block())));
        first += pace.block();
    }
    check_stop<Executor>();
    return T(op(std::move(sum), fold_run<T>(op, get, first, last)));
}

// leaf(first) and leaf(first + 1).
template <class Executor, class T, class Op, class Leaf>
[[gnu::always_inline]] inline T fold_pair(Op& op, const Leaf& leaf, std::uint64_t first) {
    return fold_both<Executor, T>(
        op, [&leaf, first] { return T(leaf(first)); }, [&leaf, first] { return T(leaf(first + 1)); });
}

// Folds leaf(k) for each k in [first, last), last > first. Pairs need no call of this function.
template <class Executor, class T, class Op, class Leaf>
T fold_leaves(Op& op, const Leaf& leaf, std::uint64_t first, std::uint64_t last) {
    if constexpr (Executor::folds_anyhow && any_grouping<Op, T>) {
        return Executor::template fold_anyhow<T, grouped_anyhow<Op, T>>(leaf, first, last);
    }
    const std::uint64_t n = last - first;
    if (n == 1) return leaf(first);
    if (n == 2) return fold_pair<Executor, T>(op, leaf, first);
    const std::uint64_t middle = first + ((n / 2 + 1) & ~std::uint64_t{1});
    return fold_both<Executor, T>(
        op, [&op, &leaf, first, middle] { return fold_leaves<Executor, T>(op, leaf, first, middle); },
        [&op, &leaf, middle, last] { return fold_leaves<Executor, T>(op, leaf, middle, last); });
}

// fold_all() where the compiler does not know that each leaf is one element.
template <class Executor, class T, class Op, class Get>
T fold_cut(Op& op, const Get& get, std::uint64_t count, grain g) {
    check_stop<Executor>();
    if (count == 1) return T(get(0));
    if (!g.is_automatic() && g.iterations() == 1) { // without the divisions
        return fold_leaves<Executor, T>(op, get, 0, count);
    }
    const leaves cuts = cut<Executor>(count, g);
    if (cuts.number() == 1) {
        return g.is_automatic() ? fold_in_blocks<Executor, T>(op, get, 0, count) : fold_run<T>(op, get, 0, count);
    }
    if constexpr (Executor::parallel) {
        if (g.is_automatic()) {
            loop_pace pace;
            const auto leaf = [&op, &get, &pace, cuts](std::uint64_t k) {
                return fold_lazily<Executor, T>(pace, op, get, cuts.first(k), cuts.last(k));
            };
            return fold_leaves<Executor, T>(op, leaf, 0, cuts.number());
        }
    }
    const auto leaf = [&op, &get, cuts](std::uint64_t k) { return fold_run<T>(op, get, cuts.first(k), cuts.last(k)); };
    return fold_leaves<Executor, T>(op, leaf, 0, cuts.number());
}

// The fold of all, count >= 1.
template <class Executor, class T, class Op, class Get>
[[gnu::always_inline]] inline T fold_all(Op& op, const Get& get, std::uint64_t count, grain g) {
    if constexpr (Executor::folds_anyhow && any_grouping<Op, T>) {
        const std::uint64_t size = g.iterations();
        if (__builtin_constant_p(size) && size == 1) { // else it would be the code of both
            return Executor::template fold_anyhow_here<T, grouped_anyhow<Op, T>>(get, 0, count);
        }
    }
    return fold_cut<Executor, T>(op, get, count, g);
}

} // namespace skerry::inline SKERRY_ABI::detail
