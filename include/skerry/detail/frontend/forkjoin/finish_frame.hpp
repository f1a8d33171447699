// SPDX-License-Identifier: Apache-2.0
#pragma once

// The frame that waits for tasks which no branch of a fork waits for, and the way such tasks begin.

#include <cstddef>
#include <exception>
#include <type_traits>
#include <utility>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/export.hpp>
#include <skerry/detail/core/worker_page.hpp>
#include <skerry/detail/sched/join.hpp>
#include <skerry/detail/sync/latch.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// The first exception of a set of tasks. Thread safety: offer() from any thread; the rest by the waiter after the wait.
class first_error {
  public:
    // Keeps the running exception if it is the first.
    void offer() noexcept {
        if (!taken_.exchange(true, std::memory_order_relaxed)) { // relaxed: the latch orders error_ for the waiter
            error_ = std::current_exception();
        }
    }
    [[nodiscard]] bool any() const noexcept { return taken_.load(std::memory_order_relaxed); }
    // Rethrows and forgets. Precondition: any().
    [[noreturn]] void rethrow() {
        const std::exception_ptr error = std::exchange(error_, nullptr);
        taken_.store(false, std::memory_order_relaxed);
        std::rethrow_exception(error);
    }

  private:
    machine::atomic<bool> taken_{false};
    std::exception_ptr error_;
};

// Pushes a task that lives until it has run; from a thread without a slot it goes to the default runtime's queue.
// Precondition: task.ctx is set, and the task is counted where it is waited for.
// Errors: std::bad_alloc, std::system_error (no thread can be started to run it); the task has not begun.
SKERRY_EXPORT void begin_task(task_header& task);

// The context of the running task, or of the default runtime's root.
[[nodiscard]] SKERRY_EXPORT const context& current_context();

// Tasks that are begun between construction and wait() under `ctx` are waited for by wait(). Lives on the stack of a
// thread that holds a slot.
class finish_frame {
  public:
    SKERRY_EXPORT finish_frame() noexcept;
    finish_frame(const finish_frame&) = delete;
    finish_frame& operator=(const finish_frame&) = delete;

    // Runs tasks of this frame, and only those, until none is left. Once, in every path.
    SKERRY_EXPORT void wait() noexcept;

    latch<machine> pending;
    context ctx;
    first_error error;

  private:
    const context* const outer_;
    const std::size_t base_; // of the deque: newer tasks belong to this frame
};

// Tells whoever waits on the latch that a task of it has ended. The latch may be gone when this returns.
SKERRY_EXPORT void arrive(latch<machine>& pending) noexcept;

// f(), and then everything begun in it; f's own exception goes before its tasks'.
template <class F>
std::invoke_result_t<F&> finish_with_result(F& f) {
    finish_frame frame;
    const auto body = [&]() -> std::invoke_result_t<F&> {
        try {
            return f();
        } catch (...) {
            frame.wait();
            throw;
        }
    };
    const auto end = [&] {
        frame.wait();
        if (frame.error.any()) {
            frame.error.rethrow();
        }
    };
    if constexpr (std::is_void_v<std::invoke_result_t<F&>>) {
        body();
        end();
    } else {
        std::invoke_result_t<F&> result = body();
        end();
        return static_cast<std::invoke_result_t<F&>&&>(result);
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
