// SPDX-License-Identifier: Apache-2.0
#pragma once

// The event machine of the process. The functions of event_machine.h are written over this.
//
// Thread safety: any thread, unless it says otherwise.
//
// Invariants
//  1. A queue outside of atomic groups is listed if and only if it is scheduled, open, has events, and is not held. Of
//     a queue in an atomic group the same holds for the group's list, but for `held`; and a group is listed if and only
//     if its list is not empty and it is not held. Its priority is that of the best in its list then.
//  2. If something is listed and a core that may take it sleeps, another thread is about to pass on: a core that looks,
//     one whose bell is about to be rung, or the sender that lists it.
//  3. A core that looks and finds nothing has passed on before it sleeps, and so has one that leaves.
//  4. `events` of a queue and of the lists of cores hold each event once. `elsewhere` of a queue counts those for it
//     that lie in lists of cores, so it is gone only when these are.
//  5. A suspended receive function counts as receiving wherever it did. Its core's bit is in `inside` of its queue
//     group. What it had in the core's lists and places it has taken along.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include <event_machine/api/event_machine_dispatcher.h>
#include <event_machine/platform/event_machine_init.h>
#include <skerry/event.h>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/context.hpp>
#include <skerry/detail/core/worker_page.hpp>
#include <skerry/detail/sync/machine.hpp>

#include "frontend/event/callbacks.hpp"
#include "frontend/event/event_group.hpp"
#include "frontend/event/event_home.hpp"
#include "frontend/event/execution_object.hpp"
#include "frontend/event/handle_table.hpp"
#include "frontend/event/hooks.hpp"
#include "frontend/event/machine_lock.hpp"
#include "frontend/event/pool.hpp"
#include "frontend/event/queue.hpp"
#include "frontend/event/scheduler.hpp"
#include "frontend/event/timer.hpp"
#include "sched/worker.hpp"
#include "sync/condition.hpp"
#include "sync/shared_fence.hpp"

namespace skerry::inline SKERRY_ABI::detail {

struct call_fiber;
struct core_fibers;
class root_frame;
class suspensions;

// What a receive function finds there when it goes on.
struct receiving_state {
    event_queue* queue = nullptr;         // whose event it receives
    execution_object* inside = nullptr;   // whose function runs
    execution_object* starting = nullptr; // whose start function runs: what it sends is held
    group_tag group;                      // of the receive function that runs
    unsigned group_count = 0;             // and how many of its events count for it
    std::uint64_t asked_ns = 0; // when the core last looked for an event, and had the answer; if somebody asks for it
    std::uint64_t answered_ns = 0;
    // In which context it receives: that of the queue, or of the one whose receive function sent to a local queue.
    event_queue* scheduled = nullptr;
    em_sched_context_type_t holds = EM_SCHED_CONTEXT_TYPE_NONE; // what it has not ended

    void begin_context(event_queue& of) noexcept {
        scheduled = &of;
        holds = of.atomic()    ? EM_SCHED_CONTEXT_TYPE_ATOMIC
                : of.ordered() ? EM_SCHED_CONTEXT_TYPE_ORDERED
                               : EM_SCHED_CONTEXT_TYPE_NONE;
    }
    void end_context() noexcept {
        scheduled = nullptr;
        holds = EM_SCHED_CONTEXT_TYPE_NONE;
    }
    void begin_function(event_queue& of) noexcept {
        queue = &of;
        inside = of.owner;
    }
    void end_function() noexcept {
        queue = nullptr;
        inside = nullptr;
    }

    // Of a receive function that runs, in co-operative dispatch.
    em_event_t received = EM_EVENT_UNDEF; // none: it has received several
    root_frame* frame = nullptr;
    // Where it is in the lists that functions ..._get_first() and ..._get_next() go through.
    struct {
        em_queue_t queue;
        em_queue_t of_object;
        em_queue_t of_group;
        em_queue_t of_atomics;
        em_eo_t object;
        em_queue_group_t group;
        em_atomic_group_t atomics;
        em_event_group_t event_group;
        em_pool_t pool;
    } at{};
};

// What the calling thread is for the event machine.
struct event_thread : receiving_state {
    int core = -1;
    worker_page* page = nullptr; // of the core
    bool dispatching = false;    // the core is in em_dispatch()
    bool idle = false;           // it found no event when it last looked
    bool leaving = false;        // and asks for no event ahead any more
    bool works = false;          // at home
    bool plain = false;          // and its sends are in no trace
    event_home* home = nullptr;  // of the core
};
extern constinit thread_local event_thread this_event_thread;

// Calls the handler of errors. `...`: a format and its values. Returns what the function shall return.
em_status_t event_error(em_status_t error, em_escope_t scope, ...) noexcept;
em_status_t event_error_of_program(em_status_t error, em_escope_t scope, va_list args) noexcept;
void handle_event_errors(em_error_handler_t handler) noexcept; // null: none

// Bells of cores that sleep no longer, delivered to when this ends. Made before the lock is closed, it ends behind it.
class wake_ups {
  public:
    wake_ups() = default;
    wake_ups(const wake_ups&) = delete;
    wake_ups& operator=(const wake_ups&) = delete;
    ~wake_ups() {
        for (unsigned i = 0; i < count_; ++i) {
            bells_[i]->deliver();
        }
    }
    void add(bell& b) noexcept { bells_[count_++] = &b; }

  private:
    std::array<bell*, EM_MAX_CORES> bells_;
    unsigned count_ = 0;
};

class event_machine {
  public:
    static constexpr std::size_t most_pools = EM_CONFIG_POOLS;
    static constexpr std::size_t most_queues = EM_MAX_QUEUES;
    static constexpr std::size_t most_objects = EM_MAX_EOS;
    static constexpr std::size_t most_groups = EM_MAX_QUEUE_GROUPS;
    static constexpr std::size_t most_atomics = EM_MAX_ATOMIC_GROUPS;

    // Null: there is none now.
    [[nodiscard]] static event_machine* instance() noexcept { return the_one.load(memory_order::acquire); }

    // Errors: std::bad_alloc. Precondition: the configuration is right.
    event_machine(const em_conf_t& conf, const skerry_em_options_t& options);
    event_machine(const event_machine&) = delete;
    event_machine& operator=(const event_machine&) = delete;
    // Precondition: no core is inside.
    ~event_machine();
    static void publish(event_machine* one) noexcept { the_one.store(one, memory_order::release); }

    [[nodiscard]] const skerry_em_options_t& options() const noexcept { return options_; }
    [[nodiscard]] int core_count() const noexcept { return conf_.core_count; }
    [[nodiscard]] const em_conf_t& conf() const noexcept { return conf_; }
    [[nodiscard]] std::uint64_t all_cores() const noexcept {
        return ~std::uint64_t{0} >> (EM_MAX_CORES - conf_.core_count);
    }
    // The number of one more core; negative: all are inside.
    [[nodiscard]] int add_core() noexcept;
    // What it has cached is for all again.
    void remove_core(int core) noexcept;
    [[nodiscard]] int cores_inside() noexcept;

    // `wanted`: a number from 1, or 0 for any. 0: all are taken, or that one is. Errors: std::bad_alloc.
    std::size_t add_pool(const char* name, std::size_t wanted, const em_pool_cfg_t& config);
    // The events that are in use and the threads that wait for some: unless 0, nothing has happened. Nothing: there is
    // no such pool.
    [[nodiscard]] std::optional<std::size_t> remove_pool(em_pool_t handle) noexcept;
    // Null: there is none. Else a wait for its events begins, and the pool stays until it ends.
    [[nodiscard]] event_pool* begin_wait(em_pool_t handle) noexcept;
    [[nodiscard]] event_pool* pool(em_pool_t handle) const noexcept { return pools_.of(number_of(handle)); }
    // Calls f(pool) for each; none is created or deleted meanwhile.
    template <class F>
    void each_pool(F&& f) const {
        const std::lock_guard lock(lock_);
        pools_.each(f);
    }

    // --- queues and their groups (groups.cpp)
    // `wanted`: a number from 1, or 0 for any; `none`: all are taken, or that one is.
    em_queue_t add_queue(std::unique_ptr<event_queue> q, std::size_t wanted) noexcept;
    [[nodiscard]] bool delete_queue(event_queue& q) noexcept; // false: it is in use
    em_queue_group_t add_group(std::unique_ptr<queue_group> g) noexcept;
    [[nodiscard]] bool delete_group(queue_group& g) noexcept;
    // `then` is sent when no other core receives any more.
    void modify_group(queue_group& g, std::uint64_t mask, std::span<const notice> then);
    [[nodiscard]] std::uint64_t mask_of(queue_group& g) noexcept;
    void await_mask(queue_group& g);
    em_atomic_group_t add_atomics(std::unique_ptr<atomic_group> a) noexcept;
    [[nodiscard]] bool delete_atomics(atomic_group& a) noexcept;

    [[nodiscard]] event_groups& groups() noexcept { return groups_; }
    [[nodiscard]] event_timers& timers() noexcept { return timers_; }

    [[nodiscard]] event_queue* queue(em_queue_t handle) const noexcept { return queues_.of(number_of(handle)); }
    [[nodiscard]] queue_group* group(em_queue_group_t handle) const noexcept {
        return queue_groups_.of(number_of(handle));
    }
    [[nodiscard]] atomic_group* atomics(em_atomic_group_t h) const noexcept { return atomics_.of(number_of(h)); }
    [[nodiscard]] execution_object* object(em_eo_t handle) const noexcept { return objects_.of(number_of(handle)); }

    // --- names and lists. f is called under the lock.
    template <class F>
    auto locked(F&& f) {
        const std::lock_guard lock(lock_);
        return f();
    }
    [[nodiscard]] const handle_table<event_pool>& pools() const noexcept { return pools_; }
    [[nodiscard]] const handle_table<event_queue>& queues() const noexcept { return queues_; }
    [[nodiscard]] const handle_table<queue_group>& queue_groups() const noexcept { return queue_groups_; }
    [[nodiscard]] const handle_table<atomic_group>& all_atomics() const noexcept { return atomics_; }
    [[nodiscard]] const handle_table<execution_object>& objects() const noexcept { return objects_; }

    // --- execution objects (objects.cpp)
    em_eo_t add_object(std::unique_ptr<execution_object> eo) noexcept;
    // What the functions of the same names in event_machine.h do; false: the state does not allow it. A stop or a
    // removal is over when the last core leaves a receive function, or has run its own function. Errors:
    // std::bad_alloc.
    [[nodiscard]] bool delete_object(execution_object& eo) noexcept;
    [[nodiscard]] bool give_queue(execution_object& eo, event_queue& q) noexcept;
    [[nodiscard]] bool take_queue(execution_object& eo, event_queue& q, std::shared_ptr<removal> gone) noexcept;
    void take_queues(execution_object& eo, const std::shared_ptr<removal>& gone) noexcept;
    void await_removal(const removal& gone);
    // `told`: the caller waits and says what has failed.
    [[nodiscard]] bool begin_start(execution_object& eo, bool told) noexcept;
    void fail_start(execution_object& eo) noexcept;
    void begin_local_starts(execution_object& eo, std::vector<notice> then) noexcept;
    [[nodiscard]] bool stop(execution_object& eo, std::vector<notice> then) noexcept;
    [[nodiscard]] em_eo_state_t state_of(execution_object& eo) noexcept;
    // It is being stopped, and nobody receives from it any more.
    [[nodiscard]] bool is_quiet(execution_object& eo) noexcept;
    void await_started(execution_object& eo);
    void await_stopped(execution_object& eo);
    // The functions that the calling core shall run.
    void run_duties(int core) noexcept;

    // --- sending (sending.cpp)
    enum class sent : std::uint8_t { yes, no_queue, not_open, full, no_core, refused };
    // `taken`: of the events, from the first on. Another thread may remove the queue. Errors: std::bad_alloc, in a
    // start function.
    [[nodiscard]] sent send(std::span<const em_event_t> events, em_queue_t to, std::size_t& taken);
    [[nodiscard]] sent send(em_event_t event, em_queue_t to) {
        std::size_t taken = 0;
        return send({&event, 1}, to, taken);
    }
    [[nodiscard]] em_queue_type_t type_of(em_queue_t handle) noexcept; // undefined: there is no such queue now
    // The same for a core that works at home, to a queue of a core's own; false: send() does it.
    [[nodiscard]] bool send_from_home(event& e, em_queue_t to) noexcept;
    // From an unscheduled queue; returns how many.
    [[nodiscard]] std::size_t dequeue(event_queue& q, std::span<em_event_t> to) noexcept;
    // The calling core's sends are not kept in order any more.
    void end_order(int core) noexcept;
    // What output functions have not taken is offered again.
    void offer_again() noexcept;
    [[nodiscard]] bool offers() const noexcept { return stalled_.load(memory_order::relaxed); } // relaxed: a hint

    // --- for cores (receiving.cpp)
    // False: no queue is ready for it. `most`: events, at most EM_SCHED_MULTI_MAX_BURST. What it has asked for ahead
    // comes first.
    // `waits`: if nothing is there, the core is about to wait.
    [[nodiscard]] bool next(int core, unsigned most, bool waits, delivery& d) noexcept;
    // The core, which receives, is given its next event now; not if it has one, or the scheduler is synchronous.
    void ask_ahead(int core) noexcept;
    [[nodiscard]] bool has_asked(int core) const noexcept { // the core
        return ahead_[static_cast<std::size_t>(core)].from != nullptr;
    }
    // What the core has sent to local queues.
    [[nodiscard]] bool next_local(int core, unsigned most, delivery& d) noexcept {
        return local_.has(core) && take_local(core, most, d);
    }
    // The receive function has returned. `holds`: the core still holds the atomic queue. True: it has `next` at once,
    // as by next(); never if that is null, or if there is something else to do before.
    bool received(int core, delivery& d, bool holds, unsigned most = 0, delivery* next = nullptr) noexcept;
    void received_local(const delivery& d) noexcept;
    // The same for a core that works at home; false: received() does it.
    [[nodiscard]] bool received_at_home(int core, delivery& d, unsigned most, delivery* next, bool& found) noexcept;
    [[nodiscard]] bool has_local(int core) const noexcept { return local_.has(core); }
    // After a receive function, at home: the next event of the same queue. Null: received() says what comes next.
    [[nodiscard]] event* goes_on_at_home(const delivery& d) noexcept;
    // The calling core may work at home between these.
    void begin_work(int core) noexcept;
    void end_work(int core) noexcept;
    // The core receives no more for now; what it leaves is for others.
    void pass_on() noexcept;
    // The core goes on without the atomic queue.
    void let_go(event_queue& q) noexcept;

    // The core calls a receive function, under that context; null: no more.
    void calls(int core, const context* under) noexcept;
    // The core whose receive function waits for what runs under the context; negative: none. Any thread.
    [[nodiscard]] int core_that_waits_for(const context* under) const noexcept;

    // Something is there for the core to do.
    [[nodiscard]] bool any_ready(int core) const noexcept {
        return (wanted_.load(memory_order::acquire) >> core & 1) != 0 ||
               (at_home_.load(memory_order::relaxed) && has_mail(core)); // relaxed: a hint
    }
    [[nodiscard]] bool has_duties(int core) const noexcept {
        return (duties_.load(memory_order::relaxed) >> core & 1) != 0; // relaxed: what they are lies under the lock
    }
    // As of a Condition (team.hpp): from now on, whoever makes something ready for the core delivers to its bell.
    // Without naps also for output that was not taken.
    [[nodiscard]] bool arm(int core, bell& b, bool naps);
    [[nodiscard]] bool disarm(int core) noexcept;

    // --- co-operative dispatch (suspension.cpp)
    // Of a core inside; null: dispatch is not co-operative.
    [[nodiscard]] core_fibers* fibers(int core) const noexcept;
    void add_fibers(int core);             // of one that has come. Errors: std::bad_alloc
    void remove_fibers(int core) noexcept; // when it has nothing suspended any more
    // The calling receive function, until it is resumed. Precondition: it may be suspended.
    enum class suspended : std::uint8_t { yes, too_many, no_memory };
    [[nodiscard]] suspended suspend() noexcept;
    // The one that has received the event. `before`: it was, and has not gone on. `nobody`: none runs or is suspended.
    enum class resumed : std::uint8_t { yes, before, nobody };
    [[nodiscard]] resumed resume(em_event_t event) noexcept;
    // The calling core runs it until it ends or is suspended again.
    void go_on_with(call_fiber& c) noexcept;
    [[nodiscard]] bool has_suspended(int core) noexcept;
    // Until the calling core has nothing suspended.
    void await_suspended();

    callbacks<em_dispatch_enter_func_t> enters;
    callbacks<em_dispatch_exit_func_t> exits;
    // A function of the program wants to know of each receive function.
    [[nodiscard]] bool watches_calls() const noexcept {
        return enters.any() || exits.any() || the_event_hooks.takes_times();
    }
    // From now on cores see that.
    void show_watchers() noexcept { const std::lock_guard lock(lock_); }

  private:
    friend machine_lock;
    static machine::atomic<event_machine*> the_one;

    // What is to be done behind the lock.
    struct endings {
        std::vector<notice> removed;
        std::vector<notice> changed;
        std::unique_ptr<event_queue> gone;
        execution_object* stopped = nullptr; // its stop function is to be called
        [[nodiscard]] bool any() const noexcept { return !removed.empty() || !changed.empty() || stopped != nullptr; }
    };
    void end(endings& over) noexcept;

    // Under lock_.
    void wake(int core, wake_ups& w) noexcept;
    void wake_one(std::uint64_t cores, wake_ups& w) noexcept;
    std::uint64_t note() noexcept; // what is ready for whom; returns the cores that may take some of it
    void set_duties(std::uint64_t cores) noexcept;
    [[nodiscard]] call_fiber& take_resumed(int core, unsigned priority) noexcept;
    void take_along(call_fiber& c) noexcept;
    static void move_place(ordered_place& from, ordered_place& to) noexcept;
    // The cores of which one shall be woken.
    std::uint64_t list(event_queue& q) noexcept;
    void unlist(event_queue& q) noexcept;
    // Nobody receives from it any more; the events that lie in it, or wait for it, are dropped.
    void close(event_queue& q, event_list& dropped) noexcept;
    void purge(event_list& from, event_queue& q, event_list& dropped) noexcept;
    [[nodiscard]] std::unique_ptr<event_queue> forget(event_queue& q) noexcept;
    [[nodiscard]] bool choose(int core, unsigned most, delivery& d, ordered_place& place, wake_ups& w) noexcept;
    [[nodiscard]] schedulable& next_queue_of(atomic_group& g) const noexcept;
    static void count_in(int core, const delivery& d) noexcept;
    void count_own(int core) noexcept; // what the core receives at home, which is outside of its gate
    void count_all() noexcept;
    void stop_cores() noexcept;
    void let_cores_go() noexcept;
    void deliver_sent(int from) noexcept;
    void bring_back_lent() noexcept;
    void end_loan(event_queue& q) noexcept;
    [[nodiscard]] bool works_at_home(int core) const noexcept {
        return at_home_.load(memory_order::relaxed) && (working_ >> core & 1) != 0; // relaxed: written under lock_
    }
    [[nodiscard]] int owner_of(int core, const event_queue& q) const noexcept;
    [[nodiscard]] bool settle(int core, event_queue& q) noexcept;
    void settle_others(int core, const event_queue& like) noexcept;
    void settle_target(int core, event_queue& q) noexcept;
    void unsettle(event_queue& q) noexcept;
    void leave_queues(ready_set& all) noexcept; // all of them are nobody's
    void fill(event_queue& q, event_list& from, unsigned most, delivery& d) noexcept;
    [[nodiscard]] bool take_local(int core, unsigned most, delivery& d) noexcept;
    void leave(const delivery& d, endings& over, wake_ups& w) noexcept;
    void end_leaving(event_queue& q, endings& over) noexcept;
    [[nodiscard]] std::vector<notice> end_change(queue_group& g) noexcept;
    [[nodiscard]] ordered_place* place_of_caller() noexcept;
    void end_place(ordered_place& p, wake_ups& w) noexcept;
    void flush(event_list& waiting, wake_ups& w) noexcept;
    [[nodiscard]] bool is_first(const ordered_place& p) const noexcept { return p.source->places.before(p) == nullptr; }
    void put(event_queue& q, event& e, wake_ups& w) noexcept;
    void add_duties(execution_object& eo, std::uint64_t cores, std::uint64_t late, wake_ups& w) noexcept;
    void trim_duties(execution_object& eo) noexcept;
    [[nodiscard]] bool begin_local_stops(execution_object& eo, wake_ups& w) noexcept;
    // One less receives. True: that was the last one of a stop, and no core has a function to run.
    [[nodiscard]] bool count_out(execution_object& eo, wake_ups& w) noexcept;

    // Under lock_, or inside of the core's gate.
    void arrive(int core, const event_home::parcel& p) noexcept;
    // Inside of the core's gate.
    [[gnu::noinline, gnu::cold]] void lend(int core, event_home& mine, bool keeps_one) noexcept;
    void end_round(int core, event_home& mine) noexcept;
    void give_back(int core, event_home& mine, event_queue& q) noexcept;
    void hand_back_done(int core, event_home& mine) noexcept;
    [[nodiscard]] bool hand_back(event_home& mine, event_queue& q) noexcept;
    [[nodiscard]] bool has_third(int core) const noexcept;
    void receive_borrowed(event_home& mine, unsigned most, delivery& d) noexcept;
    void exchange_mail(int core, std::uint64_t decisions) noexcept;
    void look_after_others(int core) noexcept;
    [[nodiscard]] bool choose_at_home(int core, event_home& mine, unsigned most, event_queue* last,
                                      delivery& d) noexcept;
    [[nodiscard]] event_queue* choose_among(int core, unsigned own, std::uint64_t decisions) noexcept;
    [[nodiscard]] bool send_away_from_home(event_home& mine, event& e, event_queue& q) noexcept;

    // Neither.
    [[nodiscard]] bool next_at_home(int core, unsigned most, delivery& d, bool& nothing) noexcept;
    [[gnu::noinline, gnu::cold]] void end_at_home(event_home& mine, bool wakes) noexcept;
    void relieve(std::uint64_t cores) noexcept;
    [[nodiscard]] bool has_mail(int core) const noexcept;
    [[nodiscard]] bool has_news(int core) const noexcept {
        return (news_.load(memory_order::relaxed) >> core & 1) != 0; // relaxed: what it is lies under the lock
    }
    void ask_others(int core, bool asks) noexcept;
    [[nodiscard]] bool await_others(int core, unsigned most, delivery& d) noexcept;
    void drain_outputs() noexcept;
    void run_resumed(int core) noexcept; // one of them
    [[nodiscard]] sent send_out(std::unique_lock<machine_lock>& lock, event_queue& q, ordered_place* place,
                                std::span<const em_event_t> events, std::size_t& taken) noexcept;
    void finish_start(execution_object& eo) noexcept;
    void finish_stop(execution_object& eo) noexcept;
    void end_duty(execution_object& eo, int core, em_status_t status, bool starting, bool was_late) noexcept;
    template <class Over>
    void await(const char* text, Over&& over); // awaiting.hpp

    const skerry_em_options_t options_;
    const em_conf_t conf_;
    event_groups groups_;
    event_timers timers_;

    [[nodiscard]] event_home& home(int core) noexcept { return *homes_[static_cast<std::size_t>(core)]; }
    [[nodiscard]] const event_home& home(int core) const noexcept { return *homes_[static_cast<std::size_t>(core)]; }

    static constexpr std::uint32_t most_kept = 32;               // events for another core
    static constexpr std::uint64_t patience_ns = 15'000;         // of a core that asks others, before it stops them
    static constexpr int looks_for_a_round = 16;                 // of a core that waits, for what it sent to arrive
    static constexpr std::size_t most_lent = 32;                 // queues at once, and events of a parallel one
    static constexpr std::size_t most_settled = 256;             // queues at once
    static constexpr std::uint64_t decisions_for_a_look = 16;    // between two looks for mail
    static constexpr std::uint64_t decisions_for_a_check = 4096; // on other cores
    static constexpr std::uint64_t decisions_for_a_stop = 64;    // fewer between two stops are few

    mutable machine_lock lock_{*this};
    condition<machine> changed_;
    std::vector<std::unique_ptr<event_home>> homes_;
    shared_fence<machine> fence_;
    const bool can_work_;                  // at home
    machine::atomic<bool> at_home_{false}; // cores work there; written under lock_
    // Guarded by lock_; read inside of gates, too.
    bool goes_home_ = false;      // when the lock opens
    std::uint64_t working_ = 0;   // cores that may
    std::uint64_t asked_ = 0;     // those whose gates are closed
    std::uint64_t decisions_ = 0; // of all cores at the last stop
    unsigned lean_ = 0;
    bool settled_ = false; // queues have got an owner since then
    unsigned streak_ = 0;
    // Guarded by lock_.
    std::uint64_t inside_ = 0;   // cores, bit by bit
    std::uint64_t sleeping_ = 0; // of them those whose bells are to be rung
    std::uint64_t resumed_ = 0;  // that have something to go on with
    // Written under it; bit c: of core c, which may look at its own without it. relaxed: only the core itself sets it,
    // and when another one takes it away, nothing is there any more
    class core_bits {
      public:
        [[nodiscard]] bool has(int core) const noexcept { return (all() >> core & 1) != 0; }
        friend std::uint64_t operator|(std::uint64_t bits, const core_bits& more) noexcept { return bits | more.all(); }
        void operator|=(std::uint64_t bits) noexcept { word_.store(all() | bits, memory_order::relaxed); }
        void operator&=(std::uint64_t bits) noexcept { word_.store(all() & bits, memory_order::relaxed); }

      private:
        [[nodiscard]] std::uint64_t all() const noexcept { return word_.load(memory_order::relaxed); }
        machine::atomic<std::uint64_t> word_{0};
    };
    core_bits local_; // that have something in locals_
    std::array<bell*, EM_MAX_CORES> bells_{};
    std::array<event_list, EM_MAX_CORES> locals_;
    struct two_places { // of what a core receives, and of what it has asked for ahead
        std::array<ordered_place, 2> all;
        unsigned current = 0;
    };
    std::array<two_places, EM_MAX_CORES> places_;
    [[nodiscard]] ordered_place& place_of(int core) noexcept {
        two_places& p = places_[static_cast<std::size_t>(core)];
        return p.all[p.current];
    }
    std::size_t open_places_ = 0;
    std::uint64_t turns_ = 0; // of atomic groups
    locked_scheduler scheduler_;
    const std::unique_ptr<suspensions> suspensions_; // null: dispatch is not co-operative
    linked_list<execution_object, &execution_object::with_duties> objects_with_duties_;
    using output_list = linked_list<event_queue, &event_queue::with_output>;
    output_list outputs_; // whose functions are to be called
    output_list stalled_outputs_;
    handle_table<event_pool> pools_{most_pools};
    handle_table<queue_group> queue_groups_{most_groups};
    handle_table<atomic_group> atomics_{most_atomics};
    handle_table<event_queue> queues_{most_queues, EM_QUEUE_STATIC_MAX + std::size_t{1}};
    handle_table<execution_object> objects_{most_objects};

    // Written under lock_. Bit c: of core c.
    machine::atomic<std::uint64_t> duties_{0}; // it has functions to run
    machine::atomic<std::uint64_t> wanted_{0}; // something is there for it
    machine::atomic<std::uint64_t> news_{0};   // the same since it found nothing at home, and not at another one's
    machine::atomic<bool> stalled_{false};     // stalled_outputs_ is not empty
    std::array<machine::atomic<const context*>, EM_MAX_CORES> calls_{}; // each written by its core

    std::array<delivery, EM_MAX_CORES> ahead_{}; // each of its core; `from` is written under lock_
};

void free_all(event_list& which) noexcept;
// And says so, if there are some. `call`: of the program.
void free_unreceived(event_list& which, const char* call, em_escope_t scope) noexcept;

} // namespace skerry::inline SKERRY_ABI::detail
