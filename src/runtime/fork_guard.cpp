// SPDX-License-Identifier: Apache-2.0

#include "runtime/fork_guard.hpp"

#include <skerry/detail/trace/names.hpp>

#include "base/port/call_stack.hpp"
#include "base/port/process.hpp"
#include "base/port/thread_stack.hpp"
#include "runtime/trace_file.hpp"
#include "sched/cancellation.hpp"
#include "sched/worker.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

constinit mutex<machine> standard_mutex;

// In the order in which they are taken elsewhere: a runtime opens its trace while it is made, and names code while it
// is written.
void lock() noexcept {
    standard_mutex.lock();
    trace_files_mutex().lock();
    code_names_mutex().lock();
    port::program_sources_mutex().lock();
    port::thread_stacks_mutex().lock(); // for a tenth of a second at most; the forking thread may be who is asked
    stop_mutex().lock();
}
void unlock() noexcept {
    stop_mutex().unlock();
    port::thread_stacks_mutex().unlock();
    port::program_sources_mutex().unlock();
    code_names_mutex().unlock();
    trace_files_mutex().unlock();
    standard_mutex.unlock();
}

// Sends every later push and pop of the forking thread the slow way, which looks at the process first.
void in_child() noexcept {
    for (worker_page* page = current_page; page != nullptr; page = worker::of(*page).outer) {
        page->ring();
        page->split.store(reinterpret_cast<worker_page::slot*>(~std::uintptr_t{sizeof(void*) - 1}),
                          memory_order::relaxed);
    }
    machine::after_fork();
    unlock();
}

} // namespace

void watch_forks() { port::track_forks({.prepare = &lock, .parent = &unlock, .child = &in_child}); }

mutex<machine>& standard_engine_mutex() noexcept { return standard_mutex; }

} // namespace skerry::inline SKERRY_ABI::detail
