// SPDX-License-Identifier: Apache-2.0
#pragma once

// A team with its threads: what stands behind one runtime.
//
// Thread safety: any thread, not at the same time as the destructor.

#include <cstdint>
#include <memory>
#include <vector>

#include <skerry/detail/core/region_id.hpp>
#include <skerry/runtime.hpp>

#include "base/port/thread.hpp"
#include "deps/task_manager.hpp"
#include "fabric/agreement.hpp"
#include "runtime/memory_keeper.hpp"
#include "runtime/processes.hpp"
#include "runtime/trace_file.hpp"
#include "runtime/watchdog.hpp"
#include "sched/cancellation.hpp"
#include "sched/permits.hpp"
#include "sched/reserve.hpp"
#include "sched/team.hpp"
#include "sync/mutex.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// What an engine has on some machines only, made when it is first asked for: the devices that run kernels.
class engine_part {
  public:
    virtual ~engine_part() = default;
    engine_part(const engine_part&) = delete;
    engine_part& operator=(const engine_part&) = delete;

    // That workers have run.
    [[nodiscard]] virtual std::uint64_t kernel_iterations() const noexcept = 0;

  protected:
    engine_part() = default;
};

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

    // In a program of several processes: joins them. In all but the first, work from the others is all that the calling
    // worker does from here on, until the first has ended; then the process ends. Errors: as processes::join().
    void join_processes();

    // Queues a task of a thread without a slot, and makes sure that a thread will run it.
    // Errors, with one worker: std::bad_alloc; std::system_error (no slot is left, or no thread can be started).
    void submit(loose_task& task);
    // The same, where there are more workers, or somebody inside waits for the task.
    void hand_over(loose_task& task) noexcept;

    // The calling worker is about to block: lets another thread run in its place. end_blocking() takes the permit back.
    void begin_blocking() noexcept;
    void end_blocking() noexcept;

    // The root of the regions of this runtime, made at the first call. Errors: std::bad_alloc.
    [[nodiscard]] region_id root();

    // The engine that stands in `place`. In the child of a fork the first caller puts one there that takes the place of
    // the parent's, with the same options and regions. Errors: as the constructor's, in a child; `place` is as it was.
    static engine& of_this_process(machine::atomic<engine*>& place);
    // The same one's root(), for which a child makes no engine. Errors: std::bad_alloc.
    static region_id root_at(const machine::atomic<engine*>& place);

    // The part of this engine, made by the first caller. Errors: as those of `make`.
    [[nodiscard]] engine_part& part(std::unique_ptr<engine_part> (*make)(const options&));

    [[nodiscard]] statistics stats() const noexcept;
    [[nodiscard]] std::vector<executor_statistics> executors() const;
    [[nodiscard]] team& crew() noexcept { return team_; }
    [[nodiscard]] memory_keeper& kept() noexcept { return kept_; }
    [[nodiscard]] const options& settings() const noexcept { return options_; }

    // The engine around the caller, else the default one, started if need be.
    static engine& current();
    static engine& standard();
    [[nodiscard]] bool is_standard() const noexcept;
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

    // False: no slot is left. `role` is a literal: who this is, for the system's name of the thread and for a trace.
    // Errors: std::bad_alloc, std::system_error (no thread).
    [[nodiscard]] bool start(background& b, void (*body)(void*), const char* role, bool pinned);
    void stop() noexcept;
    // As start().
    [[nodiscard]] bool start_reserve();
    void try_to_start_reserve() noexcept;
    // One slot more than `owned`: the destructor enters, too, and can be refused none. False: there are not so many.
    [[nodiscard]] bool keep_a_slot_beside(unsigned owned) { return team_.make_slots(owned + 1); }
    // Without executors: this process has no part in the program's trace.
    [[nodiscard]] trace_part take_trace() const;

    engine* of_parent_ = nullptr; // in the child of a fork: whose place this one has taken
    const options options_;       // resolved: no field means "automatic" any more
    // Whoever asks for locked steals may live in a sandbox that knows no unusual call.
    const port::name_for names_told_;
    const std::vector<unsigned> cpus_;
    const std::unique_ptr<wait_records> records_; // null: no watchdog
    team team_;
    std::unique_ptr<task_manager> manager_; // null: software, or there are other processes
    const alert_scope alerts_{team_};
    machine::atomic<region_id> root_{region_id::none};
    machine::atomic<unsigned> owned_{0}; // slots that threads of this engine hold
    std::vector<std::unique_ptr<background>> workers_;
    std::unique_ptr<watchdog> watchdog_;

    // Constant after construction. Null: no trace.
    trace_clock trace_clock_;
    fabric::place_in_line place_;
    std::unique_ptr<trace_buffer<machine>> messages_; // what moves messages writes here; null also without processes
    std::unique_ptr<trace_entry> trace_;

    // Joined by the first thread inside run(). The section waits for the other processes, which have a deadline.
    machine::atomic<bool> processes_known_{false};
    machine::atomic<bool> helps_{false};   // this is one of the others, and has joined
    mutex<machine> processes_mutex_;       // guards the joining of what follows
    std::unique_ptr<processes> processes_; // null: this process stands alone

    // The reserve runs what comes from outside when no worker is free; it steals from nobody, so that a thread inside
    // run() and workers - 1 others fill the machine.
    machine::atomic<bool> reserve_runs_{false};
    mutex<machine> reserve_mutex_; // guards the start of what follows
    background reserve_thread_;
    reserve reserve_;

    memory_keeper kept_;

    mutable mutex<machine> part_mutex_; // guards what follows
    std::unique_ptr<engine_part> part_; // null: nobody has asked for it

    // Stand-ins for workers inside blocking().
    permits permits_{options_.blocking_threads};
    std::vector<std::unique_ptr<background>> substitutes_; // grows where permits_ starts one
};

} // namespace skerry::inline SKERRY_ABI::detail
