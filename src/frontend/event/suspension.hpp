// SPDX-License-Identifier: Apache-2.0
#pragma once

// Co-operative dispatch: the stacks on which receive functions run, and those of them that are suspended.
//
// Thread safety: in groups, as the comments say.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/frontend/forkjoin/finish_frame.hpp>
#include <skerry/detail/sync/machine.hpp>

#include "base/port/fiber.hpp"
#include "base/port/overflow_scope.hpp"
#include "frontend/event/dispatch.hpp"
#include "frontend/event/event_list.hpp"
#include "frontend/event/linked.hpp"
#include "frontend/event/queue.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// A stack that receive functions run on, and what the one that is suspended there has taken along.
struct call_fiber {
    explicit call_fiber(std::size_t stack_size) // errors: std::bad_alloc
        : stack(stack_size, "a receive function", "raise stack_size of skerry_em_options_t or SKERRY_EM_STACK_SIZE") {}

    // The core's.
    port::fiber stack;
    receiving_state state;

    // Guarded by event_machine's lock.
    em_event_t event = EM_EVENT_UNDEF; // that it has received
    int core = -1;
    unsigned priority = 0;
    bool resumed = false;
    event_list local; // what it has sent to local queues
    ordered_place place;
    links<call_fiber> by_event;
    links<call_fiber> others; // that are suspended, or that nobody uses
    links<call_fiber> ready;
};

// Those that were resumed, of each priority in the order in which they were. Thread safety: as event_machine's lock.
class resumed_set {
  public:
    [[nodiscard]] unsigned priorities() const noexcept { return priorities_; } // bit p: one of priority p is there
    [[nodiscard]] unsigned highest() const noexcept {
        return static_cast<unsigned>(31 - std::countl_zero(priorities_));
    }
    void put(call_fiber& c) noexcept {
        lists_[c.priority].push_back(c);
        priorities_ |= 1U << c.priority;
    }
    // Precondition: one of that priority is there.
    [[nodiscard]] call_fiber& take(unsigned priority) noexcept {
        list& of = lists_[priority];
        call_fiber& c = *of.first();
        of.erase(c);
        if (of.empty()) {
            priorities_ &= ~(1U << priority);
        }
        return c;
    }

  private:
    using list = linked_list<call_fiber, &call_fiber::ready>;

    std::array<list, EM_QUEUE_PRIO_NUM> lists_;
    unsigned priorities_ = 0;
};

// What a core has sent to local queues, kept while a receive function goes on in between.
struct kept_events {
    event_list all;
    links<kept_events> neighbours;
};

// What a core needs for co-operative dispatch.
struct core_fibers {
    // By the core's thread. `first`: a stack for its loop. Errors: std::bad_alloc.
    core_fibers(event_machine& em, int core, call_fiber& first);

    // --- constant
    const context* const outside; // of all constructs

    // --- the core's
    port::overflow_scope overflow;  // of any stack
    port::fiber thread;             // its own stack
    call_fiber* loop = nullptr;     // whose stack the loop of its dispatcher is on
    call_fiber* running = nullptr;  // whose stack it is on; null: its own
    port::fiber* resumer = nullptr; // where it has resumed the running one
    call_fiber* spare = nullptr;    // the next one that it needs, or null
    call_fiber* ended = nullptr;    // nothing runs there any more
    dispatcher dispatch;

    // A receive function begins, and has returned. `event`: none if it has received several.
    void begin_call(root_frame& frame, em_event_t event) noexcept {
        this_event_thread.frame = &frame;
        this_event_thread.received = event;
        receives.store(reinterpret_cast<std::uintptr_t>(event), memory_order::relaxed); // relaxed: as below
    }
    void end_call() noexcept {
        this_event_thread.frame = nullptr;
        receives.store(0, memory_order::relaxed);
    }
    // The receive function of the running stack has returned after it was suspended, or the loop is over.
    [[noreturn]] void end_running() noexcept;

    // --- any thread
    // The event whose receive function runs, with a bit that is 1 if it was resumed ahead. relaxed: who resumes it has
    // the event from the receive function, and what is kept for it lies under the lock. The bit is set under the lock.
    static constexpr std::uintptr_t resumed_ahead = 1;
    machine::atomic<std::uintptr_t> receives{0};

    // --- guarded by event_machine's lock
    resumed_set resumed;
    std::size_t suspended = 0;
    linked_list<kept_events, &kept_events::neighbours> around; // of those who have resumed the running one
};

// The core, which calls this, is on the stack of a receive function, or of its loop.
inline bool on_fiber(const event_machine& em, int core) noexcept {
    const core_fibers* const mine = em.fibers(core);
    return mine != nullptr && mine->running != nullptr;
}

// Thread safety: what is not constant is guarded by event_machine's lock, but for what a core's own groups say.
class suspensions {
  public:
    suspensions(unsigned most, std::size_t stack_size); // errors: std::bad_alloc
    suspensions(const suspensions&) = delete;
    suspensions& operator=(const suspensions&) = delete;
    ~suspensions();

    const unsigned most; // suspended at a time
    const std::size_t stack_size;
    std::array<std::unique_ptr<core_fibers>, EM_MAX_CORES> cores; // each written while its core is outside

    [[nodiscard]] core_fibers& of(int core) const noexcept { return *cores[static_cast<std::size_t>(core)]; }
    [[nodiscard]] bool is_full() const noexcept { return all_.size() >= most; }
    void add(call_fiber& c) noexcept;
    void remove(call_fiber& c) noexcept;
    // The one that was suspended first of those that have received the event and were not resumed. Null: there is none;
    // `resumed`: but one that was resumed.
    [[nodiscard]] call_fiber* find(em_event_t event, bool& resumed) const noexcept;
    // Errors: std::bad_alloc.
    [[nodiscard]] call_fiber& take_free();
    void give_free(call_fiber& c) noexcept { free_.push_back(c); }
    // Calls f(list) for each list of events for queues that lies here.
    template <class F>
    void each_list(F&& f) {
        for (call_fiber* c = all_.first(); c != nullptr; c = all_.after(*c)) {
            f(c->local);
            f(c->place.own);
            f(c->place.after);
        }
        for (const std::unique_ptr<core_fibers>& core : cores) {
            for (kept_events* k = core != nullptr ? core->around.first() : nullptr; k != nullptr;
                 k = core->around.after(*k)) {
                f(k->all);
            }
        }
    }

  private:
    using bucket = linked_list<call_fiber, &call_fiber::by_event>;

    [[nodiscard]] bucket& bucket_of(em_event_t event) const noexcept;

    const std::size_t bucket_count_; // a power of two
    const std::unique_ptr<bucket[]> buckets_;
    linked_list<call_fiber, &call_fiber::others> all_;
    linked_list<call_fiber, &call_fiber::others> free_;
};

} // namespace skerry::inline SKERRY_ABI::detail
