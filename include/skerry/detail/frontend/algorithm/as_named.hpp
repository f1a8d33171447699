// SPDX-License-Identifier: Apache-2.0
#pragma once

// How an algorithm shows the name of its body: on an executor whose forks and leaves have that name.

#include <cstdint>
#include <type_traits>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/trace/body_name.hpp>

namespace skerry::inline SKERRY_ABI::detail {

struct silent_call {
    silent_call() noexcept {}
};

// The executor whose forks show the name, and what shows a whole call, for an executor that can.
template <class Executor, class Named>
struct executor_as {
    using type = Executor;
    using call = silent_call;
};

// The first of these types that has a name, else void.
template <class... F>
struct first_named {
    using type = void;
};
template <class F, class... Rest>
struct first_named<F, Rest...> {
    using type = typename std::conditional_t<has_name<F>, std::type_identity<F>, first_named<Rest...>>::type;
};

// What a call of an algorithm with these functions runs on.
template <class Executor, class... F>
using as_named = typename executor_as<Executor, typename first_named<F...>::type>::type;

// Lives as long as the call.
template <class Executor, class... F>
using call_of = typename executor_as<Executor, typename first_named<F...>::type>::call;

// leaf(k). The leaf must outlive it.
template <class Named, class Leaf>
struct leaf_of {
    const Leaf& leaf;

    decltype(auto) operator()(std::uint64_t k) const { return leaf(k); }
};
template <class Named, class Leaf>
inline constexpr auto body_name<leaf_of<Named, Leaf>> = body_name<Named>;

// A source_fold.
template <class Named, class Fold>
struct fold_of : Fold {};
template <class Named, class Fold>
inline constexpr auto body_name<fold_of<Named, Fold>> = body_name<Named>;

} // namespace skerry::inline SKERRY_ABI::detail
