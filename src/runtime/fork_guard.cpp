// SPDX-License-Identifier: Apache-2.0

#include "runtime/fork_guard.hpp"

#include "base/port/process.hpp"
#include "sched/worker.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

constinit std::mutex standard_mutex;

void lock() noexcept { standard_mutex.lock(); }
void unlock() noexcept { standard_mutex.unlock(); }

// Sends every later push and pop of the forking thread the slow way, which looks at the process first.
void in_child() noexcept {
    for (worker_page* page = current_page; page != nullptr; page = worker::of(*page).outer) {
        page->ring();
        page->split.store(reinterpret_cast<worker_page::slot*>(~std::uintptr_t{sizeof(void*) - 1}),
                          std::memory_order_relaxed);
    }
    machine::after_fork();
    standard_mutex.unlock();
}

} // namespace

void watch_forks() { port::track_forks({.prepare = &lock, .parent = &unlock, .child = &in_child}); }

std::mutex& standard_engine_mutex() noexcept { return standard_mutex; }

} // namespace skerry::inline SKERRY_ABI::detail
