// SPDX-License-Identifier: Apache-2.0
#pragma once

// The leftmost match, with the serial program's outcome: if the predicate throws at j and matches at k < j, the answer
// is k and the exception is dropped; if j < k, the exception arrives. Both follow from joining the tree from the left.

#include <skerry/detail/frontend/algorithm/as_named.hpp>
#include <skerry/detail/frontend/algorithm/pieces.hpp>
#include <skerry/detail/frontend/algorithm/sequence.hpp>

#include <exception>
#include <ranges>

namespace skerry::inline SKERRY_ABI::detail {

inline constexpr std::uint64_t not_found = ~std::uint64_t{0};

template <class Executor, class Test>
class search {
  public:
    search(const Test& test, std::uint64_t count, grain g)
        : test_{test},
          cuts_{cut<Executor>(count, g)},
          lazy_{g.is_automatic()} {}

    // The smallest k with test(k), or not_found.
    std::uint64_t run() { return search_leaves(0, cuts_.number()); }

  private:
    static constexpr std::uint64_t few = 64;

    std::uint64_t search_leaves(std::uint64_t first, std::uint64_t last) {
        if (last - first == 1) {
            check_stop<Executor>();
            return search_part(cuts_.first(first), cuts_.last(first));
        }
        const std::uint64_t middle = first + (last - first) / 2;
        return search_both([this, first, middle] { return search_leaves(first, middle); },
                           [this, middle, last] { return search_leaves(middle, last); });
    }

    // What of it is behind a match is asked to stop.
    std::uint64_t search_part(std::uint64_t first, std::uint64_t last) {
        if constexpr (requires { typename Executor::search_part; }) {
            if (first != 0) {
                const typename Executor::search_part here(best_, first);
                return search_leaf(first, last);
            }
        }
        return search_leaf(first, last);
    }
    std::uint64_t search_leaf(std::uint64_t first, std::uint64_t last) {
        if (!lazy_) return search_run<false>(first, last);
        return last - first <= few ? search_run<true>(first, last) : search_lazily(first, last);
    }

    std::uint64_t search_lazily(std::uint64_t first, std::uint64_t last) {
        for (leaf_pace pace(pace_, last - first, blocks_per_leaf, shortest_block); last - first > pace.block();) {
            const std::uint64_t found = search_block(first, first + pace.block());
            if (found != not_found) return found;
            first += pace.block();
            pace.next();
            check_stop<Executor>();
            if (Executor::demand() && last - first > 1) {
                const std::uint64_t middle = first + (last - first) / 2;
                return search_both([this, first, middle] { return search_part(first, middle); },
                                   [this, middle, last] { return search_part(middle, last); });
            }
        }
        return search_block(first, last);
    }

    template <class Left, class Right>
    std::uint64_t search_both(const Left& left, const Right& right) {
        std::uint64_t l = not_found;
        std::uint64_t r = not_found;
        std::exception_ptr thrown;
        Executor::fork_both([&l, &left] { l = left(); },
                            [&r, &right, &thrown] {
                                try {
                                    r = right();
                                } catch (...) {
                                    thrown = std::current_exception();
                                }
                            });
        if (l != not_found) return l;
        if (thrown) std::rethrow_exception(std::move(thrown));
        return r;
    }

    // One of many elements is known to be short, and looks for a match before it some at a time.
    std::uint64_t search_block(std::uint64_t first, std::uint64_t last) {
        constexpr std::uint64_t some = 4;
        if (last - first > few) {
            for (; last - first >= some && best_.get() >= first; first += some) {
#pragma GCC unroll 4
                for (std::uint64_t k = first; k < first + some; ++k) {
                    if (test_(k)) return note(k);
                }
            }
        }
        return search_run<false>(first, last);
    }

    // `Looks`: before each element whether the search was called off, which for few costs less than a clock.
    template <bool Looks>
    std::uint64_t search_run(std::uint64_t first, std::uint64_t last) {
        for (; first < last && best_.get() >= first; ++first) {
            if constexpr (Looks) check_stop<Executor>();
            if (test_(first)) return note(first);
        }
        return not_found;
    }
    std::uint64_t note(std::uint64_t found) {
        best_.lower_to(found);
        return found;
    }

    const Test& test_;
    const leaves cuts_;
    const bool lazy_;
    loop_pace pace_;
    typename Executor::minimum best_{not_found};
};

// The smallest k < count with test(k), or count.
template <class Executor, class Test>
std::uint64_t find_first(const Test& test, std::uint64_t count, grain g) {
    if constexpr (!Executor::parallel) {
        for (std::uint64_t k = 0; k < count; ++k) {
            check_stop<Executor>();
            if (test(k)) return k;
        }
        return count;
    } else {
        if (count == 0) return 0;
        check_stop<Executor>();
        const std::uint64_t found = search<Executor, Test>{test, count, g}.run();
        return found == not_found ? count : found;
    }
}

template <class Executor>
struct parallel_find_if_function {
    template <class It, class End, class Predicate>
        requires random_access_pair<It, End>
    It operator()(It first, End last, Predicate predicate, grain g = grain::automatic()) const {
        static_assert(predicate_on<Predicate, It>,
                      "skerry: parallel_find_if: the predicate must be callable with an element and give a bool");
        if constexpr (predicate_on<Predicate, It> && reads_bits<Predicate, It>()) {
            const auto test = [&](std::uint64_t k) {
                return static_cast<bool>(casting<std::iter_reference_t<It>>(predicate)(element(first, k)));
            };
            const call_of<Executor, Predicate> shown;
            return advanced(first, find_first<as_named<Executor, Predicate>>(test, sequence_length(first, last), g));
        } else {
            return first;
        }
    }
    // The iterator points into the range: no temporaries, unless they only borrow.
    template <random_access_sequence R, class Predicate>
    sequence_iterator<R> operator()(R&& range, Predicate predicate, grain g = grain::automatic()) const {
        static_assert(std::is_lvalue_reference_v<R&&> || std::ranges::enable_borrowed_range<std::remove_cvref_t<R>>,
                      "skerry: parallel_find_if: the range is a temporary, the result would point into nothing");
        return (*this)(range_first(range), range_last(range), std::move(predicate), g);
    }
};

enum class quantifier { any, all, none };

// any: some element fulfils the predicate; all: none fails it; none: none fulfils it.
template <class Executor, quantifier Q>
struct parallel_quantifier_function {
    template <class It, class End, class Predicate>
        requires random_access_pair<It, End>
    bool operator()(It first, End last, Predicate predicate, grain g = grain::automatic()) const {
        static_assert(
            predicate_on<Predicate, It>,
            "skerry: parallel_any_of, all_of, none_of: the predicate must be callable with an element and give a bool");
        if constexpr (predicate_on<Predicate, It> && reads_bits<Predicate, It>()) {
            const auto test = [&](std::uint64_t k) {
                return static_cast<bool>(casting<std::iter_reference_t<It>>(predicate)(element(first, k))) ==
                       (Q != quantifier::all);
            };
            const std::uint64_t n = sequence_length(first, last);
            const call_of<Executor, Predicate> shown;
            return (find_first<as_named<Executor, Predicate>>(test, n, g) != n) == (Q == quantifier::any);
        } else {
            return false;
        }
    }
    template <random_access_sequence R, class Predicate>
    bool operator()(R&& range, Predicate predicate, grain g = grain::automatic()) const {
        return (*this)(range_first(range), range_last(range), std::move(predicate), g);
    }
};

} // namespace skerry::inline SKERRY_ABI::detail
