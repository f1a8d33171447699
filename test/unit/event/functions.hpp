// SPDX-License-Identifier: Apache-2.0
#pragma once

// The functions that the event machine's headers declare, called with nothing and called right.

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "one_group.hpp"
#include "receiving.hpp"
#include "timed_core.hpp"

namespace skerry::test {

// What a function has returned.
struct answer {
    bool is_status = false;
    em_status_t status = EM_OK;
};
inline answer status(em_status_t s) { return {true, s}; }
template <class T>
answer value(const T& /*any*/) {
    return {};
}

struct function {
    std::string_view name;
    answer (*call_with_nothing)();
};
const std::vector<function>& functions(); // functions.py writes it

// A core with one of each thing that functions take.
struct full_core : this_core {
    full_core() : this_core(64, with_timers) {}

    // Calls f in a receive function of the queue, with an event that it frees or keeps.
    void receive(const receive_by& f) {
        do_this = f;
        send_value(1, here.queue);
        dispatch(1);
        do_this = [](em_event_t e, em_queue_t) { em_free(e); };
    }

    receive_by do_this = [](em_event_t e, em_queue_t) { em_free(e); };
    receive_by receives = [this](em_event_t e, em_queue_t q) { do_this(e, q); };
    receiver here = test::make_receiver(receives, EM_QUEUE_TYPE_ATOMIC);
    em_eo_t spare_eo = make_object(receives, "spare");
    em_queue_t spare_queue = make_queue(EM_QUEUE_TYPE_PARALLEL);
    em_queue_t unscheduled = make_queue(EM_QUEUE_TYPE_UNSCHEDULED);
    em_atomic_group_t atomics = em_atomic_group_create("atomics", EM_QUEUE_GROUP_DEFAULT);
    em_event_group_t group = em_event_group_create();
    em_queue_group_t cores = make_cores();
    em_pool_t pool = make_pool(with_user_area());
    em_pool_t packets = make_pool(pool_config(256, 16, EM_EVENT_TYPE_PACKET), "packets");
    em_timer_t timer = make_timer();
    em_tmo_t once = em_tmo_create(timer, EM_TMO_FLAG_ONESHOT, here.queue);
    em_tmo_t often = em_tmo_create(timer, EM_TMO_FLAG_PERIODIC, here.queue);

  private:
    static em_queue_group_t make_cores() {
        const em_core_mask_t mask = mask_of(1);
        return em_queue_group_create_sync("cores", &mask);
    }
    static em_pool_cfg_t with_user_area() {
        em_pool_cfg_t c = pool_config(64, 64);
        c.user_area.in_use = true;
        c.user_area.size = 16;
        return c;
    }
};

// By the function's name: calls it, and says whether it did what it is for.
using right_call = bool (*)(full_core&);
using right_calls = std::map<std::string_view, right_call>;
const right_calls& calls_of_events();  // pools, events, packets
const right_calls& calls_of_queues();  // of each type, and their groups
const right_calls& calls_of_objects(); // event groups, timers
const right_calls& calls_of_cores();   // dispatch, hooks, what is printed

// --- what several of them need --------------------------------------------------------------------------------------

// A name of 16 characters at most.
template <class Handle>
std::string name_of(std::size_t (*get)(Handle, char*, std::size_t), Handle handle) {
    std::array<char, 17> text{};
    const std::size_t length = get(handle, text.data(), text.size());
    return {text.data(), length};
}
// What f says of the event, which is freed.
template <class F>
bool with(em_event_t e, F&& f) {
    const bool right = f(e);
    em_free(e);
    return right;
}
// What f says of an event, in a receive function.
template <class F>
bool received(full_core& c, F&& f) {
    bool right = false;
    c.receive([&](em_event_t e, em_queue_t) {
        right = f(e);
        em_free(e);
    });
    return right;
}
template <class F>
bool prints(const char* text, F&& f) {
    testing::internal::CaptureStdout();
    f();
    return testing::internal::GetCapturedStdout().find(text) != std::string::npos;
}

// A notification to the queue of the core.
struct told {
    explicit told(full_core& core) : then{make_event(5), core.here.queue, EM_EVENT_GROUP_UNDEF} {
        core.do_this = [this](em_event_t e, em_queue_t) { came = free_value(e) == 5; };
    }
    // It comes, as the only event.
    [[nodiscard]] bool comes() const {
        full_core::dispatch(1);
        return came;
    }
    em_notif_t then;
    bool came = false;
};

} // namespace skerry::test
