// SPDX-License-Identifier: Apache-2.0
#pragma once

// Constructs whose tasks may outlive the call that begins them. Here each task runs in that call.

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/frontend/serial/invoke.hpp>

#include <coroutine>
#include <exception>
#include <optional>
#include <stdexcept>
#include <utility>

namespace skerry::inline SKERRY_ABI::serial {

namespace detail {

// Set while the task that runs has been asked to stop.
inline thread_local bool stopping = false;

} // namespace detail

inline bool stop_requested() noexcept { return detail::stopping; }

class scope {
  public:
    scope() = default;
    scope(const scope&) = delete;
    scope& operator=(const scope&) = delete;

    template <std::invocable F>
    void async(F&& f) {
        static_cast<void>(std::invoke(std::forward<F>(f)));
    }
};

template <std::invocable<scope&> F>
void finish(F&& body) {
    scope s;
    static_cast<void>(std::invoke(std::forward<F>(body), s));
}

template <class R>
class future {
  public:
    future() = default;

    [[nodiscard]] bool valid() const noexcept { return value_.has_value() || error_ != nullptr; }
    [[nodiscard]] bool ready() const noexcept { return valid(); }
    void wait() const {}

    R get() {
        if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
        if (!value_) throw std::logic_error("skerry: future::get on a future without a result");
        std::optional<stored> value = std::exchange(value_, std::nullopt);
        if constexpr (std::is_void_v<R>) {
            return;
        } else if constexpr (std::is_reference_v<R>) {
            return static_cast<R>(**value);
        } else {
            return *std::move(value);
        }
    }

    [[nodiscard]] bool await_ready() const noexcept { return true; }
    void await_suspend(std::coroutine_handle<>) const noexcept {}
    R await_resume() { return get(); }

  private:
    using stored = std::conditional_t<std::is_void_v<R>, std::monostate,
                                      std::conditional_t<std::is_reference_v<R>, std::add_pointer_t<R>,
                                                         std::conditional_t<std::is_void_v<R>, int, R>>>;

    template <std::invocable F>
    friend auto submit(F&& f) -> future<std::invoke_result_t<F>>;

    std::optional<stored> value_;
    std::exception_ptr error_;
};

template <std::invocable F>
auto submit(F&& f) -> future<std::invoke_result_t<F>> {
    using R = std::invoke_result_t<F>;
    future<R> made;
    try {
        if constexpr (std::is_void_v<R>) {
            std::invoke(std::forward<F>(f));
            made.value_.emplace();
        } else if constexpr (std::is_reference_v<R>) {
            made.value_.emplace(std::addressof(std::invoke(std::forward<F>(f))));
        } else {
            made.value_.emplace(std::invoke(std::forward<F>(f)));
        }
    } catch (...) {
        made.error_ = std::current_exception();
    }
    return made;
}

class task_group {
  public:
    task_group() = default;
    task_group(const task_group&) = delete;
    task_group& operator=(const task_group&) = delete;

    // A task after cancel() or after a failed one does not begin.
    template <std::invocable F>
    void run(F&& f) {
        if (cancelled_) return;
        try {
            static_cast<void>(std::invoke(std::forward<F>(f)));
        } catch (...) {
            error_ = std::current_exception();
            cancelled_ = true;
        }
    }

    void wait() {
        cancelled_ = false;
        if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    }

    void cancel() noexcept { cancelled_ = true; }

  private:
    bool cancelled_ = false;
    std::exception_ptr error_;
};

// The low-level form (HCC paper, Fig. 2(a)).
class task {
  public:
    task() = default;
    task(const task&) = delete;
    task& operator=(const task&) = delete;
    virtual ~task() = default;

    virtual void execute() = 0;

    void set_reference_count(int) noexcept {}

    static void spawn(task* t) { t->execute(); }
    static void wait(task*) noexcept {}
};

} // namespace skerry::inline SKERRY_ABI::serial
