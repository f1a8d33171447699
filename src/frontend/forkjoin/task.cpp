// SPDX-License-Identifier: Apache-2.0

#include <skerry/task.hpp>

#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include <skerry/detail/sched/join.hpp>
#include <skerry/detail/sched/stopping.hpp>

#include "base/panic.hpp"
#include "frontend/forkjoin/low_level_code.hpp"
#include "sched/entry.hpp"
#include "sched/worker.hpp"

namespace skerry::inline SKERRY_ABI {

using detail::current_page;

// The children that the task running on this thread has spawned and not waited for. A task that begins on top of it
// has a stack of its own.
struct task_stack {
    task* newest = nullptr;
    bool entered = false; // the first spawn took a slot, the last wait gives it back

    void push(task& t) noexcept {
        t.older_ = newest;
        t.spawned_ = true;
        newest = &t;
    }

    // Waits for the newest child. Returns its exception.
    std::exception_ptr join() noexcept {
        task& t = *newest;
        if (!t.has_run_ && is_mine(t)) {
            execute(t);
        }
        newest = t.older_;
        t.spawned_ = false;
        t.has_run_ = false;
        return std::exchange(t.error_, nullptr);
    }

    // Runs t on this thread, with all that it leaves behind.
    static void execute(task& t) noexcept;

    // detail::low_level_code().
    static std::uintptr_t code_of(const detail::task_header& header) noexcept;

  private:
    // Takes t off, or waits for the thief that has it.
    static bool is_mine(task& t) noexcept {
        detail::worker_page& page = *current_page;
        if (page.next() != t.end_ && !detail::worker::of(page).mine().ends_frames(t.end_)) {
            detail::fatal("task::wait() does not stand in the branch or loop body that its task::spawn() stands in");
        }
        return detail::withdraw(t.header_);
    }
};

namespace {

constinit thread_local task_stack children;

} // namespace

std::uintptr_t task_stack::code_of(const detail::task_header& header) noexcept {
    if (header.run != &task::run_stolen) {
        return 0;
    }
    // A table of virtual functions (Itanium C++ ABI) has two destructors first, since task_remains declares its own
    // first, and then execute(). No other way to that address is known to both compilers, and none needs no RTTI.
    constexpr std::size_t execute_at = 2;
    const void* const object = static_cast<const detail::task_remains*>(static_cast<const task::header&>(header).self);
    const std::uintptr_t* table = nullptr;
    std::memcpy(&table, object, sizeof table);
    return table[execute_at];
}

void task_stack::execute(task& t) noexcept {
    const task_stack below = std::exchange(children, task_stack{});
    try {
        detail::throw_if_stopping();
        t.execute();
    } catch (...) {
        t.error_ = std::current_exception();
    }
    while (children.newest != nullptr) {
        std::exception_ptr error = children.join();
        if (t.error_ == nullptr) {
            t.error_ = std::move(error);
        }
    }
    children = below;
}

detail::task_remains::~task_remains() {
    if (spawned_) {
        task_remains::execute();
    }
}

void detail::task_remains::execute() {
    fatal("a task was destroyed that was spawned and not waited for: task::wait() was not reached (did execute() throw "
          "before?) or its reference_count was too small");
}

std::uintptr_t detail::low_level_code(const task_header& header) noexcept { return task_stack::code_of(header); }

void task::run_stolen(detail::task_header* h) noexcept {
    task_stack::execute(*static_cast<header*>(h)->self);
    detail::finish_stolen(*h);
}

void task::spawn(task* t) {
    if (t == nullptr || t->spawned_) {
        throw std::logic_error(t == nullptr ? "skerry: task::spawn() of a null pointer"
                                            : "skerry: task::spawn() of a task that was not waited for since its last "
                                              "spawn");
    }
    if (current_page == nullptr) {
        detail::enter_default_team();
        children.entered = true;
    }
    detail::worker_page& page = *current_page;
    t->header_.ctx = page.ctx;
    auto* const at = page.next();
    t->end_ = at + 1;
    if (page.push_at(at, &t->header_) && detail::attend(page) == detail::attended::no_room) {
        task_stack::execute(*t);
        t->has_run_ = true;
    }
    children.push(*t);
}

void task::wait(task* self) {
    if (self == nullptr || self->reference_count < 0) {
        throw std::logic_error(self == nullptr ? "skerry: task::wait() for a null pointer"
                                               : "skerry: task::wait() with a reference_count of " +
                                                     std::to_string(self->reference_count));
    }
    const int wanted = std::exchange(self->reference_count, 0);
    int joined = 0;
    std::exception_ptr first;
    for (; joined < wanted && children.newest != nullptr; ++joined) {
        if (std::exception_ptr error = children.join()) { // newest first, so the last one seen was spawned first
            first = std::move(error);
        }
    }
    if (children.entered && children.newest == nullptr) {
        children.entered = false;
        detail::leave_team();
    }
    if (first != nullptr) {
        std::rethrow_exception(first);
    }
    if (joined < wanted) {
        throw std::logic_error("skerry: task::wait() with a reference_count of " + std::to_string(wanted) +
                               ", but the task has spawned " + std::to_string(joined));
    }
}

void task::run_root(task& t) {
    if (current_page == nullptr) {
        const detail::region_guard region;
        task_stack::execute(t);
    } else {
        task_stack::execute(t);
    }
    if (const std::exception_ptr error = std::exchange(t.error_, nullptr)) {
        std::rethrow_exception(error);
    }
}

} // namespace skerry::inline SKERRY_ABI
