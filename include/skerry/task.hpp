// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tasks in their lowest form (Wang et al., Fig. 2(a)): an object with a virtual execute(), mostly on the stack of the
// task that spawns it.
//
//   struct fib_task : skerry::task {
//       void execute() override {
//           ...
//           fib_task a(n - 1, &x), b(n - 2, &y);
//           this->reference_count = 2;
//           task::spawn(&a);
//           task::spawn(&b);
//           task::wait(this);
//       }
//   };
//   skerry::task::run_root(root);

#include <exception>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/export.hpp>
#include <skerry/detail/core/task_header.hpp>
#include <skerry/detail/core/worker_page.hpp> // asks for a library that ThreadSanitizer watches

namespace skerry::inline SKERRY_ABI {

namespace detail {

// What is left of a task when its destructor ends. A task that is still spawned then ends the process, and a thief that
// calls execute() meanwhile comes to the same end.
class SKERRY_EXPORT task_remains {
  public:
    task_remains() noexcept = default;
    task_remains(const task_remains&) = delete;
    task_remains& operator=(const task_remains&) = delete;
    virtual ~task_remains();

    virtual void execute();

  protected:
    bool spawned_ = false; // and not waited for
};

} // namespace detail

// Rules, each with a clear end if broken:
//  - a task spawns its children and waits for them itself, in one branch or loop body if it stands in one: else the
//    process ends with a message;
//  - a spawned task lives until it was waited for. Destroying it earlier, also by an exception between spawn and wait,
//    ends the process with a message.
//
// Nothing is allocated per task. Thread safety: a task belongs to the thread that spawns it; execute() may run on
// another one.
class SKERRY_EXPORT task : private detail::task_remains {
  public:
    task() noexcept = default;
    task(const task&) = delete;
    task& operator=(const task&) = delete;
    ~task() override = default;

    // What the task does. Its exception arrives at the wait() that covers it.
    void execute() override = 0;

    // How many children the next wait() is for. wait() sets it to 0.
    void set_reference_count(int n) noexcept { reference_count = n; }
    int reference_count = 0;

    // Begins t as a child of the running task. Outside a region the thread holds a slot from here to its wait().
    // Errors: std::logic_error if t is null or has been spawned and not waited for; outside a region also
    // std::system_error, std::bad_alloc.
    static void spawn(task* t);

    // Waits for the self->reference_count children spawned last, and runs them unless thieves do. The exception of the
    // one spawned first is rethrown when all are done. `self` is the running task.
    // Errors: std::logic_error, after the wait, if fewer were spawned; if the count is negative.
    static void wait(task* self);

    // Runs t as the root of a tree, and returns when it is done. Any thread; outside a region it takes a slot.
    static void run_root(task& t);

  private:
    friend struct task_stack;

    struct header final : detail::task_header {
        explicit header(task* t) noexcept : task_header(&run_stolen, nullptr), self(t) {}
        task* const self;
    };
    static void run_stolen(detail::task_header* h) noexcept;

    header header_{this};
    task* older_ = nullptr;    // spawned before by the same task, and not waited for
    std::exception_ptr error_; // of execute()
    bool has_run_ = false;     // in place, because the deque could not grow
    const void* end_;          // of the deque after its spawn
};

} // namespace skerry::inline SKERRY_ABI
