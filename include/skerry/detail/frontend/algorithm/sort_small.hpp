// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sorting of a few dozen elements without a branch on their order: networks on up to eight elements, then merges that
// work from both ends at once and two at a time, so that four chains of dependent steps overlap. (Merging from both
// ends and the balanced cut are as in driftsort, Bergdoll and Peters; the networks are the shortest known.)

#include <skerry/detail/base/abi.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace skerry::inline SKERRY_ABI::detail {

// Elements that sorting may copy bitwise and forget: a copy is cheap, cannot fail and needs no destruction. (Not
// std::is_trivially_copyable: std::pair assigns by hand.)
template <class T>
inline constexpr bool plain_element =
    std::is_trivially_copy_constructible_v<T> && std::is_trivially_destructible_v<T> &&
    std::is_nothrow_copy_assignable_v<T> && sizeof(T) <= 64;

template <class T>
void copy_plain(const T* from, const T* to, T* out) noexcept {
    for (; from != to; ++from, ++out) *out = *from;
}

// N elements that need not have a default constructor. Assigning brings a plain element to life.
template <class T, std::size_t N>
union plain_array {
    plain_array() noexcept {}
    T items[N];
};

template <class T, class Less>
[[gnu::__always_inline__]] inline void exchange_if_less(T& low, T& high, Less& less) {
    if constexpr (std::is_scalar_v<T>) {
        const T x = low;
        const T y = high;
        const bool swap = less(y, x);
        low = swap ? y : x;
        high = swap ? x : y;
    } else {
        // A choice of addresses stays free of branches for objects of any size.
        const bool swap = less(high, low);
        const T* const first = swap ? __builtin_addressof(high) : __builtin_addressof(low);
        const T* const second = swap ? __builtin_addressof(low) : __builtin_addressof(high);
        const T x = *first;
        const T y = *second;
        low = x;
        high = y;
    }
}

template <std::size_t... Pairs>
struct network {
    template <class T, class Less>
    [[gnu::__always_inline__]] static void run(T* v, Less& less) {
        (exchange_if_less(v[Pairs / 10], v[Pairs % 10], less), ...);
    }
};

// Pairs as decimal numbers: 25 compares v[2] and v[5].
template <std::size_t N>
struct network_of;
template <>
struct network_of<2> : network<1> {};
template <>
struct network_of<3> : network<2, 1, 12> {};
template <>
struct network_of<4> : network<2, 13, 1, 23, 12> {};
template <>
struct network_of<5> : network<3, 14, 2, 13, 1, 24, 12, 34, 23> {};
template <>
struct network_of<6> : network<5, 13, 24, 12, 34, 3, 25, 1, 23, 45, 12, 34> {};
template <>
struct network_of<7> : network<6, 23, 45, 2, 14, 36, 1, 25, 34, 12, 46, 23, 45, 12, 34, 56> {};
template <>
struct network_of<8> : network<2, 13, 46, 57, 4, 15, 26, 37, 1, 23, 45, 67, 24, 35, 14, 36, 12, 34, 56> {};

// Neighbours only: an element never jumps over an equal one.
template <std::size_t N>
struct stable_network_of;
template <>
struct stable_network_of<2> : network<1> {};
template <>
struct stable_network_of<3> : network<1, 12, 1> {};
template <>
struct stable_network_of<4> : network<1, 23, 12, 1, 23, 12> {};

template <bool Stable>
inline constexpr std::size_t network_limit = Stable ? 4 : 8;

// Sorts N elements from `from` to `to`, which may be the same. Nothing is written if a comparison throws. (Copying by a
// fold, not by a loop, is what keeps gcc's vectoriser from going through memory.)
template <class Network, class T, class Less, std::size_t... Is>
void sort_by_network(const T* from, T* to, Less& less, std::index_sequence<Is...>) {
    plain_array<T, sizeof...(Is)> v;
    (static_cast<void>(v.items[Is] = from[Is]), ...);
    Network::run(v.items, less);
    (static_cast<void>(to[Is] = v.items[Is]), ...);
}

// n <= network_limit<Stable>.
template <bool Stable, class T, class Less>
void sort_few(const T* from, std::size_t n, T* to, Less& less) {
    const auto sort = [&]<std::size_t N>(std::integral_constant<std::size_t, N>) {
        if constexpr (!Stable) {
            sort_by_network<network_of<N>>(from, to, less, std::make_index_sequence<N>{});
        } else if constexpr (N <= network_limit<true>) {
            sort_by_network<stable_network_of<N>>(from, to, less, std::make_index_sequence<N>{});
        }
    };
    switch (n) {
    case 8: sort(std::integral_constant<std::size_t, 8>{}); break;
    case 7: sort(std::integral_constant<std::size_t, 7>{}); break;
    case 6: sort(std::integral_constant<std::size_t, 6>{}); break;
    case 5: sort(std::integral_constant<std::size_t, 5>{}); break;
    case 4: sort(std::integral_constant<std::size_t, 4>{}); break;
    case 3: sort(std::integral_constant<std::size_t, 3>{}); break;
    case 2: sort(std::integral_constant<std::size_t, 2>{}); break;
    case 1: *to = *from; break;
    default: break;
    }
}

// Two sorted neighbours of equal length, or with a difference of one, into one. Each step takes the smallest of what is
// left and the largest: after n / 2 steps neither side can have run dry, so there is no bound to check. That needs an
// order. Whatever the comparison answers, no step leaves the two sides; but where one runs into the other's part, what
// it takes is taken twice, and shows at the end: the two ends of a side have not met. Both sides or neither, since as
// many elements were taken as there are.
template <class T, class Less>
struct merge_from_both_ends {
    const T* left;
    const T* right;
    const T* left_last;
    const T* right_last;
    T* out;
    T* out_last;

    merge_from_both_ends(const T* from, std::size_t first_length, std::size_t n, T* to)
        : left{from},
          right{from + first_length},
          left_last{right - 1},
          right_last{from + n - 1},
          out{to},
          out_last{to + n - 1} {}

    [[gnu::__always_inline__]] void step(Less& less) {
        const bool take_right = less(*right, *left);
        *out = *(take_right ? right : left);
        ++out;
        right += take_right;
        left += !take_right;
        const bool take_left = less(*right_last, *left_last);
        *out_last = *(take_left ? left_last : right_last);
        --out_last;
        left_last -= take_left;
        right_last -= !take_left;
    }

    // The one element in the middle of an odd number.
    void finish(std::size_t n) {
        if (n % 2 != 0) *out = *(left <= left_last ? left : right);
    }
    // Whether each element has been taken once.
    [[nodiscard]] bool met(std::size_t n) const {
        const auto apart = reinterpret_cast<std::uintptr_t>(left_last + 1) - reinterpret_cast<std::uintptr_t>(left);
        return apart <= n % 2 * sizeof(T);
    }
};

// Instead of a merge that has lost elements: the two sides as they are.
template <class T>
[[gnu::__noinline__, gnu::__cold__]] void copy_unmerged(const T* from, std::size_t n, T* to) noexcept {
    copy_plain(from, from + n, to);
}

// Sorts [from, from + n); the result is in `to` if move, else in `from`. The other array is scratch. If a comparison
// throws or is none, all elements are where the result would be, in some order.
template <bool Stable, class T, class Less>
void sort_small(T* from, T* to, std::size_t n, bool move, Less& less) {
    T* const result = move ? to : from;
    if (n <= network_limit<Stable>) {
        if (move) copy_plain(from, from + n, to);
        sort_few<Stable>(result, n, result, less);
        return;
    }
    unsigned levels = 1;
    while ((n - 1) >> levels >= network_limit<Stable>) ++levels;
    const auto bound = [n](std::size_t part, unsigned level) { return (part * n) >> level; };

    T* const start = (levels % 2 == 0) == !move ? from : to;
    T* truth = from;
    try {
        for (std::size_t part = 0; part < std::size_t{1} << levels; ++part) {
            const std::size_t at = bound(part, levels);
            sort_few<Stable>(from + at, bound(part + 1, levels) - at, start + at, less);
        }
        truth = start;
        T* other = start == from ? to : from;
        for (unsigned level = levels - 1; level >= 1; --level) {
            for (std::size_t part = 0; part < std::size_t{1} << level; part += 2) {
                const std::size_t a = bound(part, level);
                const std::size_t b = bound(part + 1, level);
                const std::size_t c = bound(part + 2, level);
                merge_from_both_ends<T, Less> x{truth + a, bound(2 * part + 1, level + 1) - a, b - a, other + a};
                merge_from_both_ends<T, Less> y{truth + b, bound(2 * part + 3, level + 1) - b, c - b, other + b};
                std::size_t x_steps = (b - a) / 2;
                std::size_t y_steps = (c - b) / 2;
                for (; x_steps != 0 && y_steps != 0; --x_steps, --y_steps) {
                    x.step(less);
                    y.step(less);
                }
                if (x_steps != 0) x.step(less);
                if (y_steps != 0) y.step(less);
                x.finish(b - a);
                y.finish(c - b);
                if (!x.met(b - a) || !y.met(c - b)) [[unlikely]]
                    copy_unmerged(truth + a, c - a, other + a);
            }
            T* const done = other;
            other = truth;
            truth = done;
        }
        merge_from_both_ends<T, Less> last{truth, bound(1, 1), n, other};
        for (std::size_t steps = n / 2; steps != 0; --steps) last.step(less);
        last.finish(n);
        if (!last.met(n)) [[unlikely]]
            copy_unmerged(truth, n, other);
    } catch (...) {
        if (truth != result) copy_plain(truth, truth + n, result);
        throw;
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
