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

// The fold of [from, to), from < to.
template <class T, class Op, class Get>
T fold_run(Op& op, const Get& get, std::uint64_t from, std::uint64_t to) {
    T sum = get(from);
    ++from;
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

// op(left(), right()), the two perhaps at the same time.
template <class Executor, class T, class Op, class Left, class Right>
[[gnu::always_inline]] inline T fold_both(Op& op, Left&& left, Right&& right) {
    auto both = Executor::fork_values(static_cast<Left&&>(left), static_cast<Right&&>(right));
    return T(op(std::move(both.first), std::move(both.second)));
}

// run_lazily with a result.
template <class Executor, class T, class Op, class Get>
T fold_lazily(Op& op, const Get& get, std::uint64_t first, std::uint64_t last) {
    const std::uint64_t share = (last - first) / blocks_per_leaf;
    const std::uint64_t block = share > shortest_block ? share : shortest_block;
    if (last - first <= block) return fold_run<T>(op, get, first, last);
    T sum = fold_run<T>(op, get, first, first + block);
    first += block;
    while (last - first > block) {
        if (Executor::demand()) {
            const std::uint64_t middle = first + (last - first) / 2;
            T rest = fold_both<Executor, T>(
                op, [&op, &get, first, middle] { return fold_lazily<Executor, T>(op, get, first, middle); },
                [&op, &get, middle, last] { return fold_lazily<Executor, T>(op, get, middle, last); });
            return T(op(std::move(sum), std::move(rest)));
        }
        sum = T(op(std::move(sum), fold_run<T>(op, get, first, first + block)));
        first += block;
    }
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
    if (count == 1) return T(get(0));
    if (!g.is_automatic() && g.iterations() == 1) { // without the divisions
        return fold_leaves<Executor, T>(op, get, 0, count);
    }
    const leaves cuts = cut<Executor>(count, g);
    if (cuts.number() == 1) return fold_run<T>(op, get, 0, count);
    if (g.is_automatic()) {
        const auto leaf = [&op, &get, cuts](std::uint64_t k) {
            return fold_lazily<Executor, T>(op, get, cuts.first(k), cuts.last(k));
        };
        return fold_leaves<Executor, T>(op, leaf, 0, cuts.number());
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
