// SPDX-License-Identifier: Apache-2.0
#pragma once

// Dataflow tasks of the serial elision: each runs inside spawn(). Its exception waits for the same place as a parallel
// task's would, and tasks that would have read what the failed one did not write are skipped, as they are there.
//
// Nothing of the library is needed, unless a task that names a region comes after one that failed: then there is one.

#include <skerry/access.hpp>
#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/access_argument.hpp>
#include <skerry/detail/core/spawn_misuse.hpp>
#include <skerry/detail/deps/overlapping.hpp>
#include <skerry/detail/frontend/serial/stop.hpp>
#include <skerry/partition.hpp>
#include <skerry/task_options.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <exception>
#include <functional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace skerry::inline SKERRY_ABI::serial {

namespace detail {

using skerry::detail::access;
using skerry::detail::access_kind;

inline constexpr std::size_t no_failure = ~std::size_t{0};
// The reason of what was not written because a group was cancelled.
inline constexpr std::size_t by_cancel = no_failure - 1;

// What a task has not written: a name that outlives the task, the failure that is the reason, and which child it is.
class unwritten {
  public:
    unwritten(const access& a, std::size_t failure, std::size_t child) noexcept
        : reason(failure),
          left_by(child),
          what_(a) {
        if (a.kind == access_kind::part) part_ = *a.part;
    }
    [[nodiscard]] access name() const noexcept {
        access a = what_;
        if (a.kind == access_kind::part) a.part = &part_;
        return a;
    }

    std::size_t reason;
    std::size_t left_by;

  private:
    access what_;
    skerry::detail::part_name part_{};
};

// The children of one task, or of the program outside tasks: what failed and nobody has waited for yet.
struct task_scope {
    struct failure {
        std::size_t number; // how many had failed before
        std::exception_ptr error;
    };
    std::vector<failure> failures;   // in program order
    std::size_t failed = 0;          // how many ever
    std::vector<unwritten> poisoned; // what failed or skipped tasks have not written
    std::size_t spawned = 0;         // how many ever
    std::size_t covers = 0;          // waits around the running code that cover its children
    bool cut_short = false;          // a child was, or was skipped, by a cancel, and no wait has covered it

    std::size_t fail(std::exception_ptr error) {
        failures.push_back({failed, std::move(error)});
        return failed++;
    }

    // The first from number `from` on, and forgets all of those; null: there is none.
    std::exception_ptr take_error(std::size_t from) {
        const auto at = std::ranges::find_if(failures, [from](const failure& f) { return f.number >= from; });
        const std::exception_ptr error = at != failures.end() ? at->error : nullptr;
        failures.erase(at, failures.end());
        return error;
    }

    // That failure's, and forgets it; null: it has been taken.
    std::exception_ptr take_error_of(std::size_t number) {
        const auto at = std::ranges::find(failures, number, &failure::number);
        if (at == failures.end()) return nullptr;
        std::exception_ptr error = std::move(at->error);
        failures.erase(at);
        return error;
    }

    void take() {
        poisoned.clear();
        cut_short = false;
        if (const std::exception_ptr error = take_error(0)) std::rethrow_exception(error);
    }
};

inline thread_local task_scope outermost;
inline constinit thread_local task_scope* innermost = nullptr;

inline task_scope& scope_here() noexcept { return innermost != nullptr ? *innermost : outermost; }

// Makes `inner` the scope of what is spawned while it lives.
class scope_change {
  public:
    explicit scope_change(task_scope& inner) noexcept : outer_{std::exchange(innermost, &inner)} {}
    scope_change(const scope_change&) = delete;
    scope_change& operator=(const scope_change&) = delete;
    ~scope_change() { innermost = outer_; }

  private:
    task_scope* outer_;
};

inline bool bytes_overlap(const access& a, const access& b) noexcept {
    return skerry::detail::overlap(box_of(a), box_of(b));
}

// Whether two names stand for memory in common. Only the library knows what lies in regions.
using overlap_test = bool (*)(const access&, const access&) noexcept;
inline constinit thread_local overlap_test overlap = &bytes_overlap;

template <class A>
inline constexpr bool names_region = false;
template <skerry::detail::access_mode Mode, class T>
inline constexpr bool names_region<skerry::detail::region_access<Mode, T>> = true;

// The first failure that is the reason why one of the objects that `a` meets is unwritten.
inline std::size_t reason_in(const task_scope& s, const access& a) noexcept {
    std::size_t first = no_failure;
    for (const unwritten& p : s.poisoned)
        if (p.reason < first && overlap(a, p.name())) first = p.reason;
    return first;
}

inline void make_sound(task_scope& s, const access& a) {
    std::erase_if(s.poisoned, [&](const unwritten& p) { return same_name(p.name(), a); });
}

inline void poison(task_scope& s, std::span<const access> accesses, std::size_t reason) {
    for (const access& a : accesses) {
        if (!writes(a.mode)) continue;
        make_sound(s, a);
        s.poisoned.emplace_back(a, reason, s.spawned);
    }
    if (reason == by_cancel && s.covers == 0) s.cut_short = true;
}

// Whether a task with these accesses is skipped. What it only writes is sound again.
inline bool skipped(task_scope& s, std::span<const access> accesses) {
    std::size_t reason = no_failure;
    for (const access& a : accesses)
        if (reads(a.mode)) reason = (std::min)(reason, reason_in(s, a));
    if (reason != no_failure) {
        // Itself it is in no cancelled group: whoever waits for it has to know.
        poison(s, accesses, reason == by_cancel ? s.fail(std::make_exception_ptr(cancelled())) : reason);
        return true;
    }
    for (const access& a : accesses) make_sound(s, a);
    return false;
}

// Calls f with the accesses among the arguments. Only where something has failed: else nobody looks at them.
template <class F, class... K>
auto with_accesses(F&& f, const std::tuple<K...>& kept) {
    std::array<access, 2 * sizeof...(K) + 1> list;
    std::size_t n = 0;
    const auto describe = [&]<class A>(const A& argument) {
        if constexpr (skerry::detail::is_access<A>) {
            if constexpr (names_region<A>) overlap = &skerry::detail::overlapping;
            list[n] = argument.describe();
            if (!list[n].nothing()) ++n;
        }
        if constexpr (skerry::detail::names_container<A>) {
            list[n] = elements_access(skerry::detail::look_of<A>(argument.object().data()), list[n - 1].mode);
            if (!list[n].nothing()) ++n;
        }
    };
    std::apply([&](const auto&... a) { (describe(a), ...); }, kept);
    return f(std::span<const access>(list.data(), n));
}

// Runs f as the body of a wait that covers what is spawned in it, and returns what f returned.
template <class F>
std::invoke_result_t<F&> covered(F&& f) {
    task_scope& scope = scope_here();
    const std::size_t from = scope.failed; // a wait inside may take what failed before, as it waits for all children
    const std::size_t first = scope.spawned;
    ++scope.covers;
    const auto end = [&] {
        --scope.covers;
        std::erase_if(scope.poisoned, [first](const unwritten& p) { return p.left_by > first; });
        std::exception_ptr error = scope.take_error(from);
        return !error && scope.spawned != first && stopping() ? std::make_exception_ptr(cancelled()) : error;
    };
    const auto body = [&]() -> std::invoke_result_t<F&> {
        try {
            return std::invoke(f);
        } catch (...) {
            end();
            throw;
        }
    };
    if constexpr (std::is_void_v<std::invoke_result_t<F&>>) {
        body();
        if (const std::exception_ptr error = end()) std::rethrow_exception(error);
    } else {
        decltype(auto) result = body();
        if (const std::exception_ptr error = end()) std::rethrow_exception(error);
        return static_cast<decltype(result)&&>(result);
    }
}

} // namespace detail

using skerry::access_traits;
using skerry::array_part;
using skerry::array_partition;
using skerry::in;
using skerry::inout;
using skerry::out;
using skerry::partition;
using skerry::task_options;
using skerry::tile;

// Empty, as skerry::task_handle. The task has run.
class task_handle {};

template <class F, class... A>
    requires skerry::detail::spawnable<F, A...>
task_handle spawn(const task_options&, F&& f, A&&... arguments) {
    detail::task_scope& scope = detail::scope_here();
    const std::tuple<skerry::detail::kept_argument<A>...> kept(std::forward<A>(arguments)...);
    ++scope.spawned;
    if (detail::stopping()) {
        detail::with_accesses([&](auto list) { detail::poison(scope, list, detail::by_cancel); }, kept);
        return {};
    }
    if (!scope.poisoned.empty() &&
        detail::with_accesses([&](auto list) { return detail::skipped(scope, list); }, kept)) {
        return {};
    }
    std::decay_t<F> task(std::forward<F>(f));
    detail::task_scope children;
    std::size_t reason = detail::no_failure;
    try {
        const detail::scope_change inside(children);
        std::apply(
            [&](const auto&... a) { static_cast<void>(std::invoke(task, skerry::detail::passed_argument(a)...)); },
            kept);
        if (children.cut_short) reason = detail::by_cancel;
        children.take();
    } catch (const cancelled&) {
        reason = detail::stopping() ? detail::by_cancel : scope.fail(std::current_exception());
    } catch (...) {
        reason = scope.fail(std::current_exception());
    }
    if (reason != detail::no_failure) {
        detail::with_accesses([&](auto list) { detail::poison(scope, list, reason); }, kept);
    }
    return {};
}

template <class F, class... A>
    requires skerry::detail::spawnable<F, A...>
task_handle spawn(F&& f, A&&... arguments) {
    return serial::spawn(task_options{}, std::forward<F>(f), std::forward<A>(arguments)...);
}
// Any other call: what is wrong with it.
template <class F, class... A>
    requires(!skerry::detail::spawnable<F, A...>)
auto spawn(const task_options&, F&&, A&&...) {
    skerry::detail::explain_spawn<F, A...>();
    return task_handle();
}
template <class F, class... A>
    requires(!skerry::detail::spawnable<F, A...> && !std::same_as<std::remove_cvref_t<F>, task_options>)
auto spawn(F&&, A&&...) {
    skerry::detail::explain_spawn<F, A...>();
    return task_handle();
}

// Rethrows the first exception of the tasks spawned by the caller's task since its last wait.
inline void taskwait() {
    detail::task_scope& scope = detail::scope_here();
    if (scope.spawned == 0) return;
    scope.take();
    detail::throw_if_stopping();
}

// All tasks have run. Rethrows the first of the exceptions that are the reason why some of these objects are unwritten,
// unless a wait has rethrown it before.
template <class... A>
    requires(sizeof...(A) != 0 && (skerry::detail::is_access<A> && ...))
void taskwait_on(const A&... accesses) {
    detail::task_scope& scope = detail::scope_here();
    if (scope.spawned != 0) detail::throw_if_stopping();
    if (scope.poisoned.empty()) return;
    const auto first_in = [&scope](std::span<const skerry::detail::access> list) {
        std::size_t first = detail::no_failure;
        for (const auto& a : list) first = (std::min)(first, detail::reason_in(scope, a));
        return first;
    };
    const std::size_t reason = detail::with_accesses(first_in, std::tie(accesses...));
    if (reason == detail::no_failure) return;
    if (reason == detail::by_cancel) throw cancelled();
    if (const std::exception_ptr error = scope.take_error_of(reason)) std::rethrow_exception(error);
}
template <class... A>
    requires(sizeof...(A) == 0 || !(skerry::detail::is_access<A> && ...))
auto taskwait_on(const A&...) {
    skerry::detail::explain_wait<A...>();
}

} // namespace skerry::inline SKERRY_ABI::serial
