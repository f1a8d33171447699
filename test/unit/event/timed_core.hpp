// SPDX-License-Identifier: Apache-2.0
#pragma once

// A core with a timer, which is the thread of the test, and what has come from the timer.

#include <cstdint>
#include <source_location>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "this_core.hpp"

namespace skerry::test {

constexpr std::uint64_t ms = 1'000'000;
constexpr std::uint64_t hour = std::uint64_t{3600} * 1000 * ms;

inline void with_timers(em_conf_t& conf) { conf.event_timer = 1; }

inline em_timer_t make_timer() {
    em_timer_attr_t attr;
    em_timer_attr_init(&attr);
    return em_timer_create(&attr);
}

// The numbers in the events that were received, and when.
struct arrivals {
    std::vector<int> numbers;
    std::vector<std::uint64_t> ticks;
    std::vector<em_event_t> events; // ours
    em_timer_t timer = EM_TIMER_UNDEF;
};
inline void arrive(void* context, em_event_t event, em_event_type_t /*type*/, em_queue_t /*queue*/, void* /*ctx*/) {
    arrivals& all = *static_cast<arrivals*>(context);
    all.numbers.push_back(value_of(event));
    all.ticks.push_back(em_timer_current_tick(all.timer));
    all.events.push_back(event);
}

// A core with a timer, and a queue.
struct timed_core : this_core {
    explicit timed_core(std::uint32_t events = 64) : this_core(events, with_timers) {
        all.timer = timer;
        EXPECT_NE(timer, EM_TIMER_UNDEF);
    }
    // Until that many have come in all.
    void await(std::size_t count, const std::source_location& here = std::source_location::current()) const {
        dispatch_until([&] { return all.numbers.size() >= count; }, here);
    }
    void free_all() {
        for (const em_event_t e : std::exchange(all.events, {})) {
            em_free(e);
        }
    }
    // Returns when everything that was due at the call has been sent: what is due later to the same queue comes behind.
    void await_due(const std::source_location& here = std::source_location::current()) {
        const em_tmo_t mark = one_shot();
        const std::size_t before = all.numbers.size();
        ASSERT_EQ(em_tmo_set_rel(mark, ms, make_event(mark_number)), EM_OK);
        dispatch_until([&] { return all.numbers.size() > before && all.numbers.back() == mark_number; }, here);
        all.numbers.pop_back();
        em_free(all.events.back());
        all.events.pop_back();
        em_event_t none = EM_EVENT_UNDEF;
        ASSERT_EQ(em_tmo_delete(mark, &none), EM_OK);
    }
    [[nodiscard]] em_tmo_t one_shot() const { return em_tmo_create(timer, EM_TMO_FLAG_ONESHOT, to.queue); }
    [[nodiscard]] em_tmo_t periodic(unsigned more = 0) const {
        return em_tmo_create(timer, static_cast<em_tmo_flag_t>(EM_TMO_FLAG_PERIODIC | more), to.queue);
    }
    [[nodiscard]] std::uint64_t now() const { return em_timer_current_tick(timer); }

    static constexpr int mark_number = 999'999;

    arrivals all;
    em_timer_t timer = make_timer();
    receiver to = make_receiver(arrive, &all, EM_QUEUE_TYPE_ATOMIC);
};

} // namespace skerry::test
