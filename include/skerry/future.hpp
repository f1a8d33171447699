// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/misuse.hpp>
#include <skerry/detail/core/task_function.hpp>
#include <skerry/detail/frontend/forkjoin/future_state.hpp>

namespace skerry::inline SKERRY_ABI {

template <class R>
class future;

namespace detail {

// Never returns without a state.
template <class State>
State& checked(State* state, const char* operation) {
    if (state == nullptr) {
        throw std::logic_error(std::string("skerry: future::") + operation +
                               " on a future without a task: it was moved from, never set, or its result was taken");
    }
    return *state;
}

template <class R>
class future_awaiter {
  public:
    explicit future_awaiter(future<R>& awaited) noexcept : awaited_(awaited) {}

    [[nodiscard]] bool await_ready() const { return awaited_.ready(); }
    bool await_suspend(std::coroutine_handle<> h) noexcept { return rest_.suspend(*awaited_.state_, h); }
    R await_resume() { return awaited_.get(); }

  private:
    future<R>& awaited_;
    continuation rest_;
};

} // namespace detail

// The result of a task that submit() began. Move-only; the destructor never blocks and drops a result or exception that
// nobody fetched. The task itself is waited for by the finish around submit(), else by the end of its runtime.
//
// Thread safety: one thread at a time; any thread, in a region or not. Another runtime than the default one must
// outlive a wait for its tasks.
template <class R>
class [[nodiscard]] future {
  public:
    future() noexcept = default;

    [[nodiscard]] bool valid() const noexcept { return state_ != nullptr; }

    // Whether get() would return at once. Errors: std::logic_error without a task.
    [[nodiscard]] bool ready() const { return detail::checked(state_.get(), "ready()").done(); }

    // Waits until the task is done. If nobody has begun it, it runs here; else the caller helps its executor with what
    // descends from it. Errors: std::logic_error without a task; std::system_error (resource_deadlock_would_occur) if
    // the task itself waits.
    void wait() const { detail::checked(state_.get(), "wait()").wait(); }

    // Waits, and hands out the result or rethrows the task's exception. Once: the future is then not valid.
    // Errors: as wait().
    R get() {
        detail::checked(state_.get(), "get()").wait();
        const auto state = std::move(state_);
        return state->take();
    }

    // co_await f: goes on at once if the task is done. Else the coroutine is suspended, and the task's end begins the
    // rest of it as a task, in the scope in which it was suspended. Once, as get(). The future must outlive it.
    detail::future_awaiter<R> operator co_await() {
        static_cast<void>(detail::checked(state_.get(), "co_await"));
        return detail::future_awaiter<R>(*this);
    }

  private:
    friend class detail::future_awaiter<R>;
    template <detail::storable_task_function F>
    friend future<detail::task_result<F>> submit(F&& f);

    std::unique_ptr<detail::future_state<R>, detail::future_release> state_;
};

// Begins f as a task and returns at once; f is moved or copied. Thread safety: any thread.
// Errors: std::bad_alloc, or what moving f throws; std::system_error if the default runtime cannot be started. f does
// not run then.
template <detail::storable_task_function F>
future<detail::task_result<F>> submit(F&& f) {
    using result = detail::task_result<F>;
    auto task = std::make_unique<detail::future_task<result, std::decay_t<F>>>(std::in_place, std::forward<F>(f));
    task->begin();
    future<result> made;
    made.state_.reset(task.release());
    return made;
}
// Any other call: what is wrong with it.
template <class... A>
    requires(sizeof...(A) != 1 || !(detail::storable_task_function<A> && ...))
auto submit(A&&...) {
    detail::explain_task<A...>();
    return future<void>();
}

} // namespace skerry::inline SKERRY_ABI
