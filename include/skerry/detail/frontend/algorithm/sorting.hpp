// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which sort for which elements:
//   integral keys in their natural order, or its reverse, of plain elements in contiguous memory: radix;
//   plain elements in contiguous memory: sample sort;
//   others: quicksort in place, or merge sort if it must be stable.
// Where memory is short, in-place sorts take over. Sequences already in order cost one look.

#include <skerry/detail/frontend/algorithm/as_named.hpp>
#include <skerry/detail/frontend/algorithm/sort_merge.hpp>
#include <skerry/detail/frontend/algorithm/sort_radix.hpp>
#include <skerry/detail/frontend/algorithm/sort_sample.hpp>

#include <functional>
#include <memory>

namespace skerry::inline SKERRY_ABI::detail {

enum class key_order { none, ascending, descending };

// The natural order of integers, as far as the type of the comparison tells it.
template <class Compare, class Key>
constexpr key_order order_of() noexcept {
    if constexpr (std::integral<Key> && sizeof(Key) <= sizeof(std::uint64_t)) {
        if constexpr (std::same_as<Compare, std::less<>> || std::same_as<Compare, std::less<Key>> ||
                      std::same_as<Compare, std::ranges::less>) {
            return key_order::ascending;
        } else if constexpr (std::same_as<Compare, std::greater<>> || std::same_as<Compare, std::greater<Key>> ||
                             std::same_as<Compare, std::ranges::greater>) {
            return key_order::descending;
        }
    }
    return key_order::none;
}

template <class Projection, class It>
using sort_key = std::remove_cvref_t<std::invoke_result_t<Projection&, const std::iter_value_t<It>&>>;

// A projected integer as an unsigned number that ascends in the wanted order.
template <class Key, key_order Order, class Projection>
class radix_key {
  public:
    // Whether an element has one key, however often it is asked for. What a function answers nobody knows.
    static constexpr bool steady =
        std::same_as<Projection, std::identity> || std::is_member_object_pointer_v<Projection>;

    explicit radix_key(Projection& projection) noexcept : projection_{projection} {}

    template <class T>
    auto operator()(const T& element) const {
        const Key key = std::invoke(projection_, element);
        if constexpr (std::same_as<Key, bool>) {
            return static_cast<std::uint8_t>(Order == key_order::ascending ? key : !key);
        } else {
            using number = std::make_unsigned_t<Key>;
            constexpr number sign = std::is_signed_v<Key> ? static_cast<number>(number{1} << (sizeof(Key) * 8 - 1)) : 0;
            constexpr number reverse = Order == key_order::descending ? static_cast<number>(~number{0}) : 0;
            return static_cast<number>(static_cast<number>(key) ^ sign ^ reverse);
        }
    }

  private:
    Projection& projection_;
};

// Sorted from the start or, strictly, from the end: then nothing is left to do.
template <class Executor, class It, class Less>
bool settle_sorted(It first, It last, Less& less) {
    It next = first + 1;
    const bool falls = less(*next, *first);
    ++next;
    for (It look = next_look(first, last);; look = next_look(next, last)) {
        while (next != look && less(*next, *(next - 1)) == falls) ++next;
        if (next != look || next == last) [[likely]]
            break;
        check_stop<Executor>();
    }
    if (falls && next == last) std::reverse(first, last);
    return next == last;
}

// Few elements, on the stack.
template <bool Stable, class T, class Less>
void sort_few_plain(T* first, std::uint64_t n, Less& less) {
    plain_array<T, small_sort_limit> other;
    sort_small<Stable>(first, other.items, n, false, less);
}

// Without memory for a second array.
template <class Executor, bool Stable, class It, class Less>
void sort_without_memory(It first, It last, Less& less) {
    if constexpr (Stable) {
        merge_sort<Executor>(first, last, static_cast<std::iter_value_t<It>*>(nullptr), less);
    } else {
        sort_in_place<Executor>(first, last, less);
    }
}

template <class Executor, bool Stable, class T, class Less>
void sort_plain(T* first, std::uint64_t n, Less& less) {
    if (n <= small_sort_limit) return sort_few_plain<Stable>(first, n, less);
    const scratch<T, typename Executor::memory> other{n};
    const scratch<bucket_id, typename Executor::memory> ids{n};
    if (!other || !ids) return sort_without_memory<Executor, Stable>(first, first + n, less);
    sample_sorter<Executor, Stable, T, Less>{less}.sort(first, other.data(), ids.data(), n, false, bad_rounds_allowed);
}

template <class Executor, bool Stable, class It, class Less>
void sort_by_comparison(It first, It last, Less& less) {
    using value = std::iter_value_t<It>;
    const std::uint64_t n = sequence_length(first, last);
    if (n < 2 || settle_sorted<Executor>(first, last, less)) return;
    if constexpr (plain_element<value> && std::contiguous_iterator<It>) {
        sort_plain<Executor, Stable>(std::to_address(first), n, less);
    } else if constexpr (Stable && std::is_nothrow_move_constructible_v<value>) {
        const scratch<value, typename Executor::memory> memory{n};
        merge_sort<Executor>(first, last, memory.data(), less);
    } else {
        sort_without_memory<Executor, Stable>(first, last, less);
    }
}

// T is plain, the key an integer in its natural order or its reverse.
template <class Executor, bool Stable, class T, class KeyOf, class Less>
void sort_by_radix(T* first, std::uint64_t n, const KeyOf& key_of, Less& less) {
    if (n <= small_sort_limit) return sort_few_plain<Stable>(first, n, less);
    if (!radix_sorter<Executor, Stable, T, KeyOf>{key_of}.sort(first, n))
        sort_without_memory<Executor, Stable>(first, first + n, less);
}

template <class Executor, bool Stable, class It, class Compare, class Projection>
void sort_any(It first, It last, Compare& compare, Projection& projection) {
    using value = std::iter_value_t<It>;
    using key = sort_key<Projection, It>;
    constexpr key_order order = order_of<Compare, key>();
    check_stop<Executor>();
    const auto less = [&compare, &projection](const value& x, const value& y) -> bool {
        return std::invoke(compare, std::invoke(projection, x), std::invoke(projection, y));
    };
    if constexpr (order != key_order::none && plain_element<value> && std::contiguous_iterator<It>) {
        const radix_key<key, order, Projection> key_of{projection};
        sort_by_radix<Executor, Stable>(std::to_address(first), sequence_length(first, last), key_of, less);
    } else {
        sort_by_comparison<Executor, Stable>(first, last, less);
    }
}

template <class Projection, class It>
concept projection_of = requires(Projection& p, const std::iter_value_t<It>& x) { std::invoke(p, x); };
template <class Compare, class Projection, class It>
concept comparison_of = requires(Compare& less, Projection& p, const std::iter_value_t<It>& x) {
    { std::invoke(less, std::invoke(p, x), std::invoke(p, x)) } -> std::convertible_to<bool>;
};

template <class Executor, bool Stable>
struct parallel_sort_function {
    template <class It, class End, class Compare = std::less<>, class Projection = std::identity>
        requires random_access_pair<It, End>
    void operator()(It first, End last, Compare compare = {}, Projection projection = {}) const {
        static_assert(projection_of<Projection, It>,
                      "skerry: parallel_sort, parallel_stable_sort: the projection must be "
                      "callable with an element");
        if constexpr (projection_of<Projection, It>) {
            static_assert(comparison_of<Compare, Projection, It>,
                          "skerry: parallel_sort, parallel_stable_sort: the comparison must be callable with two "
                          "elements (or their projections) and give a bool");
            static_assert(std::permutable<It> || !writes_no_bits<It>(),
                          "skerry: parallel_sort, parallel_stable_sort: the elements must be movable and not constant");
            if constexpr (comparison_of<Compare, Projection, It> && std::permutable<It> && writes_no_bits<It>()) {
                const It end = first + static_cast<std::iter_difference_t<It>>(sequence_length(first, last));
                const call_of<Executor, Compare, Projection> shown;
                sort_any<as_named<Executor, Compare, Projection>, Stable>(first, end, compare, projection);
            }
        }
    }
    template <random_access_sequence R, class Compare = std::less<>, class Projection = std::identity>
    void operator()(R&& range, Compare compare = {}, Projection projection = {}) const {
        (*this)(range_first(range), range_last(range), std::move(compare), std::move(projection));
    }
};

} // namespace skerry::inline SKERRY_ABI::detail
