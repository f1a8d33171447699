// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a future and its task share: one block on the heap, with the closure, the result and two references.
//
// Thread safety
//  constant before the task begins its way: home_, ctx
//  written by whoever runs the task: executor_, base_, the result; read by the waiter after end_ says so (the first two
//  as hints before)
//  one waiter at a time: wait(), arm via end_

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/export.hpp>
#include <skerry/detail/core/loose_task.hpp>
#include <skerry/detail/frontend/forkjoin/finish_frame.hpp>
#include <skerry/detail/frontend/forkjoin/outcome.hpp>
#include <skerry/detail/sched/named_section.hpp>
#include <skerry/detail/trace/body_name.hpp>

namespace skerry::inline SKERRY_ABI::detail {

class future_base;

// A coroutine that waits for a future, as the task that will resume it. Lives in the coroutine's own frame.
class continuation final : public loose_task {
  public:
    continuation() noexcept : loose_task(&resume, nullptr) {}

    // False: the future is ready, go on at once. True: the coroutine belongs to whoever ends the future's task, and may
    // run already. The rest of the coroutine counts as a task begun here.
    SKERRY_EXPORT bool suspend(future_base& awaited, std::coroutine_handle<> handle) noexcept;

    // Sends the coroutine on its way. By the thread that ended the task.
    void begin() noexcept;

  private:
    friend std::uintptr_t coroutine_code(const task_header& task) noexcept;

    SKERRY_EXPORT static void resume(task_header* header) noexcept;

    team* home_ = nullptr;
    const stop_state* around_ = nullptr; // as left_by(): a reference
    std::coroutine_handle<> handle_;
};

class SKERRY_EXPORT future_base : public loose_task {
  public:
    virtual ~future_base();

    [[nodiscard]] bool done() const noexcept { return end_.done(); }

    // Runs the task if nobody has begun it, else waits for it. Errors: std::system_error
    // (resource_deadlock_would_occur): the caller is a part of the task, or runs on top of it.
    void wait();

    // Counts and begins the task. Errors: as begin_task().
    void begin();

    void release() noexcept {
        machine::publish_all(coherence_step::handed_over);
        if (references_.fetch_sub(1, memory_order::acq_rel) == 1) { // U5 -> U5
            machine::discard_all(coherence_step::found);
            delete this;
        }
    }

  protected:
    explicit future_base(void (*r)(task_header*) noexcept);

    // Around the task's body.
    void enter() noexcept;
    void leave() noexcept;

  private:
    friend class continuation;

    struct ended;
    [[nodiscard]] bool waits_for_caller() const noexcept;
    void wait_inside() noexcept;

    team* home_ = nullptr;
    const context own_; // what runs as a part of the task runs under it
    machine::atomic<worker_page*> executor_{nullptr};
    machine::atomic<std::size_t> base_{0};
    join_word<machine> end_;
    machine::atomic<unsigned> references_{2};
};

template <class R>
class future_state : public future_base {
  public:
    ~future_state() override {
        if (full_) {
            result_.discard();
        }
    }

    // Precondition: done(). Once.
    R take() {
        full_ = false;
        return static_cast<R>(result_.take());
    }

  protected:
    explicit future_state(void (*r)(task_header*) noexcept) : future_base(r) {}

    template <class F>
    void run_body(F& f) noexcept {
        result_.run(f);
        full_ = true;
    }

  private:
    outcome<result_of<R>> result_;
    bool full_ = false;
};

template <class R, class F>
class future_task final : public future_state<R> {
  public:
    template <class G>
    future_task(std::in_place_t, G&& g) : future_state<R>(&run_and_release),
                                          f_(std::forward<G>(g)) {}
    ~future_task() override {
        if (!begun_) {
            std::destroy_at(std::addressof(f_));
        }
    }

  private:
    static void run_and_release(task_header* header) noexcept {
        runs_named<F, &future_task::run_and_release>();
        auto& self = static_cast<future_task&>(*header);
        self.enter();
        self.begun_ = true;
        {
            const function_section<F> shown(self.f_);
            self.run_body(self.f_);
        }
        std::destroy_at(std::addressof(self.f_)); // what it holds is free before get() returns
        self.leave();
    }

    union {
        F f_;
    };
    bool begun_ = false;
};

// The owner's reference.
struct future_release {
    void operator()(future_base* state) const noexcept { state->release(); }
};

} // namespace skerry::inline SKERRY_ABI::detail
