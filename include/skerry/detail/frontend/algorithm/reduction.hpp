// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/detail/frontend/algorithm/as_named.hpp>
#include <skerry/detail/frontend/algorithm/fold.hpp>
#include <skerry/detail/frontend/algorithm/handed_on.hpp>
#include <skerry/detail/frontend/algorithm/sequence.hpp>
#include <skerry/detail/frontend/algorithm/source.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// op(init, op(x0, op(x1, ...))), grouped in some way; init comes first.
// F: the functions that the caller gave.
template <class Executor, class... F, class T, class Op, class Get, grain_or_none Grain>
[[gnu::__always_inline__]] inline T reduce_from(T init, Op& op, const Get& get, std::uint64_t count, Grain g) {
    if (count == 0) return init;
    auto&& combine = casting<T, T>(op);
    const call_of<Executor, F...> shown;
    T sum = fold_all<as_named<Executor, F...>, T>(combine, get, count, g);
    return T(combine(std::move(init), std::move(sum)));
}

// transform(element(first, k)) for each k.
template <class T, class It, class Transform>
struct transformed {
    handed_on<const It> first;
    handed_on_function<Transform, std::iter_reference_t<It>> transform;

    T operator()(std::uint64_t k) const {
        return static_cast<T>(casting<std::iter_reference_t<It>>(transform)(element(first, k)));
    }
};

// init and transform(x) for each x that a source gives.
template <class Executor, class... F, class T, class Op, class Source, class Transform>
[[gnu::__always_inline__]] inline T reduce_source(Source&& source, T init, Op& op, Transform& transform) {
    const source_fold<T, handed_on_function<Op, T, T>, handed_on_function<Transform, source_reference<Source>>> how{
        op, transform};
    const call_of<Executor, F...> shown;
    return as_named<Executor, F...>::template fold_source<T>(std::move(init), static_cast<Source&&>(source), how);
}

template <class Executor>
struct parallel_reduce_function {
    template <class It, class End, class T, not_a_grain Op = std::plus<>, grain_or_none Grain = no_grain>
        requires random_access_pair<It, End>
    T operator()(It first, End last, T init, Op op = {}, Grain g = {}) const {
        constexpr bool fits = fits_or_explains<std::iter_reference_t<It>, T, Op>();
        if constexpr (fits) {
            const auto get = [&first](std::uint64_t k) -> T { return static_cast<T>(element(first, k)); };
            return reduce_from<Executor, Op>(std::move(init), op, get, sequence_length(first, last), g);
        } else {
            return init;
        }
    }
    template <class It, class End, class T>
        requires random_access_pair<It, End>
    T operator()(It first, End last, T init, grain g) const {
        return (*this)(std::move(first), std::move(last), std::move(init), std::plus<>{}, g);
    }
    template <class It, class End>
        requires random_access_pair<It, End>
    std::iter_value_t<It> operator()(It first, End last) const {
        return (*this)(std::move(first), std::move(last), std::iter_value_t<It>{}, std::plus<>{});
    }

    // Forward iterators, and sources.
    template <class It, class End, class T, not_a_grain Op = std::plus<>>
        requires forward_pair<It, End>
    [[gnu::__always_inline__]] T operator()(It first, End last, T init, Op op = {}) const {
        constexpr bool fits = fits_or_explains<std::iter_reference_t<It>, T, Op>();
        if constexpr (fits) {
            const auto read = [](const It& it) -> T { return static_cast<T>(*it); };
            return reduce_source<Executor, Op>(walk<It, End>(first, last), std::move(init), op, read);
        } else {
            return init;
        }
    }
    template <forward_sequence R, class T, not_a_grain Op = std::plus<>>
    [[gnu::__always_inline__]] T operator()(R&& range, T init, Op op = {}) const {
        return (*this)(range_first(range), range_last(range), std::move(init), std::move(op));
    }
    template <element_source S, class T, not_a_grain Op = std::plus<>>
    [[gnu::__always_inline__]] T operator()(S source, T init, Op op = {}) const {
        constexpr bool fits = fits_or_explains<source_reference<S>, T, Op>();
        if constexpr (fits) {
            const auto read = [](source_reference<S> x) -> T { return static_cast<T>(x); };
            return reduce_source<Executor, Op>(std::move(source), std::move(init), op, read);
        } else {
            return init;
        }
    }

    template <random_access_sequence R, class T, not_a_grain Op = std::plus<>, grain_or_none Grain = no_grain>
    T operator()(R&& range, T init, Op op = {}, Grain g = {}) const {
        return (*this)(range_first(range), range_last(range), std::move(init), std::move(op), g);
    }
    template <random_access_sequence R, class T>
    T operator()(R&& range, T init, grain g) const {
        return (*this)(range_first(range), range_last(range), std::move(init), std::plus<>{}, g);
    }
    template <random_access_sequence R>
    std::iter_value_t<sequence_iterator<R>> operator()(R&& range) const {
        return (*this)(range_first(range), range_last(range));
    }

  private:
    template <class Element, class T, class Op>
    static consteval bool fits_or_explains() {
        static_assert(binary_operation_on<Op, T>,
                      "skerry: parallel_reduce: op must be callable as op(x, y) with two values of init's type T "
                      "and give a T");
        static_assert(std::convertible_to<Element, T>,
                      "skerry: parallel_reduce: the elements must convert to init's type");
        return binary_operation_on<Op, T> && std::convertible_to<Element, T>;
    }
};

template <class Executor>
struct parallel_transform_reduce_function {
    // One sequence.
    template <class It, class End, class T, class Reduce, not_a_grain Transform, grain_or_none Grain = no_grain>
        requires random_access_pair<It, End>
    [[gnu::__always_inline__]] T operator()(It first, End last, T init, Reduce reduce, Transform transform,
                                            Grain g = {}) const {
        constexpr bool fits = fits_or_explains<T, Reduce>() && check_transform<transformation_to<Transform, It, T>>() &&
                              reads_bits<Transform, It>();
        if constexpr (fits) {
            const transformed<T, It, Transform> get{first, transform};
            return reduce_from<Executor, Transform, Reduce>(std::move(init), reduce, get, sequence_length(first, last),
                                                            g);
        } else {
            return init;
        }
    }
    template <random_access_sequence R, class T, class Reduce, not_a_grain Transform, grain_or_none Grain = no_grain>
        requires(!random_access_sequence<T> || binary_operation_on<Reduce, T>)
    [[gnu::__always_inline__]] T operator()(R&& range, T init, Reduce reduce, Transform transform, Grain g = {}) const {
        return (*this)(range_first(range), range_last(range), std::move(init), std::move(reduce), std::move(transform),
                       g);
    }

    // Forward iterators, and sources.
    template <class It, class End, class T, class Reduce, class Transform>
        requires forward_pair<It, End>
    [[gnu::__always_inline__]] T operator()(It first, End last, T init, Reduce reduce, Transform transform) const {
        constexpr bool fits = fits_or_explains<T, Reduce>() && check_transform<transformation_to<Transform, It, T>>() &&
                              reads_bits<Transform, It>();
        if constexpr (fits) {
            using element = std::iter_reference_t<It>;
            const through_iterator<handed_on_function<Transform, element>, It> read{transform};
            return reduce_source<Executor, Transform, Reduce>(walk<It, End>(first, last), std::move(init), reduce,
                                                              read);
        } else {
            return init;
        }
    }
    template <forward_sequence R, class T, class Reduce, class Transform>
    [[gnu::__always_inline__]] T operator()(R&& range, T init, Reduce reduce, Transform transform) const {
        return (*this)(range_first(range), range_last(range), std::move(init), std::move(reduce), std::move(transform));
    }
    template <element_source S, class T, class Reduce, class Transform>
    [[gnu::__always_inline__]] T operator()(S source, T init, Reduce reduce, Transform transform) const {
        constexpr bool fits = fits_or_explains<T, Reduce>() &&
                              check_transform<source_transformation_to<Transform, S, T>>() &&
                              reads_bits<Transform, found_by<S>>();
        if constexpr (fits) {
            return reduce_source<Executor, Transform, Reduce>(std::move(source), std::move(init), reduce, transform);
        } else {
            return init;
        }
    }

    // Two sequences; the second is as long as the first.
    template <class It1, class End1, class It2, class T, class Reduce, class Transform, grain_or_none Grain = no_grain>
        requires random_access_pair<It1, End1> && random_access_pair<It2>
    T operator()(It1 first1, End1 last1, It2 first2, T init, Reduce reduce, Transform transform, Grain g = {}) const {
        constexpr bool fits = fits_or_explains<T, Reduce>() && pair_transformation_to<Transform, It1, It2, T> &&
                              reads_bits<Transform, It1, It2>();
        static_assert(pair_transformation_to<Transform, It1, It2, T>,
                      "skerry: parallel_transform_reduce: transform must be callable with an element of each sequence "
                      "and its result must convert to init's type");
        if constexpr (fits) {
            const auto get = [&first1, &first2, &transform](std::uint64_t k) -> T {
                return static_cast<T>(casting<std::iter_reference_t<It1>, std::iter_reference_t<It2>>(transform)(
                    element(first1, k), element(first2, k)));
            };
            return reduce_from<Executor, Transform, Reduce>(std::move(init), reduce, get,
                                                            sequence_length(first1, last1), g);
        } else {
            return init;
        }
    }
    template <class It1, class End1, class It2, class T, grain_or_none Grain = no_grain>
        requires random_access_pair<It1, End1> && random_access_pair<It2>
    T operator()(It1 first1, End1 last1, It2 first2, T init, Grain g = {}) const {
        return (*this)(std::move(first1), std::move(last1), std::move(first2), std::move(init), std::plus<>{},
                       std::multiplies<>{}, g);
    }
    template <random_access_sequence R1, random_access_sequence R2, class T, class Reduce, not_a_grain Transform,
              grain_or_none Grain = no_grain>
    T operator()(R1&& range1, R2&& range2, T init, Reduce reduce, Transform transform, Grain g = {}) const {
        return (*this)(range_first(range1), range_last(range1), range_first(range2), std::move(init), std::move(reduce),
                       std::move(transform), g);
    }
    template <random_access_sequence R1, random_access_sequence R2, class T, grain_or_none Grain = no_grain>
    T operator()(R1&& range1, R2&& range2, T init, Grain g = {}) const {
        return (*this)(range_first(range1), range_last(range1), range_first(range2), std::move(init), std::plus<>{},
                       std::multiplies<>{}, g);
    }

  private:
    template <bool Fits>
    static consteval bool check_transform() {
        static_assert(Fits, "skerry: parallel_transform_reduce: transform must be callable with an element and its "
                            "result must convert to init's type");
        return Fits;
    }
    template <class T, class Reduce>
    static consteval bool fits_or_explains() {
        static_assert(binary_operation_on<Reduce, T>,
                      "skerry: parallel_transform_reduce: reduce must be callable as reduce(x, y) with two values of "
                      "init's type T and give a T");
        return binary_operation_on<Reduce, T>;
    }
};

} // namespace skerry::inline SKERRY_ABI::detail
