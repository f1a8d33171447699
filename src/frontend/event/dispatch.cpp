// SPDX-License-Identifier: Apache-2.0

#include "frontend/event/dispatch.hpp"

#include <algorithm>
#include <exception>
#include <span>
#include <type_traits>
#include <utility>

#include <event_machine/api/event_machine_event_group.h>

#include <skerry/detail/frontend/forkjoin/finish_frame.hpp>

#include "base/port/clock.hpp"
#include "frontend/event/homes.hpp"
#include "frontend/event/hooks.hpp"
#include "frontend/event/suspension.hpp"
#include "sched/team_wait.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

// Something is there for the core, or the time is over.
class event_or_time {
  public:
    // `naps`: the core looks after output that was not taken when the time is over, and else at once.
    event_or_time(event_machine& em, int core, std::uint64_t deadline, bool naps) noexcept
        : em_(em),
          core_(core),
          deadline_(deadline),
          naps_(naps) {}

    [[nodiscard]] bool done() const noexcept {
        return em_.any_ready(core_) || (!naps_ && em_.offers()) || time_left_ns() == 0;
    }
    [[nodiscard]] bool arm(bell& b) { return em_.arm(core_, b, naps_); }
    [[nodiscard]] bool disarm() noexcept { return em_.disarm(core_); }
    [[nodiscard]] std::uint64_t time_left_ns() const noexcept {
        if (deadline_ == dispatch_limits::never) {
            return dispatch_limits::never;
        }
        const std::uint64_t now = port::now_ns();
        return now < deadline_ ? deadline_ - now : 0;
    }

  private:
    event_machine& em_;
    const int core_;
    const std::uint64_t deadline_;
    const bool naps_;
};

void tell_thrown(const execution_object& to, const std::exception_ptr& error) noexcept {
    try {
        std::rethrow_exception(error);
    } catch (const std::exception& e) {
        static_cast<void>(event_error(EM_ERR_LIB_FAILED, EM_ESCOPE_DISPATCH,
                                      "em_dispatch: the receive function of execution object '%s' has thrown: %s",
                                      to.name.data(), e.what()));
    } catch (...) {
        static_cast<void>(
            event_error(EM_ERR_LIB_FAILED, EM_ESCOPE_DISPATCH,
                        "em_dispatch: the receive function of execution object '%s' has thrown what is no "
                        "std::exception",
                        to.name.data()));
    }
}

// What a receive function is called with, which callbacks may change.
struct arguments {
    void* object_context;
    em_queue_t queue;
    void* queue_context;
    em_event_t* events;
    int count;
};

// Events that a callback has dropped are gone.
void call_enters(const event_machine& em, const execution_object& to, arguments& a) {
    em.enters.each([&](em_dispatch_enter_func_t enter) {
        if (a.count != 0) {
            call_callback([&] { enter(to.handle, &a.object_context, a.events, a.count, &a.queue, &a.queue_context); });
            a.count = static_cast<int>(std::remove(a.events, a.events + a.count, EM_EVENT_UNDEF) - a.events);
        }
    });
}

// Waits for what the receive function has begun; `thrown`: by itself.
void end_frame(event_machine& em, const execution_object& to, root_frame& frame, std::exception_ptr thrown) noexcept {
    frame.wait();
    em.calls(this_event_thread.core, nullptr);
    if (thrown == nullptr && frame.error.any()) {
        try {
            frame.error.rethrow();
        } catch (...) {
            thrown = std::current_exception();
        }
    }
    if (thrown != nullptr) {
        tell_thrown(to, thrown);
    }
}

// The receive function, with a frame of its own for what it begins.
void call(event_machine& em, const execution_object& to, const arguments& a) noexcept {
    root_frame frame;
    em.calls(this_event_thread.core, current_page->ctx);
    core_fibers* const fibers = em.fibers(this_event_thread.core);
    if (fibers != nullptr) {
        fibers->begin_call(frame, to.receive_multi == nullptr ? *a.events : EM_EVENT_UNDEF);
    }
    std::exception_ptr thrown;
    try {
        if (to.receive_multi != nullptr) {
            to.receive_multi(a.object_context, a.events, a.count, a.queue, a.queue_context);
        } else {
            to.receive(a.object_context, *a.events, event::of(*a.events)->type, a.queue, a.queue_context);
        }
    } catch (...) {
        thrown = std::current_exception();
    }
    if (fibers != nullptr) {
        fibers->end_call();
    }
    end_frame(em, to, frame, thrown);
}

void call_traced(event_machine& em, const execution_object& to, const arguments& a) noexcept {
    const worker& self = worker::of(*current_page);
    self.with_trace([&](auto trace) {
        if constexpr (std::is_same_v<decltype(trace), null_trace>) {
            call(em, to, a);
        } else { // shown as a task is
            const naming what = naming_of(to);
            const running_scope running(self, what);
            trace.start(trace_id(event::of(*a.events)), what.address, what.kind);
            call(em, to, a);
            trace.end(trace_id(event::of(*a.events)));
        }
    });
}

// What the events count for, which is the same for all (fill()): they belong to the receive function from now on, and
// have no tag.
void begin_group(event_machine& em, const delivery& d) noexcept {
    const group_tag tag = event::of(d.events.front())->group;
    if (!tag.any()) {
        return;
    }
    for (const em_event_t handle : std::span(d.events).first(d.count)) {
        event::of(handle)->group = {};
    }
    event_thread& thread = this_event_thread;
    thread.group_count = em.groups().begin(tag, d.count);
    thread.group = thread.group_count != 0 ? tag : group_tag();
    if (thread.group_count != d.count) {
        static_cast<void>(event_error(EM_ERR_BAD_ID, EM_ESCOPE_EVENT_GROUP_UPDATE,
                                      "em_dispatch: %u of %u events of queue %p count for event group %p no more",
                                      d.count - thread.group_count, d.count, static_cast<void*>(d.from->handle),
                                      handle_of<void*>(tag.number())));
    }
}

} // namespace

naming naming_of(const execution_object& of) noexcept {
    return {of.receive_multi != nullptr ? trace_id(reinterpret_cast<const void*>(of.receive_multi))
                                        : trace_id(reinterpret_cast<const void*>(of.receive)),
            task_naming::code};
}

void dispatcher::receive(delivery& d) noexcept {
    event_thread& thread = this_event_thread;
    did_.events += d.count;
    thread.begin_function(*d.from);
    begin_group(em_, d);
    if (verifies()) {
        for (const em_event_t handle : std::span(d.events).first(d.count)) {
            event::of(handle)->state.note(event_call::dispatch);
        }
    }
    arguments a{d.to->context, d.from->handle, d.from->context.load(memory_order::acquire), d.events.data(),
                static_cast<int>(d.count)};
    call_enters(em_, *d.to, a);
    if (a.count != 0) {
        call_traced(em_, *d.to, a);
    }
    em_.exits.each([&](em_dispatch_exit_func_t leave) { call_callback([&] { leave(d.to->handle); }); });
    em_event_group_processing_end();
    thread.end_function();
}

// What was sent to local queues, also by what is received of that.
bool dispatcher::receive_local() noexcept {
    bool any = false;
    delivery d;
    while (em_.next_local(core_, now_.burst, d)) {
        tell_active(this_event_thread.idle);
        any = true;
        receive(d);
        em_.received_local(d);
    }
    return any;
}

// The core asks for events; false: there are none.
bool dispatcher::look(delivery& d) noexcept {
    if (!the_event_hooks.takes_times()) [[likely]] {
        return em_.next(core_, now_.burst, now_.limits.wait_ns != 0, d);
    }
    event_thread& self = this_event_thread;
    self.asked_ns = port::now_ns();
    const bool found = em_.next(core_, now_.burst, now_.limits.wait_ns != 0, d);
    self.answered_ns = port::now_ns();
    return found;
}

bool dispatcher::receive_some() noexcept {
    const bool before = receive_local(); // sent outside of receive functions
    std::array<delivery, 2> some;
    delivery* now = &some[0];
    delivery* next = &some[1];
    if (has_left_loop() || !look(*now)) {
        return before;
    }
    tell_active(this_event_thread.idle);
    while (is_plain(*now) ? receive_plain(now, next) : receive_scheduled(*now, *next)) {
        std::swap(now, next);
        end_round(true);
    }
    return true;
}

// One event, received at home, of which nobody wants to know.
bool dispatcher::is_plain(const delivery& d) const noexcept {
    return d.chosen_at_home && d.count == 1 && d.to->receive_multi == nullptr && fibers_ == nullptr &&
           this_event_thread.plain && !em_.watches_calls() && !event::of(d.events.front())->group.any();
}

// As receive_scheduled(), for as long as what comes is plain too: in one frame, in which none of the receive functions
// has begun anything that is left.
bool dispatcher::receive_plain(delivery*& now, delivery*& next) noexcept {
    event_thread& thread = this_event_thread;
    worker& self = worker::of(*current_page);
    root_frame frame;
    em_.calls(core_, self.ctx);
    const dispatch_limits& l = now_.limits;
    for (;;) {
        delivery& d = *now;
        execution_object& to = *d.to;
        thread.begin_context(*d.from);
        thread.begin_function(*d.from);
        // So many may follow before the loop looks at its limits.
        std::uint64_t more = looks_at_once() ? std::min(l.rounds - did_.rounds, l.events - did_.events) - 1 : 0;
        std::exception_ptr thrown;
        bool plain = true;
        for (event* e = event::of(d.events.front()); e != nullptr;) {
            ++did_.events;
            if (verifies()) {
                e->state.note(event_call::dispatch);
            }
            try {
                to.receive(to.context, e->handle(), e->type, d.from->handle,
                           d.from->context.load(memory_order::acquire));
            } catch (...) {
                thrown = std::current_exception();
            }
            plain = thrown == nullptr && thread.group_count == 0 && !frame.error.any() &&
                    frame.has_ended(self.ahead.held_of(frame.pending));
            e = plain && more-- > 1 ? em_.goes_on_at_home(d) : nullptr;
            did_.rounds += e != nullptr ? 1 : 0;
        }
        bool found = false;
        if (!plain || em_.has_local(core_) ||
            !em_.received_at_home(core_, d, now_.burst, looks_at_once() ? next : nullptr, found)) [[unlikely]] {
            end_frame(em_, to, frame, thrown);
            em_event_group_processing_end();
            thread.end_function();
            return end_context(d, nullptr);
        }
        if (!found || !is_plain(*next)) {
            frame.wait();
            em_.calls(core_, nullptr);
            thread.end_function();
            thread.end_context();
            return found;
        }
        std::swap(now, next);
        end_round(true);
    }
}

// What next() has given. True: `next` is what the next round receives.
bool dispatcher::receive_scheduled(delivery& d, delivery& next) noexcept {
    if (d.resumed != nullptr) {
        em_.go_on_with(*d.resumed);
        return false;
    }
    this_event_thread.begin_context(*d.from);
    receive(d);
    return end_context(d, &next);
}

// True: `next` is what the next round receives.
bool dispatcher::end_context(delivery& d, delivery* next) noexcept {
    event_thread& thread = this_event_thread;
    static_cast<void>(receive_local()); // in the context of who has sent it
    const bool holds = thread.holds == EM_SCHED_CONTEXT_TYPE_ATOMIC;
    thread.end_context();
    return em_.received(core_, d, holds, now_.burst, next != nullptr && looks_at_once() ? next : nullptr);
}

// The loop does nothing before the next round looks for events.
bool dispatcher::looks_at_once() const noexcept {
    const dispatch_limits& l = now_.limits;
    return steady_ && did_.rounds + 1 < l.rounds && did_.events < l.events && !em_.offers() && !em_.has_asked(core_) &&
           !the_event_hooks.takes_times() && !has_left_loop();
}

void dispatcher::await_events(std::uint64_t deadline, bool naps) noexcept {
    worker& self = worker::of(*current_page);
    event_or_time condition(em_, core_, deadline, naps);
    event_thread& thread = this_event_thread;
    // What tasks send meanwhile is for all to see: the condition looks at nothing at home.
    const bool works = std::exchange(thread.works, false);
    const bool plain = std::exchange(thread.plain, false);
    self.home.wait(self, wanted::any(), self.mine().depth(), condition, nullptr, &em_);
    thread.works = works;
    thread.plain = plain;
}

// False: there was nothing for as long as a round waits, or until the deadline.
bool dispatcher::round(std::uint64_t deadline) noexcept {
    const std::uint64_t wait_ns = now_.limits.wait_ns;
    for (bool first = true;; first = false) {
        if (!em_.has_asked(core_)) { // they may wait for others, which would wait for that event
            em_.run_duties(core_);
        }
        if (now_.polls) {
            call_callback([&] { em_.conf().input.input_poll_fn(); });
        }
        if (em_.offers()) {
            em_.offer_again();
        }
        const bool active = receive_some();
        if (has_left_loop()) {
            return active;
        }
        if (now_.drains) {
            call_callback([&] { em_.conf().output.output_drain_fn(); });
        }
        if (active) {
            return true;
        }
        tell_idle(this_event_thread.idle);
        const std::uint64_t now = wait_ns == 0 ? dispatch_limits::never : port::now_ns();
        if (first && wait_ns < dispatch_limits::never - now) {
            deadline = std::min(deadline, now + wait_ns);
        }
        if (wait_ns == 0 || now >= deadline) {
            return false;
        }
        const bool naps = now_.polls || em_.offers();
        const std::uint64_t until = naps ? std::min(deadline, now + em_.options().poll_ns) : deadline;
        if (fibers_ == nullptr) {
            await_events(until, naps);
        } else {
            waits_ = true;
            until_ = until;
            naps_ = naps;
            fibers_->loop->stack.go_to(fibers_->thread);
        }
    }
}

void dispatcher::end_round(bool active) noexcept {
    ++did_.rounds;
    idle_rounds_ = active ? 0 : idle_rounds_ + 1;
    if (active && now_.limits.timed()) {
        idle_since_ = port::now_ns();
    }
}

void dispatcher::loop() noexcept {
    const dispatch_limits& l = now_.limits;
    while (did_.rounds < l.rounds && did_.events < l.events && idle_rounds_ < l.idle_rounds) {
        std::uint64_t deadline = dispatch_limits::never;
        if (l.timed()) {
            const std::uint64_t now = port::now_ns();
            if (now - began_ >= l.ns || now - idle_since_ >= l.idle_ns) {
                break;
            }
            deadline = std::min(l.ns < dispatch_limits::never - began_ ? began_ + l.ns : dispatch_limits::never,
                                l.idle_ns < dispatch_limits::never - idle_since_ ? idle_since_ + l.idle_ns
                                                                                 : dispatch_limits::never);
        }
        const bool active = round(deadline);
        if (has_left_loop()) {
            return;
        }
        end_round(active);
    }
}

em_dispatch_results_t dispatcher::run(const dispatch_settings& s) noexcept {
    event_thread& self = this_event_thread;
    self.dispatching = true;
    now_ = s;
    did_ = {};
    began_ = s.limits.timed() ? port::now_ns() : 0;
    idle_since_ = began_;
    idle_rounds_ = 0;
    steady_ = !s.limits.timed() && !s.polls && !s.drains;
    if (s.limits.rounds >= the_home_rules.rounds) {
        em_.begin_work(core_);
    }
    fibers_ == nullptr ? loop() : run_on_fibers();
    em_.end_work(core_);
    steady_ = false;
    self.leaving = true;
    if (em_.has_asked(core_)) { // which is bound to this core
        static_cast<void>(receive_some());
        ++did_.rounds;
    }
    did_.ns = s.limits.timed() ? port::now_ns() - began_ : 0;
    self.leaving = false;
    self.dispatching = false;
    em_.pass_on();
    return did_;
}

// --- on fibers ------------------------------------------------------------------------------------------------------

bool dispatcher::has_left_loop() const noexcept { return fibers_ != nullptr && fibers_->running != fibers_->loop; }

void dispatcher::loop_of(void* self) noexcept {
    dispatcher& d = *static_cast<dispatcher*>(self);
    d.loop();
    d.fibers_->end_running();
}

void dispatcher::run_on_fibers() noexcept {
    core_fibers& mine = *fibers_;
    mine.loop->stack.begin(&loop_of, this);
    do {
        if (std::exchange(waits_, false)) {
            await_events(until_, naps_);
        }
        mine.running = mine.loop;
        mine.thread.go_to(mine.loop->stack);
        mine.running = nullptr;
    } while (waits_);
}

void dispatcher::move_to(call_fiber& next) noexcept {
    end_round(true);
    call_fiber& left = *std::exchange(fibers_->loop, &next);
    fibers_->running = &next;
    next.stack.begin(&loop_of, this);
    left.stack.go_to(next.stack);
}

} // namespace skerry::inline SKERRY_ABI::detail
