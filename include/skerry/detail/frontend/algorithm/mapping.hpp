// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/detail/frontend/algorithm/as_named.hpp>
#include <skerry/detail/frontend/algorithm/handed_on.hpp>
#include <skerry/detail/frontend/algorithm/loop.hpp>
#include <skerry/detail/frontend/algorithm/sequence.hpp>
#include <skerry/detail/frontend/algorithm/source.hpp>

#include <variant>

namespace skerry::inline SKERRY_ABI::detail {

template <class Executor>
struct parallel_for_each_function {
    template <class It, class End, class F, grain_or_none Grain = no_grain>
        requires random_access_pair<It, End>
    void operator()(It first, End last, F f, Grain g = {}) const {
        if constexpr (fits_or_explains<callable_with_an_element<F, It>>()) run_iterators<Executor>(f, first, last, g);
    }
    template <random_access_sequence R, class F, grain_or_none Grain = no_grain>
    void operator()(R&& range, F f, Grain g = {}) const {
        (*this)(range_first(range), range_last(range), std::move(f), g);
    }

    // Forward iterators, and sources.
    template <class It, class End, class F>
        requires forward_pair<It, End>
    [[gnu::__always_inline__]] void operator()(It first, End last, F f) const {
        if constexpr (fits_or_explains<callable_with_an_element<F, It>>() && leaves_bits_alone<F, It>()) {
            const through_iterator<handed_on_function<F, std::iter_reference_t<It>>, It> at{f};
            for_each_of<F>(walk<It, End>(first, last), at);
        }
    }
    template <forward_sequence R, class F>
    [[gnu::__always_inline__]] void operator()(R&& range, F f) const {
        (*this)(range_first(range), range_last(range), std::move(f));
    }
    template <element_source S, class F>
    [[gnu::__always_inline__]] void operator()(S source, F f) const {
        if constexpr (fits_or_explains<std::invocable<F&, source_reference<S>>>() &&
                      leaves_bits_alone<F, found_by<S>>())
            for_each_of<F>(std::move(source), f);
    }

  private:
    template <bool Fits>
    static consteval bool fits_or_explains() {
        static_assert(Fits, "skerry: parallel_for_each: f must be callable as f(x) with an element x");
        return Fits;
    }

    // Named: the function that the caller gave.
    template <class Named, class S, class F>
    [[gnu::__always_inline__]] static void for_each_of(S&& source, F& f) {
        using function = visit<handed_on_function<F, source_reference<S>>>;
        const source_fold<std::monostate, join_nothing, function> how{{}, {f}};
        const call_of<Executor, Named> shown;
        static_cast<void>(
            as_named<Executor, Named>::template fold_source<std::monostate>({}, static_cast<S&&>(source), how));
    }
};

template <class It, class Out, class F>
struct transform_run {
    const It& first;
    const Out& out;
    F& f;

    void operator()(std::uint64_t from, std::uint64_t to) const {
        It in = advanced(first, from);
        Out to_write = advanced(out, from);
        for (; from != to; ++from, static_cast<void>(++in), ++to_write) write(to_write, casting<decltype(*in)>(f)(*in));
    }
    void operator()(std::uint64_t k) const { (*this)(k, k + 1); }
};

template <class It1, class It2, class Out, class F>
struct pair_transform_run {
    const It1& first1;
    const It2& first2;
    const Out& out;
    F& f;

    void operator()(std::uint64_t from, std::uint64_t to) const {
        It1 in1 = advanced(first1, from);
        It2 in2 = advanced(first2, from);
        Out to_write = advanced(out, from);
        for (; from != to; ++from, static_cast<void>(++in1), static_cast<void>(++in2), ++to_write)
            write(to_write, casting<decltype(*in1), decltype(*in2)>(f)(*in1, *in2));
    }
    void operator()(std::uint64_t k) const { (*this)(k, k + 1); }
};

template <class Executor>
struct parallel_transform_function {
    template <class It, class End, class Out, class F, grain_or_none Grain = no_grain>
        requires random_access_pair<It, End> && std::random_access_iterator<Out>
    Out operator()(It first, End last, Out out, F f, Grain g = {}) const {
        constexpr bool fits = requires { *out = f(*first); };
        static_assert(fits, "skerry: parallel_transform: f must be callable as f(x) with an element x and its result "
                            "must be assignable to the output's elements");
        if constexpr (fits && writes_no_bits<Out>() && reads_bits<F, It>()) {
            const std::uint64_t n = sequence_length(first, last);
            const call_of<Executor, F> shown;
            run_pieces<as_named<Executor, F>>(transform_run<It, Out, F>{first, out, f}, n, g);
            return advanced(out, n);
        } else {
            return out;
        }
    }
    template <random_access_sequence R, std::random_access_iterator Out, class F, grain_or_none Grain = no_grain>
    Out operator()(R&& range, Out out, F f, Grain g = {}) const {
        return (*this)(range_first(range), range_last(range), std::move(out), std::move(f), g);
    }

    template <class It1, class End1, class It2, class Out, class F, grain_or_none Grain = no_grain>
        requires random_access_pair<It1, End1> && random_access_pair<It2> && std::random_access_iterator<Out>
    Out operator()(It1 first1, End1 last1, It2 first2, Out out, F f, Grain g = {}) const {
        constexpr bool fits = requires { *out = f(*first1, *first2); };
        static_assert(fits,
                      "skerry: parallel_transform: f must be callable as f(x, y) with an element of each sequence "
                      "and its result must be assignable to the output's elements");
        if constexpr (fits && writes_no_bits<Out>() && reads_bits<F, It1, It2>()) {
            const std::uint64_t n = sequence_length(first1, last1);
            const call_of<Executor, F> shown;
            run_pieces<as_named<Executor, F>>(pair_transform_run<It1, It2, Out, F>{first1, first2, out, f}, n, g);
            return advanced(out, n);
        } else {
            return out;
        }
    }
    template <random_access_sequence R1, random_access_sequence R2, std::random_access_iterator Out, class F,
              grain_or_none Grain = no_grain>
    Out operator()(R1&& range1, R2&& range2, Out out, F f, Grain g = {}) const {
        return (*this)(range_first(range1), range_last(range1), range_first(range2), std::move(out), std::move(f), g);
    }
};

} // namespace skerry::inline SKERRY_ABI::detail
