// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stable merge sort, for elements that are not plain. With memory for the elements a merge moves its left half out and
// fills the hole from both; without, it rotates in place (Dudzinski and Dydek 1981: O(n log^2 n) comparisons in all). A
// comparison that throws leaves all elements in the sequence.

#include <skerry/detail/frontend/algorithm/sort_in_place.hpp>

#include <algorithm>
#include <memory>

namespace skerry::inline SKERRY_ABI::detail {

inline constexpr std::ptrdiff_t merge_fork_limit = 2048;

// Elements moved out to raw memory.
template <class T>
class moved_out {
  public:
    template <class It>
    moved_out(It first, It last, T* memory) : begin{memory},
                                              end{std::uninitialized_move(first, last, memory)} {}
    ~moved_out() { std::destroy(begin, end); }
    moved_out(const moved_out&) = delete;
    moved_out& operator=(const moved_out&) = delete;

    T* const begin;
    T* const end;
};

// Merges the sorted neighbours [first, middle) and [middle, last); `memory` has room for the first.
template <class Executor, class It, class T, class Less>
void merge_with_memory(It first, It middle, It last, T* memory, Less& less) {
    const moved_out<T> left{first, middle, memory};
    T* next = left.begin;
    It hole = first; // up to `right` there are as many as elements in the memory
    try {
        for (It right = middle; next != left.end && right != last;) {
            check_stop<Executor>();
            T* const next_end = next_look(next, left.end);
            const It right_end = next_look(right, last);
            for (; next != next_end && right != right_end; ++hole) {
                if (less(*right, *next)) {
                    *hole = std::ranges::iter_move(right);
                    ++right;
                } else {
                    *hole = std::move(*next);
                    ++next;
                }
            }
        }
        for (; next != left.end; ++next, static_cast<void>(++hole)) *hole = std::move(*next);
    } catch (...) {
        for (; next != left.end; ++next, static_cast<void>(++hole)) put_back_quietly(hole, *next);
        throw;
    }
}

template <class Executor, class It, class Less>
void merge_by_rotation(It first, It middle, It last, Less& less) {
    if (first == middle || middle == last) return;
    const std::ptrdiff_t n = last - first;
    if (n == 2) {
        if (less(*middle, *first)) std::ranges::iter_swap(first, middle);
        return;
    }
    if (n >= sorted_between_looks) check_stop<Executor>();
    It left_cut = first;
    It right_cut = middle;
    if (middle - first > last - middle) {
        left_cut += (middle - first) / 2;
        right_cut = std::lower_bound(middle, last, *left_cut, std::ref(less));
    } else {
        right_cut += (last - middle) / 2;
        left_cut = std::upper_bound(first, middle, *right_cut, std::ref(less));
    }
    const It cut = std::rotate(left_cut, middle, right_cut);
    const auto lower = [=, &less] { merge_by_rotation<Executor>(first, left_cut, cut, less); };
    const auto upper = [=, &less] { merge_by_rotation<Executor>(cut, right_cut, last, less); };
    if (n >= merge_fork_limit) {
        Executor::fork_both(lower, upper);
    } else {
        lower();
        upper();
    }
}

// `memory` has room for all, or is null.
template <class Executor, class It, class T, class Less>
void merge_sort(It first, It last, T* memory, Less& less) {
    const std::ptrdiff_t n = last - first;
    if (n <= insertion_limit) {
        insertion_sort(first, last, less);
        return;
    }
    if (n >= sorted_between_looks) check_stop<Executor>();
    const It middle = first + n / 2;
    T* const upper_memory = memory == nullptr ? nullptr : memory + n / 2;
    const auto lower = [=, &less] { merge_sort<Executor>(first, middle, memory, less); };
    const auto upper = [=, &less] { merge_sort<Executor>(middle, last, upper_memory, less); };
    if (n >= merge_fork_limit) {
        Executor::fork_both(lower, upper);
    } else {
        lower();
        upper();
    }
    if (!less(*middle, *(middle - 1))) return;
    if (memory != nullptr) {
        merge_with_memory<Executor>(first, middle, last, memory, less);
    } else {
        merge_by_rotation<Executor>(first, middle, last, less);
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
