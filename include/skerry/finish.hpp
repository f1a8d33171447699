// SPDX-License-Identifier: Apache-2.0
#pragma once

// async and finish (X10, Habanero; HC-K2H paper): tasks without an own wait, and the one wait that covers them all.

#include <concepts>
#include <type_traits>
#include <utility>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/misuse.hpp>
#include <skerry/detail/core/task_function.hpp>
#include <skerry/detail/frontend/forkjoin/finish_frame.hpp>
#include <skerry/detail/frontend/forkjoin/joint_task.hpp>
#include <skerry/detail/sched/join.hpp>
#include <skerry/detail/sched/named_section.hpp>

namespace skerry::inline SKERRY_ABI {

// What finish() hands to its body. It may be handed down to whatever the finish waits for: calls, branches, tasks,
// also threads that the body itself joins.
//
// Thread safety: any number of threads.
class scope {
  public:
    explicit scope(detail::finish_frame& frame) noexcept : frame_(frame) {}
    scope(const scope&) = delete;
    scope& operator=(const scope&) = delete;

    // Begins f as a task that finish() waits for. f is moved or copied; its result is dropped, its exception arrives at
    // finish(). Also covered by a finish around the call, if that is another one.
    // Errors: std::bad_alloc, or what moving f throws; f does not run then.
    template <detail::storable_task_function F>
    void async(F&& f) {
        detail::begin_in_scope(frame_, std::forward<F>(f));
    }
    // Any other call: what is wrong with it.
    template <class... A>
        requires(sizeof...(A) != 1 || !(detail::storable_task_function<A> && ...))
    auto async(A&&...) {
        detail::explain_task<A...>();
    }

  private:
    detail::finish_frame& frame_;
};

// What finish() can run.
template <class F>
concept finish_body = std::invocable<std::remove_reference_t<F>&, scope&>;

// Runs body(scope&), then waits for every task begun in it, by whatever construct and however deep, and returns what
// body returned. While it waits it runs tasks of its own, never others.
//
// Exceptions: body's own, else the first that a task of the scope threw, or skerry::cancelled if a group around was
// cancelled and a task may have been skipped; always after the last task has ended.
// Thread safety: any thread; outside a region it takes a slot of the default runtime.
template <finish_body F>
decltype(auto) finish(F&& body) {
    if (detail::current_page == nullptr) {
        const detail::region_guard region;
        const detail::section_of<F> shown(detail::body_name<std::remove_reference_t<F>>);
        return detail::finish_with<scope>(body);
    }
    detail::throw_if_stopping();
    const detail::section_of<F> shown(detail::body_name<std::remove_reference_t<F>>);
    return detail::finish_with<scope>(body);
}
// Any other call: what is wrong with it.
template <class... A>
    requires(sizeof...(A) != 1 || !(finish_body<A> && ...))
auto finish(A&&...) {
    detail::explain_body<A...>();
}

} // namespace skerry::inline SKERRY_ABI
