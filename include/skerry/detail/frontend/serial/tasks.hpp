// SPDX-License-Identifier: Apache-2.0
#pragma once

// Constructs whose tasks may outlive the call that begins them. Here each task runs in that call; its exception waits
// for the same place as it would from a parallel task.

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/misuse.hpp>
#include <skerry/detail/core/task_function.hpp>
#include <skerry/detail/frontend/serial/dataflow.hpp>
#include <skerry/detail/frontend/serial/invoke.hpp>
#include <skerry/detail/frontend/serial/stop.hpp>

#include <coroutine>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace skerry::inline SKERRY_ABI::serial {

namespace detail {

// Runs a copy of f, as a task would; keeps the first exception.
template <class F>
void run_task(F&& f, std::exception_ptr& first) {
    std::decay_t<F> task(std::forward<F>(f));
    try {
        throw_if_stopping();
        static_cast<void>(std::invoke(task));
    } catch (...) {
        if (!first) first = std::current_exception();
    }
}

} // namespace detail

[[nodiscard]] inline bool stop_requested() noexcept { return detail::stopping(); }

class scope {
  public:
    explicit scope(std::exception_ptr& first) noexcept : first_{first} {}
    scope(const scope&) = delete;
    scope& operator=(const scope&) = delete;

    template <skerry::detail::storable_task_function F>
    void async(F&& f) {
        const detail::scope_of_stop as_made(stop_);
        detail::run_task(std::forward<F>(f), first_);
    }
    // Any other call: what is wrong with it.
    template <class... A>
        requires(sizeof...(A) != 1 || !(skerry::detail::storable_task_function<A> && ...))
    auto async(A&&...) {
        skerry::detail::explain_task<A...>();
    }

  private:
    std::exception_ptr& first_;
    const detail::stop_source* const stop_ =
        detail::innermost_stop; // around the scope: what joins it is inside of that
};

// What finish() can run.
template <class F>
concept finish_body = std::invocable<std::remove_reference_t<F>&, scope&>;

// Exceptions: body's own, else the first that a task threw.
template <finish_body F>
std::invoke_result_t<std::remove_reference_t<F>&, scope&> finish(F&& body) {
    detail::throw_if_stopping();
    return detail::covered([&]() -> std::invoke_result_t<std::remove_reference_t<F>&, scope&> {
        std::exception_ptr first;
        scope s{first};
        if constexpr (std::is_void_v<std::invoke_result_t<std::remove_reference_t<F>&, scope&>>) {
            std::invoke(body, s);
            if (first) std::rethrow_exception(first);
        } else {
            decltype(auto) result = std::invoke(body, s);
            if (first) std::rethrow_exception(first);
            return static_cast<decltype(result)&&>(result);
        }
    });
}
// Any other call: what is wrong with it.
template <class... A>
    requires(sizeof...(A) != 1 || !(finish_body<A> && ...))
auto finish(A&&...) {
    skerry::detail::explain_body<A...>();
}

template <class R>
class [[nodiscard]] future {
  public:
    future() noexcept = default;
    future(future&&) noexcept = default;
    future& operator=(future&&) noexcept = default;

    [[nodiscard]] bool valid() const noexcept { return state_ != nullptr; }
    [[nodiscard]] bool ready() const { return static_cast<void>(checked("ready()")), true; }
    void wait() const { checked("wait()"); }

    R get() {
        checked("get()");
        const auto state = std::move(state_);
        if (state->error) std::rethrow_exception(state->error);
        if constexpr (!std::is_void_v<R>) {
            if constexpr (std::is_reference_v<R>) {
                return static_cast<R>(**state->value);
            } else {
                return *std::move(state->value);
            }
        }
    }

    [[nodiscard]] bool await_ready() const { return ready(); }
    void await_suspend(std::coroutine_handle<>) const noexcept {}
    R await_resume() { return get(); }

  private:
    using stored =
        std::conditional_t<std::is_reference_v<R>, std::add_pointer_t<R>,
                           std::conditional_t<std::is_void_v<R>, std::monostate, std::remove_reference_t<R>>>;
    struct outcome {
        std::optional<stored> value;
        std::exception_ptr error;
    };

    template <skerry::detail::storable_task_function F>
    friend future<skerry::detail::task_result<F>> submit(F&& f);

    void checked(const char* operation) const {
        if (state_ == nullptr)
            throw std::logic_error(
                std::string("skerry: future::") + operation +
                " on a future without a task: it was moved from, never set, or its result was taken");
    }

    std::unique_ptr<outcome> state_;
};

template <skerry::detail::storable_task_function F>
future<skerry::detail::task_result<F>> submit(F&& f) {
    using R = skerry::detail::task_result<F>;
    future<R> made;
    made.state_ = std::make_unique<typename future<R>::outcome>();
    auto& value = made.state_->value;
    auto store = [&value, task = std::decay_t<F>(std::forward<F>(f))]() mutable {
        if constexpr (std::is_void_v<R>) {
            std::invoke(task);
            value.emplace();
        } else if constexpr (std::is_reference_v<R>) {
            value.emplace(std::addressof(std::invoke(task)));
        } else {
            value.emplace(std::invoke(task));
        }
    };
    detail::run_task(std::move(store), made.state_->error);
    return made;
}
// Any other call: what is wrong with it.
template <class... A>
    requires(sizeof...(A) != 1 || !(skerry::detail::storable_task_function<A> && ...))
auto submit(A&&...) {
    skerry::detail::explain_task<A...>();
    return future<void>();
}

// The groups around it are those of the task in which it is made; it must not outlive them.
class task_group {
  public:
    task_group() = default;
    task_group(const task_group&) = delete;
    task_group& operator=(const task_group&) = delete;

    // After cancel(), or after a task of the group has thrown, f is dropped, until the next wait() is over; and always
    // inside of a cancelled group.
    template <skerry::detail::storable_task_function F>
    void run(F&& f) {
        if (stop_.stopping()) return;
        std::exception_ptr thrown;
        {
            const detail::scope_of_stop inside(&stop_);
            detail::run_task(std::forward<F>(f), thrown);
        }
        if (!thrown) return;
        if (stop_.stopping() && is_cancelled(thrown)) return; // it was cut short, as it should be
        if (!error_) error_ = thrown;
        stop_.asked = true;
    }
    // Any other call: what is wrong with it.
    template <class... A>
        requires(sizeof...(A) != 1 || !(skerry::detail::storable_task_function<A> && ...))
    auto run(A&&...) {
        skerry::detail::explain_task<A...>();
    }

    group_status wait() {
        const bool stopped = stop_.stopping();
        stop_.asked = false;
        if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
        return stopped ? group_status::cancelled : group_status::complete;
    }

    void cancel() noexcept { stop_.asked = true; }

  private:
    static bool is_cancelled(const std::exception_ptr& thrown) noexcept {
        try {
            std::rethrow_exception(thrown);
        } catch (const cancelled&) {
            return true;
        } catch (...) {
            return false;
        }
    }

    detail::stop_source stop_{detail::innermost_stop};
    std::exception_ptr error_;
};

// The low-level form (Wang et al., Fig. 2(a)). spawn() runs the child; its exception arrives at the wait().
class task {
  public:
    task() noexcept = default;
    task(const task&) = delete;
    task& operator=(const task&) = delete;
    virtual ~task() = default;

    virtual void execute() = 0;

    void set_reference_count(int n) noexcept { reference_count = n; }
    int reference_count = 0;

    static void spawn(task* t) {
        if (t == nullptr) throw std::logic_error("skerry: task::spawn(nullptr)");
        try {
            detail::throw_if_stopping();
            t->execute();
        } catch (...) {
            t->error_ = std::current_exception();
        }
        t->older_ = std::exchange(newest, t);
    }

    static void wait(task* self) {
        std::exception_ptr first;
        for (; self->reference_count > 0; --self->reference_count) {
            if (newest == nullptr) {
                self->reference_count = 0;
                throw std::logic_error("skerry: task::wait for more children than were spawned");
            }
            if (newest->error_) first = std::exchange(newest->error_, nullptr);
            newest = std::exchange(newest->older_, nullptr);
        }
        if (first) std::rethrow_exception(first);
    }

    static void run_root(task& t) {
        detail::throw_if_stopping();
        t.execute();
    }

  private:
    task* older_ = nullptr; // spawned before, and not waited for
    std::exception_ptr error_;

    inline static constinit thread_local task* newest = nullptr;
};

} // namespace skerry::inline SKERRY_ABI::serial
