// SPDX-License-Identifier: Apache-2.0

// Where events go that are sent: into queues, to the core that sends, to output functions, and, from an ordered queue,
// behind those of its earlier events.

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include "frontend/event/event_machine.hpp"
#include "frontend/event/homes.hpp"

namespace skerry::inline SKERRY_ABI::detail {

event_machine::sent event_machine::send(std::span<const em_event_t> events, em_queue_t to, std::size_t& taken) {
    event_thread& self = this_event_thread;
    taken = 0;
    while (self.works && taken < events.size() && send_from_home(*event::of(events[taken]), to)) {
        ++taken;
    }
    if (taken == events.size()) {
        return sent::yes;
    }
    wake_ups w;
    std::unique_lock lock(lock_);
    if (self.core < 0) {
        streak_ = 0;
    }
    event_queue* const q = queue(to);
    if (q == nullptr) {
        return sent::no_queue;
    }
    if (self.starting != nullptr && q->scheduled()) {
        for (; taken < events.size(); ++taken) {
            self.starting->held.push_back({event::of(events[taken]), to});
        }
        return sent::yes;
    }
    const bool local = q->type == EM_QUEUE_TYPE_LOCAL;
    if (local && self.core < 0) {
        return sent::no_core;
    }
    if (q->is_received() && !q->open) {
        return sent::not_open;
    }
    ordered_place* const place = local ? nullptr : place_of_caller();
    if (q->type == EM_QUEUE_TYPE_OUTPUT) {
        return send_out(lock, *q, place, events, taken);
    }
    if (self.core >= 0) {
        settle_target(self.core, *q);
    }
    const bool waits = place != nullptr && !is_first(*place);
    for (; taken < events.size() && q->has_room(); ++taken) {
        event& e = *event::of(events[taken]);
        if (waits || local) {
            e.to = q;
            ++q->elsewhere;
            (local ? locals_[static_cast<std::size_t>(self.core)] : place->own).push(e);
        } else {
            q->events.push(e);
        }
    }
    if (local && taken != 0) {
        local_ |= std::uint64_t{1} << self.core;
    }
    const std::uint64_t able = list(*q);
    wake_one(able, w);
    if (able != 0 || local) { // else what is ready for whom is as before
        note();
    }
    lock.unlock();
    return taken == events.size() ? sent::yes : sent::full;
}

std::size_t event_machine::dequeue(event_queue& q, std::span<em_event_t> to) noexcept {
    const std::lock_guard lock(lock_);
    std::size_t n = 0;
    while (n < to.size() && !q.events.empty()) {
        to[n++] = q.events.pop().handle();
    }
    return n;
}

// --- order ----------------------------------------------------------------------------------------------------------

// Also of a task that the receive function has begun, on whichever thread.
ordered_place* event_machine::place_of_caller() noexcept {
    if (open_places_ == 0) {
        return nullptr;
    }
    const event_thread& self = this_event_thread;
    int core = current_page != nullptr ? core_that_waits_for(current_page->ctx) : -1;
    if (core < 0 && self.scheduled != nullptr) { // a function of the program around the receive function
        core = self.core;
    }
    if (core < 0) {
        return nullptr;
    }
    ordered_place& p = place_of(core);
    return p.source != nullptr ? &p : nullptr;
}

void event_machine::put(event_queue& q, event& e, wake_ups& w) noexcept {
    q.events.push(e);
    if (q.type == EM_QUEUE_TYPE_OUTPUT) {
        if (q.drain == event_queue::drained::no) {
            q.drain = event_queue::drained::listed;
            outputs_.push_back(q);
        }
    } else {
        wake_one(list(q), w);
    }
}

// What waited goes to its queues. Those that are gone have taken theirs out (close()).
void event_machine::flush(event_list& waiting, wake_ups& w) noexcept {
    while (!waiting.empty()) {
        event& e = waiting.pop();
        event_queue& q = *std::exchange(e.to, nullptr);
        --q.elsewhere;
        put(q, e, w);
    }
}

void event_machine::end_place(ordered_place& p, wake_ups& w) noexcept {
    auto& places = std::exchange(p.source, nullptr)->places;
    ordered_place* const before = places.before(p);
    ordered_place* const behind = places.after(p);
    places.erase(p);
    --open_places_;
    p.own.append(p.after);
    if (before != nullptr) {
        before->after.append(p.own);
    } else {
        flush(p.own, w);
        if (behind != nullptr) { // it is the first now
            flush(behind->own, w);
        }
    }
}

void event_machine::end_order(int core) noexcept {
    bool drains = false;
    {
        wake_ups w;
        const std::lock_guard lock(lock_);
        if (ordered_place& p = place_of(core); p.source != nullptr) {
            end_place(p, w);
            note();
        }
        drains = !outputs_.empty();
    }
    if (drains) {
        drain_outputs();
    }
}

// --- output ---------------------------------------------------------------------------------------------------------

namespace {

// Of so many events: how many the function has taken. One that throws has them: nobody knows what became of them.
std::size_t put_out(const event_queue& q, const em_event_t* events, std::size_t count) noexcept {
    const auto tell = [&](const char* what) {
        static_cast<void>(event_error(
            EM_ERR_LIB_FAILED, EM_ESCOPE_SEND,
            "em_send: an output function has thrown%s%s; queue %p had given it %zu events, which are not freed",
            *what != 0 ? ": " : "", what, static_cast<void*>(q.handle), count));
        return count;
    };
    try {
        const int n = q.out->function(events, static_cast<unsigned>(count), q.handle, q.out->arguments);
        return n < 0 ? 0 : std::min(static_cast<std::size_t>(n), count);
    } catch (const std::exception& e) {
        return tell(e.what());
    } catch (...) {
        return tell("");
    }
}

} // namespace

event_machine::sent event_machine::send_out(std::unique_lock<machine_lock>& lock, event_queue& q, ordered_place* place,
                                            std::span<const em_event_t> events, std::size_t& taken) noexcept {
    const bool first = place == nullptr || is_first(*place);
    if (place == nullptr && q.drain == event_queue::drained::no) { // nothing of it lies there
        ++q.receiving;
        lock.unlock();
        taken = put_out(q, events.data(), events.size());
        lock.lock();
        --q.receiving;
        return taken == events.size() ? sent::yes : sent::refused;
    }
    wake_ups none;
    for (; taken < events.size() && q.has_room(); ++taken) {
        event& e = *event::of(events[taken]);
        if (first) {
            put(q, e, none);
        } else {
            e.to = &q;
            ++q.elsewhere;
            place->own.push(e);
        }
    }
    lock.unlock();
    if (first) {
        drain_outputs();
    }
    return taken == events.size() ? sent::yes : sent::full;
}

// One thread at a time calls the function of a queue with what was put there, so in that order.
void event_machine::drain_outputs() noexcept {
    std::array<em_event_t, EM_SCHED_MULTI_MAX_BURST> some;
    std::unique_lock lock(lock_);
    while (!outputs_.empty()) {
        event_queue& q = *outputs_.first();
        outputs_.erase(q);
        q.drain = event_queue::drained::running;
        ++q.receiving;
        bool takes = true;
        while (takes && !q.events.empty()) {
            unsigned n = 0;
            while (n < some.size() && !q.events.empty()) {
                some[n++] = q.events.pop().handle();
            }
            q.elsewhere += n;
            lock.unlock();
            const std::size_t went = put_out(q, some.data(), n);
            lock.lock();
            q.elsewhere -= n;
            takes = went == n;
            while (n != went) {
                q.events.push_front(*event::of(some[--n]));
            }
        }
        --q.receiving;
        q.drain = takes ? event_queue::drained::no : event_queue::drained::stalled;
        if (!takes) {
            stalled_outputs_.push_back(q);
            stalled_.store(true, memory_order::relaxed); // relaxed: a hint; what it is about lies under the lock
            if (!this_event_thread.dispatching) {        // a core that does offers it again itself
                {
                    wake_ups w;
                    wake_one(sleeping_, w);
                    lock.unlock();
                }
                lock.lock();
            }
        }
    }
}

void event_machine::offer_again() noexcept {
    {
        const std::lock_guard lock(lock_);
        while (!stalled_outputs_.empty()) {
            event_queue& q = *stalled_outputs_.first();
            stalled_outputs_.erase(q);
            q.drain = event_queue::drained::listed;
            outputs_.push_back(q);
        }
        stalled_.store(false, memory_order::relaxed);
    }
    drain_outputs();
}

} // namespace skerry::inline SKERRY_ABI::detail
