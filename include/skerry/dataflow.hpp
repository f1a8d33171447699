// SPDX-License-Identifier: Apache-2.0
#pragma once

// Dataflow tasks (OmpSs, Myrmics): a task begins when the tasks spawned before it that touch the same objects have
// ended, unless both only read.
//
//   spawn(potrf, inout(a));
//   spawn(trsm, in(a), inout(b));   // after the first
//   taskwait();
//
// Take the words spawn, in, out and inout away and the serial program remains; if each task's accesses lie within those
// of its parent, the results are the serial program's.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <skerry/access.hpp>
#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/export.hpp>
#include <skerry/detail/core/access_argument.hpp>
#include <skerry/detail/core/spawn_misuse.hpp>
#include <skerry/detail/frontend/dataflow/spawned_task.hpp>
#include <skerry/task_options.hpp>

namespace skerry::inline SKERRY_ABI {

// What spawn() returns. It is empty: nobody can ask it anything or wait for it. taskwait_on(in(x)) waits for the tasks
// that write x, taskwait() for all children; submit() begins a task that has a result and can be waited for alone.
class task_handle {};

// Begins f(arguments...) as a task when its turn comes. in(), out() and inout() are accesses: f takes the object. Other
// arguments are copied, and f takes the copy as const. f is moved or copied; its result is dropped. Two accesses of one
// task may name the same object.
//
// The task is a child of the task that runs now, or of the root around; it ends when it has returned and all that was
// begun in it has ended. Its exception arrives at the wait that covers it: taskwait(), the end of a finish() around the
// call, or the end of the parent. Later children that would have read what it has not written are skipped, and what
// they would have written is unwritten, too, until a child overwrites it by the same name as out(), or the wait that
// covers the task is over. A task that a cancelled group has skipped or cut short has written nothing, but throws
// nothing either; and so has one with such children, unless it has waited for them.
//
// The task may run before spawn() returns: do not hold a lock that it takes. taskwait(), taskwait_on(), spawn() beside
// more than 8,192 unfinished children, and the end of a finish() in a task that has unfinished ones may run any of
// these: hold no lock there that one of them takes. Tasks of different branches of a fork have no order.
//
// Errors: std::bad_alloc, what moving f or an argument throws; std::system_error if the default runtime cannot be
// started, or if 8,192 children are unfinished and the caller gets no slot of a runtime with one worker; in debug
// builds std::logic_error if the parent has accesses and none of them holds one of these. No task has begun then.
// Thread safety: any thread. Threads outside run() and outside tasks share one parent, and the bound on its children.
// Complexity: O(accesses) if each names what was named before or overlaps nothing.
template <class F, class... A>
    requires detail::spawnable<F, A...>
task_handle spawn(const task_options& o, F&& f, A&&... arguments) {
    using block = detail::spawned_task<std::decay_t<F>, detail::kept_argument<A>...>;
    auto* const fresh = new block(detail::current_place(), o.name, std::forward<F>(f), std::forward<A>(arguments)...);
    try {
        detail::begin_spawned(*fresh);
    } catch (...) {
        block::abandon(fresh);
        throw;
    }
    return {};
}

template <class F, class... A>
    requires detail::spawnable<F, A...>
task_handle spawn(F&& f, A&&... arguments) {
    return skerry::spawn(task_options{}, std::forward<F>(f), std::forward<A>(arguments)...);
}
// Any other call: what is wrong with it.
template <class F, class... A>
    requires(!detail::spawnable<F, A...>)
auto spawn(const task_options&, F&&, A&&...) {
    detail::explain_spawn<F, A...>();
    return task_handle();
}
template <class F, class... A>
    requires(!detail::spawnable<F, A...> && !std::same_as<std::remove_cvref_t<F>, task_options>)
auto spawn(F&&, A&&...) {
    detail::explain_spawn<F, A...>();
    return task_handle();
}

// Waits for the children of the running task, and runs tasks below it meanwhile, never others. Rethrows the exception
// of the first of them, in the order in which they were spawned, that failed.
SKERRY_EXPORT void taskwait();

// Waits for those earlier children of the running task that access these objects in conflicting ways. If some of these
// objects are unwritten, rethrows the first of the exceptions that are the reason, unless a wait has rethrown it
// before.
template <class... A>
    requires(sizeof...(A) != 0 && (detail::is_access<A> && ...))
void taskwait_on(const A&... accesses) {
    const detail::access list[] = {accesses.describe()...};
    detail::wait_for_accesses(list, sizeof...(A), detail::container_list<A...>.data(),
                              std::uint8_t{detail::containers_among<A...>});
}
template <class... A>
    requires(sizeof...(A) == 0 || !(detail::is_access<A> && ...))
auto taskwait_on(const A&...) {
    detail::explain_wait<A...>();
}

} // namespace skerry::inline SKERRY_ABI
