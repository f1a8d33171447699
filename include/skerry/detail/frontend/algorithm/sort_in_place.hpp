// SPDX-License-Identifier: Apache-2.0
#pragma once

// Comparison sort that needs no memory: for elements that are not plain, and wherever memory is short. Introsort
// (Musser 1997) with the treatment of equal elements of pdqsort (Peters 2021): it is O(n log n), because a part that
// keeps splitting badly goes to heap sort. Elements move by swapping only, or back through a guard: a comparison that
// throws leaves all of them in the sequence.

#include <skerry/detail/frontend/algorithm/sequence.hpp>

#include <algorithm>
#include <bit>

namespace skerry::inline SKERRY_ABI::detail {

inline constexpr std::ptrdiff_t insertion_limit = 20;
// A part below this size is not worth a fork.
inline constexpr std::ptrdiff_t in_place_fork_limit = 2048;

// Holds an element that has been taken out of the sequence, and puts it back into the hole, whatever happens.
template <class It>
class lifted_element {
  public:
    explicit lifted_element(It from) : value_{std::ranges::iter_move(from)}, hole_{from} {}
    ~lifted_element() { *hole_ = std::move(value_); }
    lifted_element(const lifted_element&) = delete;
    lifted_element& operator=(const lifted_element&) = delete;

    std::iter_value_t<It>& value() noexcept { return value_; }
    // The hole moves to `from`, whose element fills it.
    void fill_from(It from) {
        *hole_ = std::ranges::iter_move(from);
        hole_ = from;
    }

  private:
    std::iter_value_t<It> value_;
    It hole_;
};

template <class It, class Less>
void insertion_sort(It first, It last, Less& less) {
    if (first == last) return;
    for (It next = first + 1; next != last; ++next) {
        if (!less(*next, *(next - 1))) continue;
        lifted_element<It> element{next};
        It at = next;
        do {
            element.fill_from(at - 1);
            --at;
        } while (at != first && less(element.value(), *(at - 1)));
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

// Elements that `before` holds for, then the rest; the pivot, at the front, goes between and is returned.
template <class It, class Before>
It partition_by_front(It first, It last, Before before) {
    It low = first + 1;
    It high = last;
    for (;;) {
        while (low != high && before(*low)) ++low;
        while (low != high && !before(*(high - 1))) --high;
        if (low == high) break;
        --high;
        std::ranges::iter_swap(low, high);
        ++low;
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
        choose_pivot(first, last, less);
        if (has_left && !less(*(first - 1), *first)) {
            // The pivot equals its left neighbour, so everything not greater equals it and is in place.
            first = partition_by_front(first, last, [&](const auto& x) { return !less(*first, x); }) + 1;
            continue;
        }
        const It pivot = partition_by_front(first, last, [&](const auto& x) { return less(x, *first); });
        if (std::min(pivot - first, last - pivot - 1) < n / 8 && --bad_splits_left <= 0) {
            heap_sort(first, pivot, less);
            heap_sort(pivot + 1, last, less);
            return;
        }
        if constexpr (Executor::parallel) {
            if (n >= in_place_fork_limit) {
                Executor::fork([=, &less] { quick_sort<Executor>(first, pivot, less, has_left, bad_splits_left); },
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
