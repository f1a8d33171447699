// SPDX-License-Identifier: Apache-2.0
#pragma once

// Dataflow tasks of the serial elision: each runs inside spawn(). Its exception waits for the same place as a parallel
// task's would, and tasks that would have read what the failed one did not write are skipped, as they are there.

#include <skerry/access.hpp>
#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/access_argument.hpp>
#include <skerry/partition.hpp>
#include <skerry/task_options.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <functional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace skerry::inline SKERRY_ABI::serial {

namespace detail {

using skerry::detail::access;
using skerry::detail::access_kind;

// What a task has not written: a name that outlives the task.
class unwritten {
  public:
    explicit unwritten(const access& a) noexcept : what_(a) {
        if (a.kind == access_kind::part) part_ = *a.part;
    }
    [[nodiscard]] access name() const noexcept {
        access a = what_;
        if (a.kind == access_kind::part) a.part = &part_;
        return a;
    }

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

    void fail(std::exception_ptr error) { failures.push_back({failed++, std::move(error)}); }

    // The first from number `from` on, and forgets all of those; null: there is none.
    std::exception_ptr take_error(std::size_t from) {
        const auto at = std::ranges::find_if(failures, [from](const failure& f) { return f.number >= from; });
        const std::exception_ptr error = at != failures.end() ? at->error : nullptr;
        failures.erase(at, failures.end());
        return error;
    }

    void take() {
        poisoned.clear();
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

inline bool overlap(const access& a, const access& b) noexcept {
    if (a.kind == access_kind::region || b.kind == access_kind::region) return true; // it may hold anything
    if (a.nothing() || b.nothing()) return false;
    return skerry::detail::overlap(box_of(a), box_of(b));
}

inline void poison(task_scope& s, std::span<const access> accesses) {
    for (const access& a : accesses)
        if (writes(a.mode)) s.poisoned.emplace_back(a);
}

// Whether a task with these accesses is skipped. What it only writes is sound again.
inline bool skipped(task_scope& s, std::span<const access> accesses) {
    if (s.poisoned.empty()) return false;
    const bool reads_poison = std::ranges::any_of(accesses, [&](const access& a) {
        return reads(a.mode) &&
               std::ranges::any_of(s.poisoned, [&](const unwritten& p) { return overlap(a, p.name()); });
    });
    if (reads_poison) {
        poison(s, accesses);
        return true;
    }
    for (const access& a : accesses)
        std::erase_if(s.poisoned, [&](const unwritten& p) { return same_name(p.name(), a); });
    return false;
}

// Calls f with the accesses among the arguments. Only where something has failed: else nobody looks at them.
template <class F, class... K>
auto with_accesses(F&& f, const std::tuple<K...>& kept) {
    std::array<access, sizeof...(K) + 1> list;
    std::size_t n = 0;
    const auto describe = [&]<class A>(const A& argument) {
        if constexpr (skerry::detail::is_access<A>) list[n++] = argument.describe();
    };
    std::apply([&](const auto&... a) { (describe(a), ...); }, kept);
    return f(std::span<const access>(list.data(), n));
}

// Runs f as the body of a wait that covers what is spawned in it, and returns what f returned.
template <class F>
std::invoke_result_t<F&> covered(F&& f) {
    task_scope& scope = scope_here();
    const std::size_t from = scope.failed; // a wait inside may take what failed before, as it waits for all children
    const auto end = [&] { return scope.take_error(from); };
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

// Names nothing here: the task has run.
class task_handle {};

template <class F, class... A>
    requires skerry::detail::spawnable<F, A...>
task_handle spawn(const task_options&, F&& f, A&&... arguments) {
    detail::task_scope& scope = detail::scope_here();
    const std::tuple<skerry::detail::kept_argument<A>...> kept(std::forward<A>(arguments)...);
    if (!scope.poisoned.empty() &&
        detail::with_accesses([&](auto list) { return detail::skipped(scope, list); }, kept)) {
        return {};
    }
    std::decay_t<F> task(std::forward<F>(f));
    detail::task_scope children;
    try {
        const detail::scope_change inside(children);
        std::apply(
            [&](const auto&... a) { static_cast<void>(std::invoke(task, skerry::detail::passed_argument(a)...)); },
            kept);
        children.take();
    } catch (...) {
        scope.fail(std::current_exception());
        detail::with_accesses([&](auto list) { detail::poison(scope, list); }, kept);
    }
    return {};
}

template <class F, class... A>
    requires skerry::detail::spawnable<F, A...>
task_handle spawn(F&& f, A&&... arguments) {
    return serial::spawn(task_options{}, std::forward<F>(f), std::forward<A>(arguments)...);
}

// Rethrows the first exception of the tasks spawned by the caller's task since its last wait.
inline void taskwait() { detail::scope_here().take(); }

// All tasks have run. Rethrows as taskwait() does if one that failed has left some of these objects unwritten.
template <class... A>
    requires(skerry::detail::is_access<A> && ...)
void taskwait_on(const A&... accesses) {
    detail::task_scope& scope = detail::scope_here();
    const auto poisoned = [&](const detail::access& a) {
        return std::ranges::any_of(scope.poisoned,
                                   [&](const detail::unwritten& p) { return detail::overlap(a, p.name()); });
    };
    if (!scope.poisoned.empty() && (poisoned(accesses.describe()) || ...)) scope.take();
}

} // namespace skerry::inline SKERRY_ABI::serial
