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
#include "frontend/event/hooks.hpp"
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
            enter(to.handle, &a.object_context, a.events, a.count, &a.queue, &a.queue_context);
            a.count = static_cast<int>(std::remove(a.events, a.events + a.count, EM_EVENT_UNDEF) - a.events);
        }
    });
}

// The receive function, with a frame of its own for what it begins.
void call(event_machine& em, const execution_object& to, const arguments& a) noexcept {
    root_frame frame;
    em.calls(this_event_thread.core, current_page->ctx);
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

void call_traced(event_machine& em, const execution_object& to, const arguments& a) noexcept {
    const worker& self = worker::of(*current_page);
    self.with_trace([&](auto trace) {
        if constexpr (std::is_same_v<decltype(trace), null_trace>) {
            call(em, to, a);
        } else { // shown as a task is
            const void* const code = to.receive_multi != nullptr ? reinterpret_cast<const void*>(to.receive_multi)
                                                                 : reinterpret_cast<const void*>(to.receive);
            const naming what{trace_id(code), task_naming::code};
            const running_scope running(self, what);
            trace.start(trace_id(*a.events), what.address, what.kind);
            call(em, to, a);
            trace.end(trace_id(*a.events));
        }
    });
}

// What the events count for, which is the same for all (fill()): they belong to the receive function from now on, and
// have no tag.
void begin_group(event_machine& em, const event_machine::delivery& d) noexcept {
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

void dispatcher::receive(event_machine::delivery& d) noexcept {
    event_thread& thread = this_event_thread;
    thread.inside = d.to;
    thread.queue = d.from;
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
    em_.exits.each([&](em_dispatch_exit_func_t leave) { leave(d.to->handle); });
    em_event_group_processing_end();
    thread.inside = nullptr;
    thread.queue = nullptr;
}

// What was sent to local queues, also by what is received of that.
unsigned dispatcher::receive_local() noexcept {
    unsigned n = 0;
    event_machine::delivery d;
    while (em_.next_local(core_, burst_, d)) {
        tell_active(this_event_thread.idle);
        n += d.count;
        receive(d);
        em_.received_local(d);
    }
    return n;
}

// The core asks for events; false: there are none.
bool dispatcher::look(event_machine::delivery& d) noexcept {
    if (!the_event_hooks.takes_times()) [[likely]] {
        return em_.next(core_, burst_, d);
    }
    event_thread& self = this_event_thread;
    self.asked_ns = port::now_ns();
    const bool found = em_.next(core_, burst_, d);
    self.answered_ns = port::now_ns();
    return found;
}

unsigned dispatcher::receive_some() noexcept {
    const unsigned before = receive_local(); // sent outside of receive functions
    event_machine::delivery d;
    if (!look(d)) {
        return before;
    }
    event_thread& thread = this_event_thread;
    tell_active(thread.idle);
    thread.scheduled = d.from;
    thread.holds = d.from->atomic()    ? EM_SCHED_CONTEXT_TYPE_ATOMIC
                   : d.from->ordered() ? EM_SCHED_CONTEXT_TYPE_ORDERED
                                       : EM_SCHED_CONTEXT_TYPE_NONE;
    receive(d);
    const unsigned local = receive_local(); // in the context of who has sent it
    const bool holds = thread.holds == EM_SCHED_CONTEXT_TYPE_ATOMIC;
    thread.scheduled = nullptr;
    thread.holds = EM_SCHED_CONTEXT_TYPE_NONE;
    em_.received(core_, d, holds);
    return before + d.count + local;
}

void dispatcher::await_events(std::uint64_t deadline, bool naps) noexcept {
    worker& self = worker::of(*current_page);
    event_or_time condition(em_, core_, deadline, naps);
    self.home.wait(self, wanted::any(), self.mine().depth(), condition, nullptr, &em_);
}

// Returns how many events; 0: there was none for so long, or until the deadline.
unsigned dispatcher::round(std::uint64_t wait_ns, std::uint64_t deadline) noexcept {
    for (bool first = true;; first = false) {
        if (!em_.has_asked(core_)) { // they may wait for others, which would wait for that event
            em_.run_duties(core_);
        }
        if (polls_) {
            static_cast<void>(em_.conf().input.input_poll_fn());
        }
        if (em_.offers()) {
            em_.offer_again();
        }
        const unsigned n = receive_some();
        if (drains_) {
            static_cast<void>(em_.conf().output.output_drain_fn());
        }
        if (n != 0) {
            return n;
        }
        tell_idle(this_event_thread.idle);
        const std::uint64_t now = wait_ns == 0 ? dispatch_limits::never : port::now_ns();
        if (first && wait_ns < dispatch_limits::never - now) {
            deadline = std::min(deadline, now + wait_ns);
        }
        if (wait_ns == 0 || now >= deadline) {
            return 0;
        }
        const bool naps = polls_ || em_.offers();
        await_events(naps ? std::min(deadline, now + em_.options().poll_ns) : deadline, naps);
    }
}

em_dispatch_results_t dispatcher::run(const dispatch_limits& l) noexcept {
    event_thread& self = this_event_thread;
    self.dispatching = true;
    em_dispatch_results_t did{};
    const std::uint64_t began = l.timed() ? port::now_ns() : 0;
    std::uint64_t idle_since = began;
    std::uint64_t idle_rounds = 0;
    while (did.rounds < l.rounds && did.events < l.events && idle_rounds < l.idle_rounds) {
        std::uint64_t deadline = dispatch_limits::never;
        if (l.timed()) {
            const std::uint64_t now = port::now_ns();
            if (now - began >= l.ns || now - idle_since >= l.idle_ns) {
                break;
            }
            deadline = std::min(l.ns < dispatch_limits::never - began ? began + l.ns : dispatch_limits::never,
                                l.idle_ns < dispatch_limits::never - idle_since ? idle_since + l.idle_ns
                                                                                : dispatch_limits::never);
        }
        const unsigned n = round(l.wait_ns, deadline);
        ++did.rounds;
        did.events += n;
        idle_rounds = n == 0 ? idle_rounds + 1 : 0;
        idle_since = n != 0 && l.timed() ? port::now_ns() : idle_since;
    }
    self.leaving = true;
    if (em_.has_asked(core_)) { // which is bound to this core
        did.events += receive_some();
        ++did.rounds;
    }
    did.ns = l.timed() ? port::now_ns() - began : 0;
    self.leaving = false;
    self.dispatching = false;
    em_.pass_on();
    return did;
}

} // namespace skerry::inline SKERRY_ABI::detail
