// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a loop may run over, as concepts, without <iterator> and <ranges>: forkjoin.hpp has to stay cheap to include.

#include <skerry/detail/core/parameters.hpp>
#include <skerry/detail/frontend/algorithm/calling.hpp>
#include <skerry/range.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace skerry::inline SKERRY_ABI::detail {

template <class T>
concept index_like = std::integral<T> && !std::same_as<T, bool> && sizeof(T) <= sizeof(std::uint64_t);

// first + k, last - first: what a loop needs of an iterator to jump into the middle.
template <class It, class End = It>
concept random_access_like = !index_like<It> && std::copyable<It> && requires(It it, End end, std::ptrdiff_t k) {
    { end - it } -> std::convertible_to<std::ptrdiff_t>;
    { it + k } -> std::convertible_to<It>;
    *it;
    ++it;
};

template <class T, std::size_t N>
constexpr T* range_first(T (&array)[N]) noexcept {
    return array;
}
template <class R>
    requires requires(R& range) { range.begin(); }
constexpr auto range_first(R& range) {
    return range.begin();
}
template <class R>
    requires(
        !requires(R& range) { range.begin(); } && requires(R& range) { begin(range); })
constexpr auto range_first(R& range) {
    return begin(range);
}

template <class T, std::size_t N>
constexpr T* range_last(T (&array)[N]) noexcept {
    return array + N;
}
template <class R>
    requires requires(R& range) { range.end(); }
constexpr auto range_last(R& range) {
    return range.end();
}
template <class R>
    requires(
        !requires(R& range) { range.end(); } && requires(R& range) { end(range); })
constexpr auto range_last(R& range) {
    return end(range);
}

template <class R>
concept random_access_range_like =
    requires(R& range) { requires random_access_like<decltype(range_first(range)), decltype(range_last(range))>; };

// The type in which a loop from a First to a Last counts: it holds every index of the loop. That is the wider of the
// two; for a signed first and an unsigned last of up to 32 bits it is std::int64_t. With an unsigned last of 64 bits no
// integer holds all: there it is that type, and an index below zero arrives modulo 2^64, which a body with a signed
// parameter sees as what it was.
template <class First, class Last>
struct index_of {
    using common = std::common_type_t<First, Last>;
    static constexpr bool too_narrow = std::is_signed_v<First> && std::is_unsigned_v<common> && sizeof(common) < 8;
    using type = std::conditional_t<too_narrow, std::int64_t, common>;
};

// last - first as numbers, whatever the types; zero if first >= last.
template <class First, class Last>
constexpr std::uint64_t distance_between(First first, Last last) noexcept {
    const bool first_negative = first < First{0};
    const bool last_negative = last < Last{0};
    if (first_negative != last_negative) {
        if (last_negative) return 0;
        const std::uint64_t below = std::uint64_t{0} - static_cast<std::uint64_t>(first);
        const std::uint64_t n = below + static_cast<std::uint64_t>(last);
        return n < below ? ~std::uint64_t{0} : n; // more than 2^64 - 1: as good as endless
    }
    // Of one sign now, so the conversion keeps the order.
    const auto from = static_cast<std::uint64_t>(first);
    const auto to = static_cast<std::uint64_t>(last);
    return to > from ? to - from : 0;
}

// f(i...); what f returns is nobody's.
template <class F, class... Index>
constexpr void call_with_index(F& f, Index... i) {
    static_cast<void>(casting<Index...>(f)(i...));
}

// The requirements on bodies, under the names that an error message shows.
template <class F, class Index>
concept callable_with_an_index = requires(F& f, Index i) { f(i); };
template <class F, class It>
concept callable_with_an_element = requires(F& f, It it) { f(*it); };
template <class F, std::size_t N>
concept callable_with_a_point = (N == 1 && requires(F& f, std::ptrdiff_t i) { f(i); }) ||
                                (N == 2 && requires(F& f, std::ptrdiff_t i) { f(i, i); }) ||
                                (N == 3 && requires(F& f, std::ptrdiff_t i) { f(i, i, i); });

// What stands for a bit of a word, as std::vector<bool> hands out. Tasks that write bits of one word at the same time
// lose some of them.
template <class Reference>
concept written_as_a_bool =
    std::is_class_v<Reference> && std::convertible_to<Reference, bool> && requires(Reference r, bool b) { r = b; };
template <class Reference>
concept bit_reference = written_as_a_bool<Reference> && requires(Reference r) { r.flip(); };
// Several references at once, as a zip of sequences hands out, or a zip of zips.
template <class Reference>
inline constexpr bool holds_a_bit = bit_reference<Reference>;
template <template <class...> class Tuple, class... Reference>
inline constexpr bool holds_a_bit<Tuple<Reference...>> = (holds_a_bit<Reference> || ...);

template <class It>
using reference_of = decltype(*std::declval<It&>());
template <class It>
concept bit_iterator =
    holds_a_bit<reference_of<It>> ||
    (written_as_a_bool<reference_of<It>> && requires { requires std::same_as<typename It::value_type, bool>; });

// An element that leads to a bit: what stands for one, kept in a container (what is made from a bool is a flag of its
// own), or an iterator, as a range of iterators hands out.
template <class T>
concept leads_to_a_bit = (bit_reference<T> && !std::is_constructible_v<T, bool>) || requires {
    requires std::same_as<typename T::value_type, bool>;
    requires bit_reference<reference_of<T>>;
};
template <class It>
concept iterator_to_bits = bit_iterator<It> || leads_to_a_bit<std::remove_reference_t<reference_of<It>>>;

// Whether a body is known to take elements as what stands for a bit, not as its value. Of a template nobody knows.
template <class Known, class... It>
inline constexpr bool takes_a_bit = false;
template <class P, class... More, class It, class... Rest>
inline constexpr bool takes_a_bit<parameters<P, More...>, It, Rest...> =
    (iterator_to_bits<It> && std::same_as<std::remove_cvref_t<P>, std::remove_cvref_t<reference_of<It>>>) ||
    takes_a_bit<parameters<More...>, Rest...>;

template <class F>
using known_parameters = typename parameters_of<std::remove_cv_t<F>>::type;

template <class F, bool Fits>
consteval bool reads_or_explains() {
    static_assert(
        Fits,
        "skerry: bits, as of std::vector<bool>, share words: f may only read them, as a bool or from a const range");
    return Fits;
}
// Whether a body may be called with elements of which some are bits of one word.
template <class F, class It>
consteval bool leaves_bits_alone() {
    constexpr bool unknown = std::same_as<known_parameters<F>, parameters<>>;
    return reads_or_explains<F, !iterator_to_bits<It> || !(unknown || takes_a_bit<known_parameters<F>, It>)>();
}
// The same of a body that is there for its result: what is not known does not write.
template <class F, class... It>
consteval bool reads_bits() {
    return reads_or_explains<F, !takes_a_bit<known_parameters<F>, It...>>();
}
template <class Out>
consteval bool writes_no_bits() {
    static_assert(!bit_iterator<Out>,
                  "skerry: bits, as of std::vector<bool>, share words, and tasks that write them lose some: use char");
    return !bit_iterator<Out>;
}

} // namespace skerry::inline SKERRY_ABI::detail
