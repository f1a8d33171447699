// SPDX-License-Identifier: Apache-2.0

// Execution objects through their lives, and the functions that each core runs at a start or a stop.

#include <bit>
#include <exception>
#include <utility>

#include <event_machine/api/event_machine_event.h>

#include "frontend/event/awaiting.hpp"
#include "frontend/event/event_machine.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

// Calls a start or stop function. EM_ERR_LIB_FAILED: it has thrown.
template <class F>
em_status_t call_for(execution_object& eo, execution_object* starting, F&& function) noexcept {
    event_thread& self = this_event_thread;
    execution_object* const around = std::exchange(self.inside, &eo);
    execution_object* const outer = std::exchange(self.starting, starting);
    event_queue* const queue = std::exchange(self.queue, nullptr);
    em_status_t status = EM_ERR_LIB_FAILED;
    try {
        status = function();
    } catch (...) { // of C++, which the caller tells
    }
    self.queue = queue;
    self.starting = outer;
    self.inside = around;
    return status;
}

// A stop goes on whatever its functions return.
void tell_stop(const char* which, const execution_object& eo, em_status_t status) noexcept {
    if (status != EM_OK) {
        static_cast<void>(event_error(EM_ERR_OPERATION_FAILED, EM_ESCOPE_EO_STOP,
                                      "em_eo_stop: %s stop function of execution object '%s' returned %u", which,
                                      eo.name.data(), status));
    }
}

} // namespace

em_eo_t event_machine::add_object(std::unique_ptr<execution_object> eo) noexcept {
    const std::lock_guard lock(lock_);
    const std::size_t number = objects_.free_number();
    eo->handle = handle_of<em_eo_t>(number);
    if (number != 0) {
        objects_.put(number, std::move(eo));
    }
    return handle_of<em_eo_t>(number);
}

bool event_machine::delete_object(execution_object& eo) noexcept {
    std::unique_ptr<execution_object> gone;
    const std::lock_guard lock(lock_);
    if (eo.state == EM_EO_STATE_CREATED && eo.receiving == 0 && eo.queues.empty()) {
        gone = objects_.take(number_of(eo.handle));
    }
    return gone != nullptr;
}

em_eo_state_t event_machine::state_of(execution_object& eo) noexcept {
    const std::lock_guard lock(lock_);
    return eo.state;
}

bool event_machine::is_quiet(execution_object& eo) noexcept {
    const std::lock_guard lock(lock_);
    return eo.state == EM_EO_STATE_STOPPING && eo.receiving == 0;
}

// --- their queues ---------------------------------------------------------------------------------------------------

bool event_machine::give_queue(execution_object& eo, event_queue& q) noexcept {
    const std::lock_guard lock(lock_);
    if (q.owner != nullptr || eo.state == EM_EO_STATE_STOPPING) {
        return false;
    }
    eo.queues.push_back(q);
    q.owner = &eo;
    q.open = eo.state == EM_EO_STATE_RUNNING;
    return true;
}

void event_machine::end_leaving(event_queue& q, endings& over) noexcept {
    q.owner->queues.erase(q);
    q.owner = nullptr;
    const std::shared_ptr<removal> gone = std::exchange(q.leaving, nullptr);
    if (gone->deletes) {
        over.gone = forget(q);
    }
    if (--gone->left == 0) {
        over.removed = std::exchange(gone->then, {});
        changed_.notify_all();
    }
}

bool event_machine::take_queue(execution_object& eo, event_queue& q, std::shared_ptr<removal> gone) noexcept {
    endings over;
    bool is_over = false;
    {
        const std::lock_guard lock(lock_);
        if (q.owner != &eo || q.leaving != nullptr) {
            return false;
        }
        close(q, over.dropped);
        gone->left = 1;
        q.leaving = std::move(gone);
        is_over = q.receiving == 0;
        if (is_over) {
            end_leaving(q, over);
        }
    }
    end(over);
    return true;
}

void event_machine::take_queues(execution_object& eo, const std::shared_ptr<removal>& gone) noexcept {
    linked_list<event_queue, &event_queue::of_owner> deleted; // they are in no other by these links
    endings over;
    bool is_over = false;
    {
        const std::lock_guard lock(lock_);
        gone->left = 1; // of this function
        event_queue* after = nullptr;
        for (event_queue* q = eo.queues.first(); q != nullptr; q = after) {
            after = eo.queues.after(*q);
            if (q->leaving != nullptr) {
                continue;
            }
            close(*q, over.dropped);
            ++gone->left;
            q->leaving = gone;
            if (q->receiving == 0) {
                endings one;
                end_leaving(*q, one);
                if (one.gone != nullptr) {
                    deleted.push_back(*one.gone.release());
                }
            }
        }
        is_over = --gone->left == 0;
        if (is_over) {
            over.removed = std::exchange(gone->then, {});
        }
    }
    while (!deleted.empty()) {
        const std::unique_ptr<event_queue> one(deleted.first());
        deleted.erase(*one);
    }
    end(over);
}

void event_machine::await_removal(const removal& gone) {
    await([&] { return gone.left == 0; });
}

// --- start ----------------------------------------------------------------------------------------------------------

bool event_machine::begin_start(execution_object& eo, bool told) noexcept {
    const std::lock_guard lock(lock_);
    if (eo.state != EM_EO_STATE_CREATED) {
        return false;
    }
    eo.state = EM_EO_STATE_STARTING;
    eo.told = told;
    eo.started = 0;
    eo.local_begun = false;
    eo.local_status = EM_OK;
    return true;
}

em_status_t call_start(execution_object& eo, const em_eo_conf_t* conf) noexcept {
    return call_for(eo, &eo, [&] { return eo.start(eo.context, eo.handle, conf); });
}

// A start function has failed, and none runs: nothing of it stays.
void event_machine::fail_start(execution_object& eo) noexcept {
    for (const held_event& h : locked([&] { return std::exchange(eo.held, {}); })) {
        h.what->pool->give(*h.what);
    }
    const std::lock_guard lock(lock_);
    eo.state = EM_EO_STATE_CREATED;
    eo.late = 0;
    trim_duties(eo);
    changed_.notify_all();
}

void event_machine::begin_local_starts(execution_object& eo, std::vector<notice> then) noexcept {
    bool is_over = false;
    {
        wake_ups w;
        const std::lock_guard lock(lock_);
        eo.when_done = std::move(then);
        eo.local_begun = true;
        if (eo.local_start == nullptr) {
            eo.started = inside_;
        } else {
            eo.late = 0;
            eo.to_end = inside_;
            add_duties(eo, inside_, 0, w);
        }
        is_over = eo.to_end == 0;
    }
    if (is_over) {
        finish_start(eo);
    }
}

// By the thread that has run the last of its functions.
void event_machine::finish_start(execution_object& eo) noexcept {
    std::vector<held_event> held;
    std::vector<notice> then;
    em_status_t status = EM_OK;
    {
        const std::lock_guard lock(lock_);
        status = eo.local_status;
        then = std::exchange(eo.when_done, {});
        if (status == EM_OK) {
            eo.state = EM_EO_STATE_RUNNING;
            eo.finishing = true;
            ++eo.receiving;
            for (event_queue* q = eo.queues.first(); q != nullptr; q = eo.queues.after(*q)) {
                q->open = q->leaving == nullptr;
            }
            held = std::exchange(eo.held, {});
        }
    }
    if (status != EM_OK) {
        if (!eo.told) {
            static_cast<void>(
                event_error(EM_ERR_OPERATION_FAILED, EM_ESCOPE_EO_START,
                            "em_eo_start: the local start function of execution object '%s' returned %u on core %d",
                            eo.name.data(), status, eo.failed_core));
        }
        fail_start(eo);
        send_notices(then);
        return;
    }
    // In the start function of another object, which may fail: what this one has sent is not of that one.
    execution_object* const outer = std::exchange(this_event_thread.starting, nullptr);
    for (const held_event& h : held) {
        if (em_send(h.what->handle(), h.to) != EM_OK) {
            em_free(h.what->handle());
        }
    }
    this_event_thread.starting = outer;
    send_notices(then);
    bool stops = false;
    {
        wake_ups w;
        const std::lock_guard lock(lock_);
        eo.finishing = false;
        stops = count_out(eo, w);
        changed_.notify_all();
    }
    if (stops) {
        finish_stop(eo);
    }
}

void event_machine::await_started(execution_object& eo) {
    await([&] { return eo.state != EM_EO_STATE_STARTING && !eo.finishing; });
}

// --- stop -----------------------------------------------------------------------------------------------------------

bool event_machine::stop(execution_object& eo, std::vector<notice> then) noexcept {
    event_list dropped;
    bool is_over = false;
    {
        wake_ups w;
        const std::lock_guard lock(lock_);
        if (eo.state != EM_EO_STATE_RUNNING) {
            return false;
        }
        eo.state = EM_EO_STATE_STOPPING;
        eo.when_done = std::move(then);
        eo.late = 0;
        trim_duties(eo);
        for (event_queue* q = eo.queues.first(); q != nullptr; q = eo.queues.after(*q)) {
            close(*q, dropped);
        }
        is_over = eo.receiving == 0 && begin_local_stops(eo, w);
    }
    free_all(dropped);
    if (is_over) {
        finish_stop(eo);
    }
    return true;
}

// Nobody receives from it any more. True: no core has a function to run.
bool event_machine::begin_local_stops(execution_object& eo, wake_ups& w) noexcept {
    if (eo.local_stop != nullptr) {
        eo.to_end = eo.started & inside_;
        add_duties(eo, eo.to_end, 0, w);
    }
    return eo.to_end == 0;
}

bool event_machine::count_out(execution_object& eo, wake_ups& w) noexcept {
    return --eo.receiving == 0 && eo.state == EM_EO_STATE_STOPPING && begin_local_stops(eo, w);
}

// By the thread that has made it so that nothing of the object runs; the state is `stopping` until it is over.
void event_machine::finish_stop(execution_object& eo) noexcept {
    tell_stop("the", eo, call_for(eo, nullptr, [&] { return eo.stop(eo.context, eo.handle); }));
    std::vector<notice> over;
    {
        const std::lock_guard lock(lock_);
        eo.state = EM_EO_STATE_CREATED;
        over = std::exchange(eo.when_done, {});
        changed_.notify_all();
    }
    send_notices(over);
}

void event_machine::await_stopped(execution_object& eo) {
    await([&] { return eo.state != EM_EO_STATE_STOPPING; });
}

// --- functions of cores ---------------------------------------------------------------------------------------------

void event_machine::add_duties(execution_object& eo, std::uint64_t cores, std::uint64_t late, wake_ups& w) noexcept {
    eo.to_begin |= cores;
    eo.late |= late;
    if (!eo.in_duties && (cores | late) != 0) {
        eo.in_duties = true;
        objects_with_duties_.push_back(eo);
    }
    set_duties(duties_.load(memory_order::relaxed) | cores | late); // relaxed: written under the lock
    for (std::uint64_t all = cores | late; all != 0; all &= all - 1) {
        wake(std::countr_zero(all), w);
    }
    changed_.notify_all(); // cores that wait for others
}

void event_machine::set_duties(std::uint64_t cores) noexcept {
    duties_.store(cores, memory_order::relaxed); // relaxed: what they are lies under the lock
    note();
}

void event_machine::trim_duties(execution_object& eo) noexcept {
    if (eo.in_duties && (eo.to_begin | eo.late) == 0) {
        eo.in_duties = false;
        objects_with_duties_.erase(eo);
    }
}

void event_machine::run_duties(int core) noexcept {
    const std::uint64_t bit = std::uint64_t{1} << core;
    while (has_duties(core)) {
        execution_object* eo = nullptr;
        bool late = false;
        bool starts = false;
        {
            const std::lock_guard lock(lock_);
            for (eo = objects_with_duties_.first(); eo != nullptr && ((eo->to_begin | eo->late) & bit) == 0;) {
                eo = objects_with_duties_.after(*eo);
            }
            if (eo == nullptr) {
                set_duties(duties_.load(memory_order::relaxed) & ~bit); // relaxed: written under the lock
                return;
            }
            late = (eo->to_begin & bit) == 0;
            starts = late || eo->state == EM_EO_STATE_STARTING;
            (late ? eo->late : eo->to_begin) &= ~bit;
            eo->receiving += late ? 1 : 0; // so that a stop waits for it
            trim_duties(*eo);
        }
        const em_status_t status = call_for(*eo, starts && !late ? eo : nullptr, [&] {
            return starts ? eo->local_start(eo->context, eo->handle) : eo->local_stop(eo->context, eo->handle);
        });
        end_duty(*eo, core, status, starts, late);
    }
}

void event_machine::end_duty(execution_object& eo, int core, em_status_t status, bool starting,
                             bool was_late) noexcept {
    const std::uint64_t bit = std::uint64_t{1} << core;
    if (was_late && status != EM_OK) {
        static_cast<void>(
            event_error(EM_ERR_OPERATION_FAILED, EM_ESCOPE_EO_START,
                        "em_init_core: the local start function of execution object '%s' returned %u on core %d",
                        eo.name.data(), status, core));
    }
    bool stops = false;
    bool is_over = false;
    if (!starting) {
        tell_stop("a local", eo, status);
    }
    {
        wake_ups w;
        const std::lock_guard lock(lock_);
        eo.started |= starting && status == EM_OK ? bit : 0;
        if (was_late) {
            is_over = count_out(eo, w);
            stops = true;
        } else {
            if (starting && status != EM_OK && eo.local_status == EM_OK) {
                eo.local_status = status;
                eo.failed_core = core;
            }
            eo.to_end &= ~bit;
            is_over = eo.to_end == 0;
            stops = !starting;
        }
    }
    if (is_over) {
        stops ? finish_stop(eo) : finish_start(eo);
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
