// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <type_traits>
#include <utility>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/misuse.hpp>
#include <skerry/detail/core/task_function.hpp>
#include <skerry/detail/frontend/forkjoin/blocking_region.hpp>
#include <skerry/detail/sched/named_section.hpp>

namespace skerry::inline SKERRY_ABI {

// Calls f, which may block in the system (a read, a lock, a sleep), and lets another thread work in this one's place
// meanwhile. Returns what f returns; f's exception passes through.
//
// At most options::blocking_threads threads stand in; beyond that, blocked workers are simply missing until their call
// returns. Thread safety: any thread; outside a parallel region it is a plain call. Costs about a microsecond.
template <detail::task_function F>
decltype(auto) blocking(F&& f) {
    const detail::blocking_region lent;
    const detail::section_of<F> shown(detail::body_name<std::remove_reference_t<F>>);
    return std::invoke(f);
}
// Any other call: what is wrong with it.
template <class... A>
    requires(sizeof...(A) != 1 || !(detail::task_function<A> && ...))
auto blocking(A&&...) {
    detail::explain_call<A...>();
}

} // namespace skerry::inline SKERRY_ABI
