// SPDX-License-Identifier: Apache-2.0
#pragma once

// The frame that waits for tasks which no branch of a fork waits for, and the way such tasks begin.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <type_traits>
#include <utility>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/export.hpp>
#include <skerry/detail/core/loose_task.hpp>
#include <skerry/detail/core/worker_page.hpp>
#include <skerry/detail/sched/begin.hpp>
#include <skerry/detail/sched/counts_ahead.hpp>
#include <skerry/detail/sched/join.hpp>
#include <skerry/detail/sched/stopping.hpp>
#include <skerry/detail/sync/latch.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// The first exception of a set of tasks. Thread safety: offer() from any thread; the rest by the waiter after the wait.
class first_error {
  public:
    // Keeps the running exception if it is the first.
    void offer() noexcept {
        if (!taken_.exchange(true, memory_order::relaxed)) { // relaxed: the latch orders error_ for the waiter
            error_ = std::current_exception();
        }
    }
    void offer(std::exception_ptr error) noexcept {
        if (!taken_.exchange(true, memory_order::relaxed)) { // relaxed: as above
            error_ = std::move(error);
        }
    }
    [[nodiscard]] bool any() const noexcept { return taken_.load(memory_order::relaxed); }
    // Rethrows and forgets. Precondition: any().
    [[gnu::__noreturn__]] void rethrow() {
        const std::exception_ptr error = std::exchange(error_, nullptr);
        taken_.store(false, memory_order::relaxed);
        std::rethrow_exception(error);
    }

  private:
    machine::atomic<bool> taken_{false};
    std::exception_ptr error_;
};

// What tasks are counted on by the one who waits for them, and where their first exception goes.
struct cover {
    // Of a finish. `ahead`: as of the latch.
    cover(const context* enclosing, std::size_t ahead) noexcept : pending(ahead), ctx(enclosing, &pending) {}
    // Of a group, which can be asked to stop: then tasks that have not begun are skipped. `around`: as of the context.
    explicit cover(const context* around) noexcept : ctx(pending, around) {}

    // Runs a task's body, under whose context the caller is, and keeps its exception; or skips it.
    template <class F>
    void call(F& f) noexcept {
        if (stops(*current_page->ctx)) {
            skip();
            return;
        }
        try {
            static_cast<void>(std::invoke(f));
        } catch (...) {
            fail();
        }
    }

    latch<machine> pending;
    context ctx;
    first_error error;

  protected:
    // A task has not begun because a group was asked to stop.
    SKERRY_EXPORT void skip() noexcept;

  private:
    [[nodiscard]] bool is_group() const noexcept;
    // A task has thrown what is being handled.
    SKERRY_EXPORT void fail() noexcept;
};

// Counts the task on both latches and pushes it; takes the counts back if it could not begin. `second` may be null.
// Errors: as begin_task().
SKERRY_EXPORT void begin_counted(loose_task& task, latch<machine>& first, latch<machine>* second);

class team;

// Tasks that are begun between construction and wait() under `ctx` are waited for by wait(). Lives on the stack of a
// thread that holds a slot.
class finish_frame : public cover {
  public:
    // How a caller stands to the frame, which decides how a task that it begins here is counted.
    enum class relation {
        direct,  // it runs under the frame's own context
        outside, // it holds no slot: nothing else covers what it begins
        nested,  // under another frame within this one, which covers the task too
        apart,   // under a frame elsewhere
    };

    SKERRY_EXPORT finish_frame() noexcept;
    finish_frame(const finish_frame&) = delete;
    finish_frame& operator=(const finish_frame&) = delete;

    // Runs tasks of this frame, and only those, until none is left. Once, in every path.
    SKERRY_EXPORT void wait() noexcept;

    // Thread safety: any thread that is covered by the frame.
    [[nodiscard]] SKERRY_EXPORT relation to_caller() const noexcept;
    // For a caller outside. Errors: as begin_task().
    SKERRY_EXPORT void begin_from_outside(loose_task& task);

  protected:
    // Whose children tasks spawned in the frame are, and the number of the first of them.
    const task_context* spawner_;
    std::uint64_t first_spawned_;

    // Of leave() and come_back().
    const context* outer_;
    team* const home_;
    std::size_t base_; // of the deque: newer tasks belong to this frame
    std::size_t outer_base_;
    const void* outer_entered_;
    counts_ahead outer_ahead_;
};

// The frame of a root task, whose spawned children are its own. Lives where a finish_frame may.
class root_frame : public finish_frame {
  public:
    SKERRY_EXPORT root_frame() noexcept;
    // As finish_frame::wait().
    SKERRY_EXPORT void wait() noexcept;

    // Nothing is left that was begun here, and none of it has spawned: there is nothing to wait for and nothing to end.
    // `ahead`: so many counts of the frame's the caller holds. relaxed: a scope counts on the latch, which says first
    // that nothing does
    [[nodiscard]] bool has_ended(std::size_t ahead) const noexcept {
        return pending.alone(ahead) && root_.scope.load(memory_order::relaxed) == nullptr;
    }
    // The thread leaves the frame, which has a stack of its own, and comes back to it; also from within other frames.
    // Precondition of leave(): state() is `quiet`.
    void leave() noexcept;
    void come_back() noexcept;
    enum class activity : std::uint8_t {
        quiet,  // the caller is in no frame, fork or blocking() within this one, and all that was begun here has ended
        begun,  // not all has
        inside, // of a frame or a fork, of which not all has ended, or of blocking()
    };
    [[nodiscard]] activity state() const noexcept;

  private:
    const task_context root_;
    const void* const entered_; // by the worker, as long as it runs no task of others here
};

// f(handle), and then everything begun in it; f's own exception goes before its tasks'. The handle, which is what tasks
// know of the frame, lives as long as the frame.
template <class Handle, class Frame = finish_frame, class F>
std::invoke_result_t<F&, Handle&> finish_with(F& f) {
    using result_type = std::invoke_result_t<F&, Handle&>;
    Frame frame;
    Handle handle(frame);
    const auto body = [&]() -> result_type {
        try {
            return std::invoke(f, handle);
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
    if constexpr (std::is_void_v<result_type>) {
        body();
        end();
    } else {
        result_type result = body();
        end();
        return static_cast<result_type&&>(result);
    }
}

// The same for a callable that does not know of frames.
template <class Frame = finish_frame, class F>
std::invoke_result_t<F&> finish_with_result(F& f) {
    struct no_handle {
        explicit no_handle(finish_frame&) noexcept {}
    };
    const auto body = [&f](no_handle&) -> std::invoke_result_t<F&> { return std::invoke(f); };
    return finish_with<no_handle, Frame>(body);
}

} // namespace skerry::inline SKERRY_ABI::detail
