// SPDX-License-Identifier: Apache-2.0

// The functions of event_machine.h that send.

#include <algorithm>
#include <array>
#include <span>

#include "frontend/event/homes.hpp"
#include "frontend/event/hooks.hpp"
#include "frontend/event/refuse.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

em_status_t refuse_queue(event_call call, em_escope_t scope, em_status_t error, const char* format,
                         em_queue_t queue) noexcept {
    return refuse_call(error, scope, format, name_of(call), static_cast<void*>(queue));
}

constexpr const char* no_queue = "%s: there is no queue %p";

em_status_t refuse_sent(event_call call, em_escope_t scope, event_machine::sent why, em_queue_t queue) noexcept {
    const auto refuse = [&](em_status_t error, const char* format) {
        return refuse_queue(call, scope, error, format, queue);
    };
    switch (why) {
    case event_machine::sent::no_queue: return refuse(EM_ERR_BAD_ID, no_queue);
    case event_machine::sent::full:
        return refuse(EM_ERR_OPERATION_FAILED, "%s: queue %p holds as many events as it may");
    case event_machine::sent::no_core:
        return refuse(EM_ERR_BAD_CONTEXT, "%s: queue %p is a local one, and the calling thread is no core");
    case event_machine::sent::refused:
        return refuse(EM_ERR_OPERATION_FAILED, "%s: the output function of queue %p has not taken the event");
    default: return refuse(EM_ERR_BAD_STATE, "%s: no execution object receives from queue %p now");
    }
}

// Some events of a table, which the sender gives away, and takes back what the queue does not take.
class batch {
  public:
    static constexpr std::size_t most = 32;

    // Those before the first that is not the sender's.
    void begin(event_call call, std::span<const em_event_t> events) noexcept {
        for (const em_event_t handle : events) {
            event* const e = event::of(handle);
            if (handle == EM_EVENT_UNDEF || !giving_[count_].begin(*e, event::generation_of(handle), call)) {
                break;
            }
            now_[count_++] = e->handle();
        }
    }
    [[nodiscard]] std::span<const em_event_t> events() const noexcept { return std::span(now_).first(count_); }
    // All but so many are the sender's again, and count for no group.
    void end(std::size_t taken) noexcept {
        for (std::size_t i = taken; i < count_; ++i) {
            event::of(now_[i])->group = {};
            giving_[i].take_back();
        }
    }

  private:
    std::size_t count_ = 0;
    std::array<em_event_t, most> now_;
    std::array<giving_away, most> giving_;
};

// Before the events are for others: who receives one is shown behind.
void trace_sends(std::span<const em_event_t> events, em_queue_t to) noexcept {
    if (current_page == nullptr) { // a thread without a slot has no track
        return;
    }
    const trace_sink<machine>& trace = worker::of(*current_page).trace;
    if (trace.on()) [[unlikely]] {
        for (const em_event_t e : events) {
            trace.send(trace_id(event::of(e)), trace_id(to));
        }
    }
}

// How many it has sent; those behind are the caller's as before. `status`: what is wrong with the first of them.
int send_events(event_call call, em_escope_t scope, std::span<const em_event_t> events, em_queue_t queue,
                em_event_group_t group, em_status_t& status) noexcept {
    std::size_t count = 0;
    status = with_machine(name_of(call), scope, [&](event_machine& em) -> em_status_t {
        const em_queue_type_t type = em.type_of(queue);
        if (type == EM_QUEUE_TYPE_UNDEF) { // or it is removed from here on, before it is sent to
            return refuse_queue(call, scope, EM_ERR_BAD_ID, no_queue, queue);
        }
        group_tag tag;
        if (group != EM_EVENT_GROUP_UNDEF) {
            tag = em.groups().tag_of(group);
            if (!tag.any()) {
                return refuse_no_group(name_of(call), scope, group);
            }
            if (!is_scheduled(type) && type != EM_QUEUE_TYPE_LOCAL) {
                return refuse_queue(call, scope, EM_ERR_BAD_ARG,
                                    "%s: event groups do not count what goes to queue %p, which nobody receives from",
                                    queue);
            }
        }
        const bool held = this_event_thread.starting != nullptr && is_scheduled(type);
        while (count < events.size()) {
            batch some;
            some.begin(call, events.subspan(count, std::min(batch::most, events.size() - count)));
            if (some.events().empty()) { // which says why, unless another thread has made it so meanwhile
                giving_away giving;
                em_status_t wrong = EM_OK;
                if (given_away(call, scope, events[count], giving, wrong) == nullptr) {
                    return wrong;
                }
                giving.take_back();
                continue;
            }
            if (tag.any()) {
                std::ranges::for_each(some.events(), [tag](em_event_t e) { event::of(e)->group = tag; });
            }
            if (!held) {
                const std::size_t number = event::of(some.events().front())->group.number();
                tell_sent(some.events(), queue, handle_of<em_event_group_t>(number));
                trace_sends(some.events(), queue);
            }
            std::size_t taken = 0;
            event_machine::sent result = event_machine::sent::yes;
            try {
                result = em.send(some.events(), queue, taken);
            } catch (...) {
                some.end(taken);
                count += taken;
                throw;
            }
            some.end(taken);
            count += taken;
            if (result != event_machine::sent::yes) {
                return refuse_sent(call, scope, result, queue);
            }
        }
        return EM_OK;
    });
    return static_cast<int>(count);
}

// The same for one event, without a table: of all calls most are so. It has its tag already, if it was sent in a start
// function to a group. Precondition: in no start function.
em_status_t send_alone(event_call call, em_escope_t scope, em_event_t handle, em_queue_t queue) noexcept {
    return with_machine(name_of(call), scope, [&](event_machine& em) -> em_status_t {
        if (em.queue(queue) == nullptr) {
            return refuse_queue(call, scope, EM_ERR_BAD_ID, no_queue, queue);
        }
        giving_away giving;
        em_status_t wrong = EM_OK;
        event* const e = given_away(call, scope, handle, giving, wrong);
        if (e == nullptr) {
            return wrong;
        }
        const em_event_t now = e->handle();
        tell_sent(std::span(&now, 1), queue, handle_of<em_event_group_t>(e->group.number()));
        trace_sends(std::span(&now, 1), queue);
        const event_machine::sent result = em.send(now, queue);
        if (result != event_machine::sent::yes) {
            giving.take_back();
            return refuse_sent(call, scope, result, queue);
        }
        return EM_OK;
    });
}

em_status_t send_one(event_call call, em_escope_t scope, em_event_t handle, em_queue_t queue,
                     em_event_group_t group) noexcept {
    if (group == EM_EVENT_GROUP_UNDEF && this_event_thread.starting == nullptr) {
        return send_alone(call, scope, handle, queue);
    }
    em_status_t status = EM_OK;
    static_cast<void>(send_events(call, scope, std::span(&handle, 1), queue, group, status));
    return status;
}

int send_table(event_call call, em_escope_t scope, const em_event_t* events, int num, em_queue_t queue,
               em_event_group_t group) noexcept {
    em_status_t status = EM_OK;
    return is_table(name_of(call), scope, events, num)
               ? send_events(call, scope, std::span(events, static_cast<std::size_t>(num)), queue, group, status)
               : 0;
}

[[gnu::noinline]] em_status_t send_only(em_event_t event, em_queue_t queue) noexcept {
    return send_one(event_call::send, EM_ESCOPE_SEND, event, queue, EM_EVENT_GROUP_UNDEF);
}

// By a core that may be at home.
[[gnu::noinline]] em_status_t send_verified(em_event_t handle, em_queue_t queue) noexcept {
    giving_away giving;
    event& e = *event::of(handle);
    if (giving.begin(e, event::generation_of(handle), event_call::send)) {
        if (event_machine::instance()->send_from_home(e, queue)) {
            return EM_OK;
        }
        giving.take_back();
    }
    return send_only(handle, queue);
}

} // namespace

} // namespace skerry::inline SKERRY_ABI::detail

using namespace skerry::detail;

em_status_t em_send(em_event_t event, em_queue_t queue) {
    if (!this_event_thread.plain || event == EM_EVENT_UNDEF || the_event_hooks.any(hook::send)) {
        return send_only(event, queue);
    }
    if (verifies()) [[unlikely]] {
        return send_verified(event, queue);
    }
    return event_machine::instance()->send_from_home(*event::of(event), queue) ? em_status_t{EM_OK}
                                                                               : send_only(event, queue);
}

int em_send_multi(const em_event_t events[], int num, em_queue_t queue) {
    return send_table(event_call::send_multi, EM_ESCOPE_SEND_MULTI, events, num, queue, EM_EVENT_GROUP_UNDEF);
}

em_status_t em_send_group(em_event_t event, em_queue_t queue, em_event_group_t group) {
    return send_one(event_call::send_group, EM_ESCOPE_SEND_GROUP, event, queue, group);
}

int em_send_group_multi(const em_event_t events[], int num, em_queue_t queue, em_event_group_t group) {
    return send_table(event_call::send_group_multi, EM_ESCOPE_SEND_GROUP_MULTI, events, num, queue, group);
}
