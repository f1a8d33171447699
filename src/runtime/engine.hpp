// SPDX-License-Identifier: Apache-2.0
#pragma once

// A team with its threads: what stands behind one runtime.
//
// Thread safety: any thread, not at the same time as the destructor.

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <skerry/runtime.hpp>

#include "base/port/thread.hpp"
#include "runtime/watchdog.hpp"
#include "sched/team.hpp"

namespace skerry::inline SKERRY_ABI::detail {

class engine {
  public:
    // Errors: as runtime's constructor.
    explicit engine(const options& o);
    engine(const engine&) = delete;
    engine& operator=(const engine&) = delete;
    ~engine();

    // The calling thread takes a slot and is a worker until leave(). Errors: std::system_error (no free slot).
    void enter();
    static void leave() noexcept;

    // Queues a task of a thread without a slot, and makes sure that a thread will run it.
    // Errors: std::bad_alloc, std::system_error (no thread can be started).
    void submit(loose_task& task);

    // The calling worker is about to block: lets another thread run in its place. end_blocking() takes the permit back.
    void begin_blocking() noexcept;
    void end_blocking() noexcept;

    [[nodiscard]] statistics stats() const noexcept;
    [[nodiscard]] team& crew() noexcept { return team_; }
    [[nodiscard]] const options& settings() const noexcept { return options_; }

    // The engine around the caller, else the default one, started if need be.
    static engine& current();
    static engine& standard();
    static engine& of(worker_page& page) noexcept;

  private:
    // A thread of this engine and the slot it works on.
    struct background {
        engine* home = nullptr;
        worker* place = nullptr;
        port::thread thread;
    };

    static void run_background(void* self);
    static void run_reserve(void* self);
    static void run_substitute(void* self);
    static void serve(worker& place) noexcept;

    void start(background& b, void (*body)(void*), const char* name, bool pinned);
    void stop() noexcept;
    void start_reserve();
    [[nodiscard]] bool substitute_retires() const noexcept;

    engine* of_parent_ = nullptr; // the standard engine of the process that forked this one
    const options options_;       // resolved: no field means "automatic" any more
    const std::vector<unsigned> cpus_;
    team team_;
    std::vector<std::unique_ptr<background>> workers_;
    std::unique_ptr<watchdog> watchdog_;

    // The reserve runs what comes from outside when no worker is free; it steals from nobody, so that a thread inside
    // run() and workers - 1 others fill the machine.
    std::once_flag reserve_once_;
    machine::atomic<bool> reserve_runs_{false};
    background reserve_;
    bell reserve_bell_;

    // Substitutes for workers inside blocking().
    machine::atomic<unsigned> blocked_{0};
    machine::atomic<unsigned> substitutes_active_{0};
    mutable std::mutex substitutes_mutex_; // guards what follows
    std::condition_variable substitute_wanted_;
    std::vector<std::unique_ptr<background>> substitutes_;
    unsigned substitutes_parked_ = 0;
    unsigned calls_for_substitutes_ = 0;
};

} // namespace skerry::inline SKERRY_ABI::detail
