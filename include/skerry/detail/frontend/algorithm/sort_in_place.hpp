// SPDX-License-Identifier: Apache-2.0
#pragma once

// Comparison sort that needs no memory: for elements that are not plain, and wherever memory is short. Introsort
// (Musser 1997) with the treatment of equal elements of pdqsort (Peters 2021): it is O(n log n), because a part that
// keeps splitting badly goes to heap sort, and so it is where the comparison is no order. Elements move by swapping
// only, or back through a guard: a comparison that throws leaves all of them in the sequence.

#include <skerry/detail/frontend/algorithm/in_place.hpp>
#include <skerry/detail/frontend/algorithm/sequence.hpp>

#include <algorithm>
#include <bit>

namespace skerry::inline SKERRY_ABI::detail {

inline constexpr std::ptrdiff_t insertion_limit = 20;
// A part below this size is not worth a fork.
inline constexpr std::ptrdiff_t in_place_fork_limit = 2048;
// Nor is one below this size worth a look whether the sort was called off.
inline constexpr std::ptrdiff_t in_place_look_limit = 256;

// Puts an element that has been taken out of the sequence back into its hole while an exception is on its way. The copy
// may fail, too: then the hole keeps what it has, and that first exception arrives.
template <class It, class T>
void put_back_quietly(const It& hole, T& value) noexcept {
    try {
        *hole = std::move(value);
    } catch (...) { // dropped
    }
}

template <class It, class Less>
void insertion_sort(It first, It last, Less& less) {
    if (first == last) return;
    for (It next = first + 1; next != last; ++next) {
        if (!less(*next, *(next - 1))) continue;
        // Parentheses: a list of one element is another value of types that are made of lists.
        std::iter_value_t<It> lifted(std::ranges::iter_move(next));
        It hole = next;
        try {
            do {
                const It filler = hole - 1;
                *hole = std::ranges::iter_move(filler);
                hole = filler;
            } while (hole != first && less(lifted, *(hole - 1)));
        } catch (...) {
            put_back_quietly(hole, lifted);
            throw;
        }
        *hole = std::move(lifted);
    }
}

template <class It, class Less>
void sift_down(It first, std::ptrdiff_t root, std::ptrdiff_t n, Less& less) {
    for (std::ptrdiff_t child = 2 * root + 1; child < n; child = 2 * root + 1) {
        if (child + 1 < n && less(first[child], first[child + 1])) ++child;
        if (!less(first[root], first[child])) return;
        std::ranges::iter_swap(first + root, first + child);
        root = child;
    }
}

template <class It, class Less>
void heap_sort(It first, It last, Less& less) {
    const std::ptrdiff_t n = last - first;
    for (std::ptrdiff_t root = n / 2; root-- > 0;) sift_down(first, root, n, less);
    for (std::ptrdiff_t end = n - 1; end > 0; --end) {
        std::ranges::iter_swap(first, first + end);
        sift_down(first, 0, end, less);
    }
}

template <class It, class Less>
void order_three(It a, It b, It c, Less& less) {
    if (less(*b, *a)) std::ranges::iter_swap(a, b);
    if (less(*c, *b)) {
        std::ranges::iter_swap(b, c);
        if (less(*b, *a)) std::ranges::iter_swap(a, b);
    }
}

// Puts a good pivot at the front.
template <class It, class Less>
void choose_pivot(It first, It last, Less& less) {
    const std::ptrdiff_t n = last - first;
    const It middle = first + n / 2;
    if (n > 128) {
        order_three(first, middle, last - 1, less);
        order_three(first + 1, middle - 1, last - 2, less);
        order_three(first + 2, middle + 1, last - 3, less);
        order_three(middle - 1, middle, middle + 1, less);
        std::ranges::iter_swap(first, middle);
    } else {
        order_three(middle, first, last - 1, less);
    }
}

// Elements that `before` holds for, then the rest; the pivot, at the front, goes between and is returned. No element is
// asked for twice: it might answer otherwise, and the two ends pass each other.
template <class It, class Before>
It partition_by_front(It first, It last, Before before) {
    It low = first + 1;
    It high = last - 1;
    for (;;) {
        while (low <= high && before(*low)) ++low;
        while (low < high && !before(*high)) --high;
        if (low >= high) break;
        std::ranges::iter_swap(low, high);
        ++low;
        --high;
    }
    --low;
    std::ranges::iter_swap(first, low);
    return low;
}

// [first, last); if has_left, *(first - 1) is not greater than any element of it.
template <class Executor, class It, class Less>
void quick_sort(It first, It last, Less& less, bool has_left, int bad_splits_left) {
    while (last - first > insertion_limit) {
        const std::ptrdiff_t n = last - first;
        if (n >= in_place_look_limit) check_stop<Executor>();
        choose_pivot(first, last, less);
        if (has_left && !less(*(first - 1), *first)) {
            // The pivot equals its left neighbour, so everything not greater equals it and is in place. After that a
            // pivot cannot equal its left neighbour, unless the comparison is no order.
            const It equal = partition_by_front(first, last, [&](const auto& x) { return !less(*first, x); });
            first = equal + 1;
            if (last - first > n - n / 8 && --bad_splits_left <= 0) {
                heap_sort(first, last, less);
                return;
            }
            continue;
        }
        const It pivot = partition_by_front(first, last, [&](const auto& x) { return less(x, *first); });
        if ((std::min)(pivot - first, last - pivot - 1) < n / 8 && --bad_splits_left <= 0) {
            heap_sort(first, pivot, less);
            heap_sort(pivot + 1, last, less);
            return;
        }
        if constexpr (Executor::parallel) {
            if (n >= in_place_fork_limit) {
                Executor::fork_both([=, &less] { quick_sort<Executor>(first, pivot, less, has_left, bad_splits_left); },
                                    [=, &less] { quick_sort<Executor>(pivot + 1, last, less, true, bad_splits_left); });
                return;
            }
        }
        quick_sort<Executor>(first, pivot, less, has_left, bad_splits_left);
        first = pivot + 1;
        has_left = true;
    }
    insertion_sort(first, last, less);
}

template <class Executor, class It, class Less>
void sort_in_place(It first, It last, Less& less) {
    const auto n = static_cast<std::uint64_t>(last - first);
    quick_sort<Executor>(first, last, less, false, static_cast<int>(std::bit_width(n)));
}

} // namespace skerry::inline SKERRY_ABI::detail
