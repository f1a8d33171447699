// SPDX-License-Identifier: Apache-2.0
#pragma once

// Concepts of the algorithms' arguments. An algorithm takes an iterator pair or a range with random access; source.hpp
// has what a few take besides.

#include <skerry/detail/frontend/algorithm/indices.hpp>

#include <functional>
#include <iterator>
#include <utility>

namespace skerry::inline SKERRY_ABI::detail {

template <class It, class End = It>
concept random_access_pair = std::random_access_iterator<It> && std::sized_sentinel_for<End, It>;

// An owning temporary is a range too: every algorithm is done with it when it returns.
template <class R>
concept random_access_sequence =
    requires(R& range) { requires random_access_pair<decltype(range_first(range)), decltype(range_last(range))>; };

template <class R>
using sequence_iterator = decltype(range_first(std::declval<R&>()));

template <class It, class End>
std::uint64_t sequence_length(const It& first, const End& last) {
    const auto n = static_cast<std::ptrdiff_t>(last - first);
    return n > 0 ? static_cast<std::uint64_t>(n) : 0;
}

template <class It>
std::iter_reference_t<It> element(const It& first, std::uint64_t k) {
    return first[static_cast<std::iter_difference_t<It>>(k)];
}

template <class It>
It advanced(const It& first, std::uint64_t n) {
    return first + static_cast<std::iter_difference_t<It>>(n);
}

// A trailing grain must not be taken for an operation.
template <class T>
concept not_a_grain = !std::same_as<std::remove_cvref_t<T>, grain>;

// op(x, y) for values x and y of type T gives a T.
template <class Op, class T>
concept binary_operation_on = requires(Op& op, T x, T y) {
    { op(std::move(x), std::move(y)) } -> std::convertible_to<T>;
};
// f(x) for an element x gives a T.
template <class F, class It, class T>
concept transformation_to = requires(F& f, It it) {
    { f(*it) } -> std::convertible_to<T>;
};
template <class F, class It1, class It2, class T>
concept pair_transformation_to = requires(F& f, It1 a, It2 b) {
    { f(*a, *b) } -> std::convertible_to<T>;
};
// f(x) for an element x says yes or no.
template <class F, class It>
concept predicate_on = requires(F& f, It it) {
    { f(*it) } -> std::convertible_to<bool>;
};

} // namespace skerry::inline SKERRY_ABI::detail
