// SPDX-License-Identifier: Apache-2.0
#pragma once

// One slot of a team: a deque, a place to sleep, and what others may know about its owner. A background thread keeps
// its slot for life; a foreign thread holds one while it is inside a parallel region.
//
// Thread safety: in groups, as the comments say.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/loose_task.hpp>
#include <skerry/detail/core/worker_page.hpp>
#include <skerry/detail/sched/counts_ahead.hpp>
#include <skerry/detail/trace/writer.hpp>

#include "base/port/clock.hpp"
#include "sched/counters.hpp"
#include "sched/nested_contexts.hpp"
#include "sched/spare_blocks.hpp"
#include "sched/steal_request.hpp"
#include "sync/deque_owner.hpp"
#include "sync/deque_thief.hpp"
#include "sync/event_count.hpp"

namespace skerry::inline SKERRY_ABI::detail {

class team;

using bell = event_count<machine>;

// Where what becomes ready by the end of a task may run, if the same frame is around both.
enum class successors : std::uint8_t {
    elsewhere, // nothing but descendants of what the stack waits for may run on it, or the caller goes on afterwards
    here,      // the wait below is for that frame or one further out
};

// What stays behind where a task was taken from the middle of a deque. Whoever gets it runs it, to no effect.
struct hole_task final : task_header {
    explicit hole_task(const context& root) noexcept : task_header([](task_header*) noexcept {}, &root) {}
};

struct worker final : worker_page {
    // `trace_records`: of the newest events to keep; 0: no trace. `waits_observed`: there is a wait_observer.
    // Errors: std::bad_alloc.
    worker(team& t, const context& root, unsigned number, steal_protocol protocol, std::size_t trace_records,
           bool waits_observed)
        : home(t),
          slot(number),
          events(trace_records == 0 ? nullptr
                                    : std::make_unique<trace_buffer<machine>>(number, trace_records, &port::ticks)),
          trace(events.get()),
          observed(trace.on() || waits_observed),
          tasks(*this, protocol),
          contexts(*this),
          hole(root) {}

    // Constant once the slot is published.
    team& home;
    const unsigned slot;
    const std::unique_ptr<trace_buffer<machine>> events; // null: no trace
    const trace_sink<machine> trace;                     // to it; for the holder of the slot
    const bool observed;                                 // by a trace, or by the observer of waits
    std::vector<unsigned> order;                         // of the background workers, nearest first
    deque<machine, task_header> tasks;
    nested_contexts contexts; // of what is forked here

    // Any thread.
    machine::atomic<bool> taken{true};
    machine::atomic<unsigned> core{0};            // where the holder runs, for whoever interrupts it
    machine::atomic<std::uint32_t> entries{0};    // how often the slot was taken
    machine::atomic<std::uintptr_t> announced{0}; // a wanted, valid while `sleeping` is prepared
    bell sleeping;
    machine::atomic<bool> parked{false};        // the holder takes nothing until somebody calls it
    machine::atomic<const char*> role{nullptr}; // of a thread of the runtime, for a trace; null: threads from outside
    counters count;
    hole_task hole; // of this deque; written under its gate only

    // Of this worker as a thief.
    steal_request request;

    // Owner only.
    bool roused = false;         // called for a task, or knows of another one: team::relay()
    unsigned known_slots = 0;    // of the team, as of the last look
    std::uint64_t looked_at = 0; // when a search has last looked at the clock, in ticks
    std::uint64_t earned = 0;    // ticks that may be searched before a sleep, for so long has been worked
    successors what_follows = successors::elsewhere; // the task that execute() is about to run
    unsigned blocking = 0;                           // calls of blocking() that the holder is in
    const void* entered = nullptr; // the frame in which the innermost context was entered; null: none was
    std::size_t floor = 0;         // of the innermost wait or finish: tasks from this depth on are its own
    worker_page* outer = nullptr;  // the page of the runtime around this one
    counts_ahead ahead;            // of the latch that covers what is begun here, or of none
    spare_blocks spare;            // give() is for any thread

    // Whether threads from outside hold the slot by turns, each for a region.
    [[nodiscard]] bool serves_outsiders() const noexcept { return role.load(memory_order::acquire) == nullptr; }

    [[nodiscard]] deque_owner<machine, task_header> mine() noexcept { return deque_owner<machine, task_header>(tasks); }
    [[nodiscard]] deque_thief<machine, task_header> theirs() noexcept {
        return deque_thief<machine, task_header>(tasks);
    }

    // Calls f with where events go, or with a twin that leaves them out, if no wait is observed either: one look for
    // all that f writes there or tells the observer.
    template <class F>
    void with_trace(F&& f) const noexcept {
        if (takes_events<machine> || observed) [[unlikely]] {
            f(trace);
        } else if constexpr (!takes_events<machine>) {
            f(null_trace());
        }
    }

    // Every page is the head of a worker.
    static worker& of(worker_page& page) noexcept { return static_cast<worker&>(page); }
};

} // namespace skerry::inline SKERRY_ABI::detail
