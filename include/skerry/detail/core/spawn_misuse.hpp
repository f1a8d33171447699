// SPDX-License-Identifier: Apache-2.0
#pragma once

// What spawn() and taskwait_on() say to calls that they cannot run. How: see misuse.hpp.

#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/access_argument.hpp>
#include <skerry/detail/core/misuse.hpp>
#include <skerry/detail/core/parameters.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// What the function would take of an argument if it were not const: the object, or a view of what it may change.
template <class X>
struct writable {
    using type = X;
};
template <class T>
struct writable<const T&> {
    using type = T&;
};
template <template <class, std::size_t> class View, class T, std::size_t N>
struct writable<View<const T, N>> {
    using type = View<T, N>;
};

template <std::size_t N, class List>
struct parameter_at;
template <std::size_t N, class... P>
struct parameter_at<N, parameters<P...>> : std::tuple_element<N, std::tuple<P...>> {};

// Why an argument does not fit its parameter. K: what the task keeps of it.
template <class Parameter, class K>
constexpr misuse misuse_of_argument() noexcept {
    if (std::is_convertible_v<typename writable<passed_type<K>>::type, Parameter>) {
        return is_access<K> ? misuse::writes_what_it_read : misuse::writes_a_copy;
    }
    return !is_access<K> && std::is_convertible_v<K, Parameter> ? misuse::writes_a_copy : misuse::no_conversion;
}

// How many arguments stand in front of the first that cannot be kept, and of the first that does not fit.
template <class... A>
constexpr std::size_t kept() noexcept {
    std::size_t n = 0;
    static_cast<void>(((std::constructible_from<kept_argument<A>, A> && ++n != 0) && ...));
    return n;
}
template <class... A, class... P>
constexpr std::size_t fitting(parameters<P...>) noexcept {
    std::size_t n = 0;
    if constexpr (sizeof...(A) == sizeof...(P)) {
        static_cast<void>(((std::is_convertible_v<passed_type<kept_argument<A>>, P> && ++n != 0) && ...));
    }
    return n;
}

template <class F, class... A>
auto explain_spawn() {
    using function = typename named_function<std::decay_t<F>>::type;
    using known = typename parameters_of<function>::type;
    constexpr bool is_known = parameters_of<function>::known && !std::is_member_pointer_v<function>;
    constexpr std::size_t kept_ones = kept<A...>();
    if constexpr (is_access<function>) {
        explain<misuse::access_first, 0, F>();
    } else if constexpr (!callable<function>()) {
        explain<misuse::not_callable, 0, F>();
    } else if constexpr (!std::constructible_from<std::decay_t<F>, F>) {
        explain<misuse::not_kept, 0, F>();
    } else if constexpr (kept_ones != sizeof...(A)) {
        explain<misuse::argument_not_kept, kept_ones + 1, std::tuple_element_t<kept_ones, std::tuple<A...>>>();
    } else if constexpr (is_known && known::count != sizeof...(A)) {
        explain<misuse::parameter_count, known::count, A...>();
    } else if constexpr (constexpr std::size_t fits = fitting<A...>(known()); is_known && fits != sizeof...(A)) {
        using parameter = typename parameter_at<fits, known>::type;
        using argument = kept_argument<std::tuple_element_t<fits, std::tuple<A...>>>;
        explain<misuse_of_argument<parameter, argument>(), fits + 1, parameter, passed_type<argument>>();
    } else {
        explain<misuse::arguments, 0, F, passed_type<kept_argument<A>>...>();
    }
}

template <class... A>
auto explain_wait() {
    constexpr std::size_t n = [] {
        std::size_t accesses = 0;
        static_cast<void>(((is_access<A> && ++accesses != 0) && ...));
        return accesses;
    }();
    explain<misuse::no_access, n + 1, A...>();
}

} // namespace skerry::inline SKERRY_ABI::detail
