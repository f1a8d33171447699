// SPDX-License-Identifier: Apache-2.0

// The default runtime: made at first use, never destroyed, so that it may be used before main and in static
// destructors; made anew in the child of a fork.

#include <exception>
#include <mutex>

#include <skerry/detail/frontend/algorithm/kept_memory.hpp>
#include <skerry/detail/frontend/forkjoin/blocking_region.hpp>
#include <skerry/detail/frontend/forkjoin/finish_frame.hpp>
#include <skerry/detail/frontend/forkjoin/fork.hpp>
#include <skerry/region.hpp>

#include "base/port/process.hpp"
#include "runtime/engine.hpp"
#include "runtime/fork_guard.hpp"
#include "sched/entry.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

constinit machine::atomic<engine*> standard_engine{nullptr};

} // namespace

// relaxed: a thread inside the standard engine has seen it published
bool engine::is_standard() const noexcept { return this == standard_engine.load(memory_order::relaxed); }

engine& engine::standard() {
    engine* found = standard_engine.load(memory_order::acquire);
    if (found != nullptr && !found->team_.orphaned()) [[likely]] {
        return *found;
    }
    const std::lock_guard lock(standard_engine_mutex());
    found = standard_engine.load(memory_order::acquire);
    if (found == nullptr || found->team_.orphaned()) {
        port::keep_loaded(); // its threads run this code to the end of the process
        // The engine of the parent process is left as it is: its locks may be held by threads that are not here.
        engine* const of_parent = found;
        found = new engine(options::from_environment());
        found->of_parent_ = of_parent;
        standard_engine.store(found, memory_order::release);
    }
    return *found;
}

engine& engine::current() { return current_page != nullptr ? of(*current_page) : standard(); }

region_guard::region_guard() { engine::standard().enter(); }

region_guard::~region_guard() { engine::leave(); }

unsigned concurrency() noexcept {
    try {
        return engine::current().crew().workers();
    } catch (const std::exception& e) {
        // The construct that asks meets the same error if it forks. A small loop does not: once it is said all the
        // same.
        static constinit machine::atomic<bool> said{false};
        if (!said.exchange(true, memory_order::relaxed)) { // relaxed: it says nothing about other memory
            port::write_stderr("skerry: no runtime could be made: ");
            port::write_stderr(e.what());
            port::write_stderr("\n");
        }
        return 1;
    }
}

namespace {

// A child of a fork that goes on with its parent's task ends here, before it waits for a lock that nobody gives back.
memory_keeper& kept_here() {
    engine& here = engine::current();
    here.crew().check_process();
    return here.kept();
}

} // namespace

// Between the two calls for a block the caller stays in one runtime; a block would be kept by any other just as well.
memory_block kept_memory::take_large(std::size_t bytes) noexcept {
    try {
        return kept_here().take(bytes);
    } catch (...) {
        return {}; // as concurrency()
    }
}

void kept_memory::give_large(memory_block block) noexcept {
    try {
        kept_here().give(block);
    } catch (...) { // the child of a fork, where no runtime can be made
        memory_keeper::free(block);
    }
}

namespace {

// Inlined in both: a call more would be a part of what a loose task costs.
[[gnu::always_inline]] inline void push(worker& self, loose_task& task) {
    const context* const joined = &task.ctx->cover(); // the task may be gone after the push; only compared
    task.place = &self;
    if (self.mine().push_loose(task) && self.mine().attend()) { // attend: a loose push has left room
        static_cast<void>(self.home.answer_push(self, joined)); // what begins the task asks whether it is skipped
    }
}

} // namespace

void begin_task(loose_task& task) {
    if (current_page == nullptr) {
        engine::standard().submit(task);
        return;
    }
    worker& self = worker::of(*current_page);
    if (!self.home.begins_silently()) [[unlikely]] {
        self.home.check_process();
        self.trace.spawn(trace_id(&task), trace_id(task.run), task_naming::code);
    }
    push(self, task);
}

void push_task(loose_task& task) {
    worker& self = worker::of(*current_page);
    self.home.check_process();
    push(self, task);
}

const context& current_context() {
    return current_page != nullptr ? *current_page->ctx : engine::standard().crew().root();
}

void begin_task_in(team& home, loose_task& task) {
    if (current_page != nullptr && &worker::of(*current_page).home == &home) {
        begin_task(task);
    } else {
        static_cast<engine*>(home.owner())->submit(task);
    }
}

void hand_over(team& home, loose_task& task) noexcept { static_cast<engine*>(home.owner())->hand_over(task); }

team& current_team() { return engine::current().crew(); }

void enter_default_team() { engine::standard().enter(); }

void leave_team() noexcept { engine::leave(); }

team_entry::team_entry(team& home) { static_cast<engine*>(home.owner())->enter(); }

team_entry::~team_entry() { engine::leave(); }

blocking_region::blocking_region() noexcept : page_(current_page) {
    if (page_ != nullptr) {
        engine::of(*page_).begin_blocking();
    }
}

blocking_region::~blocking_region() {
    if (page_ != nullptr) {
        engine::of(*page_).end_blocking();
    }
}

} // namespace skerry::inline SKERRY_ABI::detail

namespace skerry::inline SKERRY_ABI {

region root_region() {
    if (detail::current_page == nullptr) {
        return region(detail::region_id::root);
    }
    // The root of the process, which is there without any engine, is the default runtime's.
    detail::engine& around = detail::engine::of(*detail::current_page);
    return region(around.is_standard() ? detail::region_id::root : around.root());
}

} // namespace skerry::inline SKERRY_ABI
