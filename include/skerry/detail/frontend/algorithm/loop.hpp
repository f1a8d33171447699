// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/detail/core/kernel_like.hpp>
#include <skerry/detail/frontend/algorithm/as_named.hpp>
#include <skerry/detail/frontend/algorithm/box_loop.hpp>
#include <skerry/detail/frontend/algorithm/indices.hpp>
#include <skerry/detail/frontend/algorithm/pieces.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// f(i) for the indices number from ... to - 1 of a loop that begins at first. The counter has the body's type and a
// plain comparison wherever that is right, because this is the form that compilers vectorise.
template <class Index, class First, class F>
void run_indices(F& f, First first, std::uint64_t from, std::uint64_t to) {
    const auto begin = static_cast<Index>(static_cast<std::uint64_t>(first) + from);
    const auto end = static_cast<Index>(static_cast<std::uint64_t>(first) + to);
    if constexpr (std::is_signed_v<First> && std::is_unsigned_v<Index>) {
        for (Index i = begin; i != end; ++i) call_with_index(f, i); // may pass from 2^64 - 1 to 0
    } else {
        for (Index i = begin; i < end; ++i) call_with_index(f, i);
    }
}

template <class Index, class First, class F>
struct index_run {
    F& f;
    First first;

    void operator()(std::uint64_t from, std::uint64_t to) const { run_indices<Index>(f, first, from, to); }
    void operator()(std::uint64_t k) const {
        call_with_index(f, static_cast<Index>(static_cast<std::uint64_t>(first) + k));
    }
};

template <class It, class F>
struct element_run {
    F& f;
    const It& first;

    void operator()(std::uint64_t from, std::uint64_t to) const {
        It it = first + static_cast<std::ptrdiff_t>(from);
        for (std::uint64_t n = to - from; n != 0; --n, static_cast<void>(++it))
            static_cast<void>(casting<decltype(*it)>(f)(*it));
    }
    void operator()(std::uint64_t k) const {
        static_cast<void>(casting<decltype(*first)>(f)(*(first + static_cast<std::ptrdiff_t>(k))));
    }
};

template <class Executor, class It, class End, class F, grain_or_none Grain>
void run_iterators(F& f, const It& first, const End& last, Grain g) {
    if constexpr (leaves_bits_alone<F, It>()) {
        const auto n = static_cast<std::ptrdiff_t>(last - first);
        if (n <= 0) return;
        const call_of<Executor, F> shown;
        run_pieces<as_named<Executor, F>>(element_run<It, F>{f, first}, static_cast<std::uint64_t>(n), g);
    }
}

// Calls a body once for each index, element or point, in any order and perhaps at the same time; returns when all calls
// have returned. The body is one object, shared by all calls. If calls throw, the exception of the leftmost of them
// arrives here, and calls that have not begun may be left out.
template <class Executor>
struct parallel_for_function {
    // f(i) for first <= i < last. The bounds are compared as numbers, even if one is signed and the other is not.
    template <index_like First, index_like Last, class F, grain_or_none Grain = no_grain>
        requires(!kernel_like<F>)
    void operator()(First first, Last last, F f, Grain g = {}) const {
        using index = typename index_of<First, Last>::type;
        static_assert(callable_with_an_index<F, index>,
                      "skerry: parallel_for(first, last, f): f must be callable as f(i) with an index i");
        if constexpr (callable_with_an_index<F, index>) {
            const call_of<Executor, F> shown;
            run_pieces<as_named<Executor, F>>(index_run<index, First, F>{f, first}, distance_between(first, last), g);
        }
    }

    // f(*it) for first <= it < last.
    template <class It, class End, class F, grain_or_none Grain = no_grain>
        requires random_access_like<It, End>
    void operator()(It first, End last, F f, Grain g = {}) const {
        static_assert(callable_with_an_element<F, It>,
                      "skerry: parallel_for(first, last, f): f must be callable as f(*first)");
        if constexpr (callable_with_an_element<F, It>) run_iterators<Executor>(f, first, last, g);
    }

    // f(x) for each element x of a random-access range.
    template <class R, class F, grain_or_none Grain = no_grain>
        requires random_access_range_like<R>
    void operator()(R&& range, F f, Grain g = {}) const {
        using iterator = decltype(range_first(range));
        static_assert(callable_with_an_element<F, iterator>,
                      "skerry: parallel_for(range, f): f must be callable as f(x) with an element x of the range");
        if constexpr (callable_with_an_element<F, iterator>)
            run_iterators<Executor>(f, range_first(range), range_last(range), g);
    }

    // f(i), f(i, j) or f(i, j, k) for each point of the box; the coordinates are std::ptrdiff_t.
    template <std::size_t N, class F>
    void operator()(const box<N>& space, F f, grain g = grain::automatic(),
                    schedule order = schedule::recursive) const {
        static_assert(callable_with_a_point<F, N>,
                      "skerry: parallel_for(box<N>, f): f must be callable with N coordinates");
        if constexpr (callable_with_a_point<F, N>) {
            const call_of<Executor, F> shown;
            run_box<as_named<Executor, F>>(f, space, g, order);
        }
    }
    template <std::size_t N, class F>
    void operator()(const box<N>& space, F f, schedule order) const {
        (*this)(space, static_cast<F&&>(f), grain::automatic(), order);
    }

    // A kernel with its arguments, for first <= i < last: kernel.hpp.
    template <index_like First, index_like Last, kernel_like Kernel, class... A>
    void operator()(First first, Last last, const Kernel& /*body*/, const A&... arguments) const {
        Kernel::template loop<Executor>({}, first, last, arguments...);
    }
    template <class Place, index_like First, index_like Last, kernel_like Kernel, class... A>
    void operator()(Place where, First first, Last last, const Kernel& /*body*/, const A&... arguments) const {
        Kernel::template loop<Executor>(where, first, last, arguments...);
    }
};

} // namespace skerry::inline SKERRY_ABI::detail
