// SPDX-License-Identifier: Apache-2.0
#pragma once

// What an algorithm runs over that has no random access: iterators that only go forward, and sources.
//
// A source is a function object that gives one element after the other: what source() returns is used as std::optional
// or a pointer is, and empty at the end. A copy goes on where the original is, and both give the same from there.
// Algorithms make copies, so an element may be asked for more than once, by several threads, each with a copy of its
// own; leaves of elements in front of it may run meanwhile, and leaves of elements behind it, too. An element that lies
// in its source may be read, not changed: whether a copy goes on with the change is chance.

#include <concepts>
#include <cstdint>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/frontend/algorithm/in_place.hpp>
#include <skerry/detail/frontend/algorithm/sequence.hpp>
#include <skerry/detail/frontend/forkjoin/part.hpp>
#include <skerry/range.hpp>

namespace skerry::inline SKERRY_ABI::detail {

template <class It, class End = It>
concept forward_pair = std::forward_iterator<It> && std::sentinel_for<End, It> && !random_access_pair<It, End>;

template <class R>
concept forward_sequence =
    requires(R& range) { requires forward_pair<decltype(range_first(range)), decltype(range_last(range))>; };

template <class S>
using found_by = std::remove_cvref_t<std::invoke_result_t<S&>>;

// An element as a function gets it.
template <class S>
using source_reference = decltype(*std::declval<found_by<S>&>());

template <class S>
concept element_source =
    !random_access_sequence<S> && !forward_sequence<S> && std::copy_constructible<S> && std::invocable<S&> &&
    std::move_constructible<found_by<S>> && std::is_constructible_v<bool, found_by<S>&> &&
    requires { requires std::is_lvalue_reference_v<source_reference<S>>; };

// f(x) for an element x gives a T.
template <class F, class S, class T>
concept source_transformation_to = requires(F& f, found_by<S>& found) {
    { f(*found) } -> std::convertible_to<T>;
};

// Two iterators as a source. Its elements are iterators: what reading one costs or throws belongs to who wants it. It
// looks at an element only when it is asked for that: leaves of those before may be changing them.
template <class It, class End>
class walk {
  public:
    walk(It first, End last) : at_(std::move(first)), last_(std::move(last)) {}

    std::optional<It> operator()() {
        if (begun_ && at_ != last_) {
            ++at_;
        }
        begun_ = true;
        return at_ != last_ ? std::optional(at_) : std::nullopt;
    }

  private:
    It at_; // the last one given, if any was
    [[no_unique_address]] End last_;
    bool begun_ = false;
};

// A function of an element as one of the iterator to it; F: as handed_on_function has it.
template <class F, class It>
struct through_iterator {
    F f;

    decltype(auto) operator()(const It& it) const { return casting<decltype(*it)>(f)(*it); }
};

// How an algorithm folds what a source gives: T leaf(element), and T join(T, T), which is associative. Several threads
// may call both.
template <class T, class Op, class Transform>
struct source_fold {
    using result = T;

    [[no_unique_address]] Op op;
    Transform transform;

    T join(T left, T right) const { return T(casting<T, T>(op)(std::move(left), std::move(right))); }
    template <class Element>
    T leaf(Element& x) const {
        return T(casting<Element&>(transform)(x));
    }
};

// What parallel_for_each folds: nothing. F: as handed_on_function has it.
template <class F>
struct visit {
    F f;

    template <class Element>
    std::monostate operator()(Element& x) const {
        static_cast<void>(casting<Element&>(f)(x));
        return {};
    }
};
struct join_nothing {
    std::monostate operator()(std::monostate /*left*/, std::monostate /*right*/) const { return {}; }
};

// The fold by forks, over an executor. How many elements there are shows only as they are walked over: one element is a
// part, then the two that follow, then four, and all parts are folded at the same time, each in halves. So forks are
// nested no deeper than twice the logarithm of their number.
template <class Executor, class Source, class Fold>
class fold_in_parts {
  public:
    using part = std::optional<typename Fold::result>; // nothing of no elements

    static part fold(const Fold& how, Source& source) { return from(how, source, 1); }

    // `left` and what was folded of the elements that follow.
    static typename Fold::result joined(const Fold& how, typename Fold::result left, part right) {
        if (!right) {
            return left;
        }
        return how.join(std::move(left), *std::move(right));
    }

  private:
    // Goes on by n elements, or by as many as there are, and returns how many those were.
    static std::uint64_t skip(Source& source, std::uint64_t n) {
        constexpr std::uint64_t between_looks = 8;
        for (std::uint64_t i = 0; i != n; ++i) {
            if (i % between_looks == 0) {
                check_stop<Executor>();
            }
            if (!source()) {
                return i;
            }
        }
        return n;
    }

    static part from(const Fold& how, Source& source, std::uint64_t length) {
        Source after = source;
        const std::uint64_t n = skip(after, length);
        if (n == 0) {
            return std::nullopt;
        }
        if (n != length) {
            return next(how, source, n);
        }
        auto both = Executor::fork_values(as_part_of<Fold>([&how, &source, n] { return next(how, source, n); }),
                                          as_part_of<Fold>([&how, &after, n] { return from(how, after, 2 * n); }));
        return joined(how, std::move(both.first), std::move(both.second));
    }

    // The next n elements, n >= 1. Like from(), it uses the source up.
    static typename Fold::result next(const Fold& how, Source& source, std::uint64_t n) {
        if (n == 1) {
            auto found = source();
            if (!found) {
                throw bad_source();
            }
            return how.leaf(*found);
        }
        const std::uint64_t half = n / 2;
        Source after = source;
        skip(after, half);
        auto both =
            Executor::fork_values(as_part_of<Fold>([&how, &source, half] { return next(how, source, half); }),
                                  as_part_of<Fold>([&how, &after, n, half] { return next(how, after, n - half); }));
        return how.join(std::move(both.first), std::move(both.second));
    }
};

} // namespace skerry::inline SKERRY_ABI::detail
