// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <exception>
#include <limits>
#include <type_traits>
#include <utility>

#include <event_machine/api/event_machine_dispatcher.h>
#include <event_machine/api/event_machine_event_group.h>
#include <event_machine/api/event_machine_scheduler.h>

#include <skerry/detail/frontend/forkjoin/finish_frame.hpp>

#include "base/port/clock.hpp"
#include "frontend/event/event_machine.hpp"
#include "frontend/event/hooks.hpp"
#include "frontend/event/polled.hpp"
#include "sched/team_wait.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t patience_ns = 10'000'000; // of a core that shall not dispatch for ever

// A queue is ready, or the time is over.
class event_or_time {
  public:
    event_or_time(event_machine& em, std::uint64_t deadline) noexcept : em_(em), deadline_(deadline) {}

    [[nodiscard]] bool done() const noexcept { return em_.any_ready() || time_left_ns() == 0; }
    [[nodiscard]] bool arm(bell& b) {
        bell_ = &b;
        return em_.arm(b);
    }
    [[nodiscard]] bool disarm() noexcept { return em_.disarm(*bell_); }
    [[nodiscard]] std::uint64_t time_left_ns() const noexcept {
        if (deadline_ == never) {
            return never;
        }
        const std::uint64_t now = port::now_ns();
        return now < deadline_ ? deadline_ - now : 0;
    }

  private:
    event_machine& em_;
    const std::uint64_t deadline_;
    bell* bell_ = nullptr;
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

// The receive function, with a frame of its own for what it begins.
void call(event_machine& em, const event_machine::delivery& d) noexcept {
    root_frame frame;
    em.calls(this_event_thread.core, current_page->ctx);
    std::exception_ptr thrown;
    try {
        d.to->receive(d.to->context, d.what->handle(), d.what->type, d.from->handle,
                      d.from->context.load(memory_order::acquire));
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
        tell_thrown(*d.to, thrown);
    }
}

// What the event counts for; none: for no group. It belongs to the receive function from now on, and has no tag.
group_tag begin_group(event_machine& em, const event_machine::delivery& d) noexcept {
    const group_tag tag = std::exchange(d.what->group, {});
    if (!tag.any() || em.groups().begin(tag)) {
        return tag;
    }
    static_cast<void>(event_error(EM_ERR_BAD_ID, EM_ESCOPE_EVENT_GROUP_UPDATE,
                                  "em_dispatch: an event of queue %p counts for event group %p no more; it is received "
                                  "without a group",
                                  static_cast<void*>(d.from->handle), handle_of<void*>(tag.number())));
    return {};
}

void receive(event_machine& em, const event_machine::delivery& d) noexcept {
    event_thread& thread = this_event_thread;
    thread.inside = d.to;
    thread.queue = d.from;
    thread.holds_queue = d.from->atomic();
    thread.group = begin_group(em, d);
    const worker& self = worker::of(*current_page);
    self.with_trace([&](auto trace) {
        if constexpr (std::is_same_v<decltype(trace), null_trace>) {
            call(em, d);
        } else { // shown as a task is
            const naming what{trace_id(reinterpret_cast<const void*>(d.to->receive)), task_naming::code};
            const running_scope running(self, what);
            trace.start(trace_id(d.what), what.address, what.kind);
            call(em, d);
            trace.end(trace_id(d.what));
        }
    });
    if (thread.group.any()) {
        em_event_group_processing_end();
    }
    const bool holds = thread.holds_queue;
    thread.inside = nullptr;
    thread.queue = nullptr;
    thread.holds_queue = false;
    em.received(d, holds);
}

// The core asks for an event; false: there is none.
bool look(event_machine& em, event_machine::delivery& d) noexcept {
    if (!the_event_hooks.takes_times()) [[likely]] {
        return em.next(d);
    }
    event_thread& self = this_event_thread;
    self.asked_ns = port::now_ns();
    const bool found = em.next(d);
    self.answered_ns = port::now_ns();
    return found;
}

// False: there was none in time.
bool await_events(event_machine& em, std::uint64_t deadline) noexcept {
    worker& self = worker::of(*current_page);
    event_or_time condition(em, deadline);
    self.home.wait(self, wanted::any(), self.mine().depth(), condition, nullptr, &em);
    return em.any_ready();
}

} // namespace

} // namespace skerry::inline SKERRY_ABI::detail

using namespace skerry::detail;
namespace port = skerry::port;

em_status_t em_dispatch(std::uint64_t rounds) {
    event_thread& self = this_event_thread;
    event_machine* const em = event_machine::instance();
    if (em == nullptr || self.core < 0) {
        return event_error(EM_ERR_BAD_CONTEXT, EM_ESCOPE_DISPATCH, "em_dispatch: the calling thread is no core");
    }
    if (self.dispatching || current_page != self.page) {
        return event_error(EM_ERR_BAD_CONTEXT, EM_ESCOPE_DISPATCH,
                           "em_dispatch: inside of a receive function, a task or run()");
    }
    self.dispatching = true;
    polled_functions polled(em->conf(), self.core);
    std::uint64_t until = never; // it waits no longer
    for (std::uint64_t round = 0; rounds == 0 || round < rounds;) {
        event_machine::delivery d;
        polled.before();
        if (look(*em, d)) {
            tell_active(self.idle);
            receive(*em, d);
            ++round;
            until = never;
            continue;
        }
        tell_idle(self.idle);
        polled.idle();
        const std::uint64_t now = port::now_ns();
        if (rounds != 0 && until == never) {
            until = now + patience_ns;
        }
        const std::uint64_t nap = polled.any() ? now + polled_functions::nap_ns : never;
        if (!await_events(*em, std::min(until, nap)) && port::now_ns() >= until) {
            break;
        }
    }
    self.dispatching = false;
    em->pass_on();
    return EM_OK;
}

void em_atomic_processing_end() {
    event_thread& self = this_event_thread;
    if (self.holds_queue) {
        self.holds_queue = false;
        event_machine::instance()->let_go(*self.queue);
    }
}
