// SPDX-License-Identifier: Apache-2.0
#pragma once

// Scans in two passes over equal leaves (Blelloch, "Prefix sums and their applications", 1990): fold each leaf, add up
// the folds serially, scan each leaf from what stands before it. The first leaf is scanned at once in the first pass.
// For a fixed grain the order of operations depends on the grain and the length only.

#include <skerry/detail/frontend/algorithm/as_named.hpp>
#include <skerry/detail/frontend/algorithm/fold.hpp>
#include <skerry/detail/frontend/algorithm/sequence.hpp>

#include <optional>
#include <vector>

namespace skerry::inline SKERRY_ABI::detail {

enum class scan_kind { inclusive, exclusive };

// Writes the scan of [from, to), before which `carry` stands (nothing at the start of an inclusive scan without init).
// Gives the sum of all up to `to`. An element is read before its place is written: out may be the input.
template <scan_kind Kind, class T, class Op, class It, class Out>
std::optional<T> scan_run(Op& op, const It& first, const Out& out, std::optional<T> carry, std::uint64_t from,
                          std::uint64_t to) {
    It in = advanced(first, from);
    Out to_write = advanced(out, from);
    if (from == to) return carry;
    if constexpr (Kind == scan_kind::inclusive) {
        T sum = carry ? T(op(*std::move(carry), T(*in))) : T(*in);
        write(to_write, sum);
        for (++from; from != to; ++from) {
            sum = T(op(std::move(sum), T(*++in)));
            write(++to_write, sum);
        }
        return sum;
    } else {
        T sum = *std::move(carry);
        for (; from != to; ++from, static_cast<void>(++in), ++to_write) {
            T next = T(op(sum, T(*in)));
            write(to_write, std::move(sum));
            sum = std::move(next);
        }
        return sum;
    }
}

// The same in blocks of the pace, with a look before each whether the scan was called off.
template <class Executor, scan_kind Kind, class T, class Op, class It, class Out, class Pace>
std::optional<T> scan_in_blocks(Pace&& pace, Op& op, const It& first, const Out& out, std::optional<T> carry,
                                std::uint64_t from, std::uint64_t to) {
    if (!carry) { // the first element calls nothing
        carry = scan_run<Kind, T>(op, first, out, std::move(carry), from, from + 1);
        ++from;
    }
    const auto run = [&](std::uint64_t begin, std::uint64_t end) {
        carry = scan_run<Kind, T>(op, first, out, std::move(carry), begin, end);
    };
    run_in_blocks<Executor>(pace, run, from, to);
    return carry;
}

template <class Executor, scan_kind Kind, class T, class Op, class It, class Out>
void scan_all(Op& op, const It& first, const Out& out, std::optional<T> init, std::uint64_t count, grain g) {
    if (count == 0) return;
    check_stop<Executor>();
    loop_pace loop;
    const auto scan_leaf = [&](std::optional<T> carry, std::uint64_t from, std::uint64_t to) {
        if (g.is_automatic()) {
            return scan_in_blocks<Executor, Kind, T>(pace_of_leaf<Executor>(loop, to - from), op, first, out,
                                                     std::move(carry), from, to);
        }
        return scan_run<Kind, T>(op, first, out, std::move(carry), from, to);
    };
    const leaves cuts = cut<Executor>(count, g);
    const std::uint64_t number = cuts.number();
    if (number == 1) {
        scan_leaf(std::move(init), 0, count);
        return;
    }
    // before[k]: the sum of everything before leaf k.
    std::vector<std::optional<T>> before(number);
    const auto get = [&first](std::uint64_t k) -> T { return static_cast<T>(element(first, k)); };
    const auto fold = [&](std::uint64_t leaf) {
        if (leaf == 0) {
            before[1] = scan_leaf(std::move(init), 0, cuts.last(0));
        } else if (g.is_automatic()) {
            before[leaf + 1].emplace(fold_in_blocks<Executor, T>(pace_of_leaf<Executor>(loop, cuts.length), op, get,
                                                                 cuts.first(leaf), cuts.last(leaf)));
        } else {
            before[leaf + 1].emplace(fold_run<T>(op, get, cuts.first(leaf), cuts.last(leaf)));
        }
    };
    Executor::run_leaves(fold, 0, number - 1);
    for (std::uint64_t leaf = 2; leaf < number; ++leaf) {
        check_stop<Executor>();
        before[leaf].emplace(op(*before[leaf - 1], *std::move(before[leaf])));
    }
    const auto scan = [&](std::uint64_t leaf) {
        scan_leaf(std::move(before[leaf]), cuts.first(leaf), cuts.last(leaf));
    };
    Executor::run_leaves(scan, 1, number);
}

template <class T, class Op, class It, class Out>
concept scannable = binary_operation_on<Op, T> && std::copyable<T> &&
                    std::convertible_to<std::iter_reference_t<It>, T> && std::indirectly_writable<Out, T>;

template <class Executor, scan_kind Kind, class T, class It, class End, class Out, class Op>
Out checked_scan(It first, const End& last, Out out, Op op, std::optional<T> init, grain g) {
    static_assert(binary_operation_on<Op, T>,
                  "skerry: parallel scan: op must be callable as op(x, y) with two values of the sum's type T and give "
                  "a T");
    static_assert(!writes_no_bits<Out>() ||
                      (std::convertible_to<std::iter_reference_t<It>, T> && std::indirectly_writable<Out, T>),
                  "skerry: parallel scan: the elements must convert to the sum's type, and that to the output's");
    static_assert(std::copyable<T>, "skerry: parallel scan: the sum's type must be copyable");
    if constexpr (scannable<T, Op, It, Out> && writes_no_bits<Out>()) {
        const std::uint64_t n = sequence_length(first, last);
        auto&& combine = casting<T, T>(op);
        const call_of<Executor, Op> shown;
        scan_all<as_named<Executor, Op>, Kind, T>(combine, first, out, std::move(init), n, g);
        return advanced(out, n);
    } else {
        return out;
    }
}

template <class Executor>
struct parallel_inclusive_scan_function {
    template <class It, class End, std::random_access_iterator Out, not_a_grain Op = std::plus<>>
        requires random_access_pair<It, End>
    Out operator()(It first, End last, Out out, Op op = {}, grain g = grain::automatic()) const {
        using value = std::iter_value_t<It>;
        return checked_scan<Executor, scan_kind::inclusive, value>(std::move(first), last, std::move(out),
                                                                   std::move(op), std::nullopt, g);
    }
    template <class It, class End, std::random_access_iterator Out>
        requires random_access_pair<It, End>
    Out operator()(It first, End last, Out out, grain g) const {
        return (*this)(std::move(first), std::move(last), std::move(out), std::plus<>{}, g);
    }
    template <class It, class End, std::random_access_iterator Out, class Op, not_a_grain T>
        requires random_access_pair<It, End>
    Out operator()(It first, End last, Out out, Op op, T init, grain g = grain::automatic()) const {
        return checked_scan<Executor, scan_kind::inclusive, T>(std::move(first), last, std::move(out), std::move(op),
                                                               std::optional<T>{std::move(init)}, g);
    }

    template <random_access_sequence R, std::random_access_iterator Out, not_a_grain Op = std::plus<>>
    Out operator()(R&& range, Out out, Op op = {}, grain g = grain::automatic()) const {
        return (*this)(range_first(range), range_last(range), std::move(out), std::move(op), g);
    }
    template <random_access_sequence R, std::random_access_iterator Out>
    Out operator()(R&& range, Out out, grain g) const {
        return (*this)(range_first(range), range_last(range), std::move(out), std::plus<>{}, g);
    }
    template <random_access_sequence R, std::random_access_iterator Out, class Op, not_a_grain T>
    Out operator()(R&& range, Out out, Op op, T init, grain g = grain::automatic()) const {
        return (*this)(range_first(range), range_last(range), std::move(out), std::move(op), std::move(init), g);
    }
};

template <class Executor>
struct parallel_exclusive_scan_function {
    template <class It, class End, std::random_access_iterator Out, class T, not_a_grain Op = std::plus<>>
        requires random_access_pair<It, End>
    Out operator()(It first, End last, Out out, T init, Op op = {}, grain g = grain::automatic()) const {
        return checked_scan<Executor, scan_kind::exclusive, T>(std::move(first), last, std::move(out), std::move(op),
                                                               std::optional<T>{std::move(init)}, g);
    }
    template <class It, class End, std::random_access_iterator Out, class T>
        requires random_access_pair<It, End>
    Out operator()(It first, End last, Out out, T init, grain g) const {
        return (*this)(std::move(first), std::move(last), std::move(out), std::move(init), std::plus<>{}, g);
    }

    template <random_access_sequence R, std::random_access_iterator Out, class T, not_a_grain Op = std::plus<>>
    Out operator()(R&& range, Out out, T init, Op op = {}, grain g = grain::automatic()) const {
        return (*this)(range_first(range), range_last(range), std::move(out), std::move(init), std::move(op), g);
    }
    template <random_access_sequence R, std::random_access_iterator Out, class T>
    Out operator()(R&& range, Out out, T init, grain g) const {
        return (*this)(range_first(range), range_last(range), std::move(out), std::move(init), std::plus<>{}, g);
    }
};

} // namespace skerry::inline SKERRY_ABI::detail
