// SPDX-License-Identifier: Apache-2.0
#pragma once

// The event machine of the process. The functions of event_machine.h are written over this.
//
// Thread safety: any thread, unless it says otherwise.
//
// Invariants
//  1. A queue is listed if and only if it is open, has events, and is not held.
//  2. If a queue is listed and a core sleeps, another one is about to look: the core that last received, one whose bell
//     is about to be rung, or the sender that lists it.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <event_machine/platform/event_machine_init.h>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/context.hpp>
#include <skerry/detail/core/worker_page.hpp>
#include <skerry/detail/sync/machine.hpp>

#include "frontend/event/event_group.hpp"
#include "frontend/event/pool.hpp"
#include "frontend/event/queue.hpp"
#include "frontend/event/scheduler.hpp"
#include "frontend/event/timer.hpp"
#include "sched/worker.hpp"
#include "sync/condition.hpp"
#include "sync/mutex.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// What the calling thread is for the event machine.
struct event_thread {
    int core = -1;
    worker_page* page = nullptr; // of the core
    bool dispatching = false;    // the core is in em_dispatch()
    bool idle = false;           // it found no event when it last looked
    bool holds_queue = false;    // for an event of an atomic queue that it holds
    event_queue* queue = nullptr;
    group_tag group;            // of the receive function that runs
    std::uint64_t asked_ns = 0; // when it last looked for an event, and had the answer; if somebody asks for it
    std::uint64_t answered_ns = 0;
    execution_object* inside = nullptr; // whose function runs
    struct later {
        event* what;
        em_queue_t to;
    };
    std::vector<later>* until_started = nullptr; // in a start function: what it sends
};
extern constinit thread_local event_thread this_event_thread;

// Calls the handler of errors. `...`: a format and its values. Returns what the function shall return.
em_status_t event_error(em_status_t error, em_escope_t scope, ...) noexcept;
em_status_t event_error_of_program(em_status_t error, em_escope_t scope, va_list args) noexcept;
void handle_event_errors(em_error_handler_t handler) noexcept; // null: none

// Objects by number, from 1, which is what handles are. Thread safety: of() for any thread, the rest under a lock.
template <class T>
class handle_table {
  public:
    // Errors: std::bad_alloc.
    explicit handle_table(std::size_t most) : most_(most), places_(std::make_unique<machine::atomic<T*>[]>(most)) {}
    handle_table(const handle_table&) = delete;
    handle_table& operator=(const handle_table&) = delete;
    ~handle_table() {
        for (std::size_t number = 1; number <= most_; ++number) {
            delete of(number);
        }
    }

    [[nodiscard]] T* of(std::size_t number) const noexcept {
        return number != 0 && number <= most_ ? places_[number - 1].load(memory_order::acquire) : nullptr;
    }
    // The lowest free number; 0: none is.
    [[nodiscard]] std::size_t free_number() const noexcept {
        std::size_t number = first_free_;
        while (number <= most_ && of(number) != nullptr) {
            ++number;
        }
        return number <= most_ ? number : 0;
    }
    void put(std::size_t number, std::unique_ptr<T> one) noexcept {
        places_[number - 1].store(one.release(), memory_order::release);
        first_free_ = number == first_free_ ? number + 1 : first_free_;
    }
    [[nodiscard]] std::unique_ptr<T> take(std::size_t number) noexcept {
        first_free_ = std::min(first_free_, number);
        return std::unique_ptr<T>(places_[number - 1].exchange(nullptr, memory_order::acq_rel));
    }
    template <class F>
    void each(F&& f) const {
        for (std::size_t number = 1; number <= most_; ++number) {
            if (T* const one = of(number)) {
                f(*one);
            }
        }
    }

  private:
    const std::size_t most_;
    const std::unique_ptr<machine::atomic<T*>[]> places_;
    std::size_t first_free_ = 1;
};

template <class Handle>
std::size_t number_of(Handle handle) noexcept {
    return reinterpret_cast<std::uintptr_t>(handle);
}
template <class Handle>
Handle handle_of(std::size_t number) noexcept {
    return reinterpret_cast<Handle>(number);
}

class event_machine {
  public:
    static constexpr std::size_t most_pools = 16;
    static constexpr std::size_t most_queues = 65'535;
    static constexpr std::size_t most_objects = 1024;

    // Null: there is none now.
    [[nodiscard]] static event_machine* instance() noexcept { return the_one.load(memory_order::acquire); }

    // Errors: std::bad_alloc. Precondition: the configuration is right.
    explicit event_machine(const em_conf_t& conf);
    event_machine(const event_machine&) = delete;
    event_machine& operator=(const event_machine&) = delete;
    // Precondition: no core is inside.
    ~event_machine();
    static void publish(event_machine* one) noexcept { the_one.store(one, memory_order::release); }

    [[nodiscard]] int core_count() const noexcept { return conf_.core_count; }
    [[nodiscard]] const em_conf_t& conf() const noexcept { return conf_; }
    // A number for one more core; negative: all have begun.
    [[nodiscard]] int add_core() noexcept;
    void remove_core() noexcept;
    [[nodiscard]] int cores_inside() noexcept;

    // `wanted`: a number from 1, or 0 for any. 0: all are taken, or that one is. Errors: std::bad_alloc.
    std::size_t add_pool(const char* name, std::size_t wanted, const em_pool_cfg_t& config);
    // The events that are in use: then nothing has happened.
    [[nodiscard]] std::size_t remove_pool(std::size_t number) noexcept;
    [[nodiscard]] event_pool* pool(em_pool_t handle) const noexcept { return pools_.of(number_of(handle)); }

    [[nodiscard]] event_groups& groups() noexcept { return groups_; }
    [[nodiscard]] event_timers& timers() noexcept { return timers_; }

    // EM_QUEUE_UNDEF: there are most_queues. Errors: std::bad_alloc.
    em_queue_t add_queue(std::unique_ptr<event_queue> q);
    em_eo_t add_object(std::unique_ptr<execution_object> eo);
    [[nodiscard]] event_queue* queue(em_queue_t handle) const noexcept { return queues_.of(number_of(handle)); }
    [[nodiscard]] execution_object* object(em_eo_t handle) const noexcept { return objects_.of(number_of(handle)); }

    enum class done : std::uint8_t { yes, no, later };
    // What the functions of the same names in event_machine.h do; no: the state does not allow it. `later`: it will be
    // over when the last core leaves a receive function. Errors: std::bad_alloc.
    [[nodiscard]] bool delete_queue(event_queue& q) noexcept;
    [[nodiscard]] bool delete_object(execution_object& eo) noexcept;
    [[nodiscard]] bool give_queue(execution_object& eo, event_queue& q);
    [[nodiscard]] done take_queue(execution_object& eo, event_queue& q, std::vector<notice> then);
    [[nodiscard]] bool begin_start(execution_object& eo) noexcept;
    void end_start(execution_object& eo, bool started) noexcept;
    [[nodiscard]] done stop(execution_object& eo, std::vector<notice> then);
    [[nodiscard]] em_eo_state_t state_of(execution_object& eo) noexcept;
    // It is being stopped, and nobody receives from it any more.
    [[nodiscard]] bool is_quiet(execution_object& eo) noexcept;
    // Until the queue has no owner, or the object has been stopped.
    void await_gone(event_queue& q);
    void await_stopped(execution_object& eo);

    enum class sent : std::uint8_t { yes, no_queue, not_open, full };
    [[nodiscard]] sent send(event& e, em_queue_t to) noexcept; // which another thread may remove

    // --- for cores
    struct delivery {
        event_queue* from = nullptr;
        execution_object* to = nullptr;
        event* what = nullptr;
    };
    // False: no queue is ready.
    [[nodiscard]] bool next(delivery& d) noexcept;
    // The receive function has returned. `holds`: the core still holds the queue.
    void received(const delivery& d, bool holds) noexcept;
    // The core receives no more for now; what it leaves is for others.
    void pass_on() noexcept;
    // It goes on without the queue.
    void let_go(event_queue& q) noexcept;

    // The core calls a receive function, under that context; null: no more.
    void calls(int core, const context* under) noexcept;
    // Whether a receive function that some core calls just now waits for what runs under the context. Any thread.
    [[nodiscard]] bool waited_for(const context* under) const noexcept;

    [[nodiscard]] bool any_ready() const noexcept { return listed_.load(memory_order::acquire) != 0; }
    // As of a Condition (team.hpp): from now on, whoever makes a queue ready delivers to a bell.
    [[nodiscard]] bool arm(bell& b);
    [[nodiscard]] bool disarm(bell& b) noexcept;

  private:
    static machine::atomic<event_machine*> the_one;

    // Under lock_. True: the queue was not listed, and is now.
    bool list(event_queue& q) noexcept;
    void unlist(event_queue& q) noexcept;
    // A core that sleeps, to be delivered to behind the lock; or null.
    [[nodiscard]] bell* sleeper() noexcept;
    // Nobody receives from it any more; returns the events that lie in it, to be freed behind the lock.
    [[nodiscard]] event* close(event_queue& q) noexcept;
    // Those queues and that object which a core has left as the last.
    [[nodiscard]] std::vector<notice> end_leaving(event_queue& q) noexcept;
    void finish_stop(execution_object& eo) noexcept;

    const em_conf_t conf_;
    event_groups groups_;
    event_timers timers_;

    mutable mutex<machine> lock_;
    condition<machine> changed_;
    // Guarded by lock_.
    int cores_begun_ = 0;
    int cores_inside_ = 0;
    synchronous_scheduler scheduler_;
    std::vector<bell*> sleepers_;
    handle_table<event_pool> pools_{most_pools};
    handle_table<event_queue> queues_{most_queues};
    handle_table<execution_object> objects_{most_objects};

    machine::atomic<std::size_t> listed_{0};                            // written under lock_
    std::array<machine::atomic<const context*>, EM_MAX_CORES> calls_{}; // each written by its core
};

// A bell is delivered to behind the lock.
inline void ring(bell* b) noexcept {
    if (b != nullptr) {
        b->deliver();
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
