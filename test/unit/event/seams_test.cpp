// SPDX-License-Identifier: Apache-2.0

// What the parts of the event machine do to each other.

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "bare_machine.hpp"
#include "receiving.hpp"
#include "this_core.hpp"

namespace skerry::test {
namespace {

struct taker {
    std::atomic<int> refusals{1}; // left
    log seen;
};

// `arguments`: a taker.
int take_after_refusals(const em_event_t events[], const unsigned num, const em_queue_t /*queue*/, void* arguments) {
    taker& t = *static_cast<taker*>(arguments);
    if (t.refusals > 0) {
        --t.refusals;
        return 0;
    }
    for (unsigned i = 0; i < num; ++i) {
        t.seen.add(free_value(events[i]));
    }
    return static_cast<int>(num);
}

// --- a core that joins while an object starts ------------------------------------------------------------------------

struct starting {
    std::atomic<bool> inside{false};
    std::atomic<bool> go_on{false};
    std::atomic<bool> begun{false};
    std::atomic<int> local{0};
    std::atomic<int> early{0};
    em_queue_t queue = EM_QUEUE_UNDEF;
    std::atomic<em_status_t> stopped{EM_OK};
};

em_status_t start_slowly(void* context, em_eo_t /*eo*/, const em_eo_conf_t* /*conf*/) {
    starting& s = *static_cast<starting*>(context);
    s.inside = true;
    wait_for(s.go_on);
    s.begun = true;
    return EM_OK;
}
em_status_t start_locally(void* context, em_eo_t /*eo*/) {
    starting& s = *static_cast<starting*>(context);
    s.early += s.begun ? 0 : 1;
    ++s.local;
    return EM_OK;
}
em_status_t stop_locally(void*, em_eo_t) { return EM_OK; }
void free_event(void*, em_event_t event, em_event_type_t, em_queue_t, void*) { em_free(event); }

TEST(seams, a_core_that_joins_during_a_start_function_runs_its_own_once_behind_it) {
    const bare_machine machine(2);
    starting s;
    const em_eo_t eo = em_eo_create("e", start_slowly, start_locally, stop_nothing, stop_locally, free_event, &s);
    std::atomic<bool> over{false};
    std::atomic<bool> joined{false};
    std::thread starter([&] { EXPECT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK); });
    wait_for(s.inside);
    std::thread core([&] {
        const core_scope is_a_core;
        while (!over) {
            static_cast<void>(em_dispatch_ns(1'000'000, nullptr, nullptr));
            joined = true;
        }
    });
    wait_for(joined);
    s.go_on = true;
    starter.join();
    EXPECT_EQ(s.local, 1);
    EXPECT_EQ(s.early, 0);
    ASSERT_EQ(em_eo_stop_sync(eo), EM_OK);
    over = true;
    core.join();
}

// --- a stop from within ----------------------------------------------------------------------------------------------

em_status_t stop_itself(void* context, em_eo_t eo) {
    static_cast<starting*>(context)->stopped = em_eo_stop_sync(eo);
    return EM_OK;
}

TEST(seams, an_object_does_not_wait_in_its_own_function_for_its_stop) {
    const bare_machine machine(1);
    starting s;
    s.go_on = true;
    const em_eo_t eo = em_eo_create("e", start_slowly, stop_itself, stop_nothing, nullptr, free_event, &s);
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK); // no core is inside
    {
        const core_scope is_a_core;
        static_cast<void>(em_dispatch_rounds(1, nullptr, nullptr)); // it is late
        EXPECT_EQ(s.stopped, status_of(EM_ERR_BAD_CONTEXT));
        expect_error(EM_ERR_BAD_CONTEXT, "em_eo_stop_sync: inside of a function of execution object 'e' itself");
        ASSERT_EQ(em_eo_stop_sync(eo), EM_OK);
    }
}

// --- output that was not taken ---------------------------------------------------------------------------------------

TEST(seams, a_sleeping_core_offers_what_an_output_function_has_not_taken) {
    const bare_machine machine(2);
    const core_scope is_core_0;
    taker t;
    const em_queue_t out = make_output(take_after_refusals, &t);
    const em_core_mask_t mask = mask_of(1);
    const em_queue_group_t here = em_queue_group_create_sync("core 0", &mask);
    receive_by pass_on = [&](em_event_t e, em_queue_t) { ASSERT_EQ(em_send(e, out), EM_OK); };
    const receiver ordered = make_receiver(pass_on, EM_QUEUE_TYPE_PARALLEL_ORDERED, here);
    std::atomic<bool> over{false};
    receive_by end = [&](em_event_t e, em_queue_t) {
        em_free(e);
        over = true;
    };
    const receiver last = make_receiver(end, EM_QUEUE_TYPE_ATOMIC);
    std::thread other([&] {
        const core_scope is_core_1;
        while (!over) {
            static_cast<void>(em_dispatch_events(1, nullptr, nullptr)); // sleeps until then
        }
    });
    send_value(1, ordered.queue);
    EXPECT_EQ(em_dispatch(1), 1U); // and looks no more
    cores::until([&] { return t.seen.size() == 1; });
    send_value(0, last.queue);
    other.join();
}

TEST(seams, what_is_sent_later_does_not_overtake_what_an_output_function_has_not_taken) {
    const bare_machine machine(1);
    const core_scope is_a_core;
    taker t;
    const em_queue_t out = make_output(take_after_refusals, &t);
    receive_by pass_on = [&](em_event_t e, em_queue_t) {
        ASSERT_EQ(em_send(e, out), EM_OK); // not taken
        em_ordered_processing_end();
        ASSERT_EQ(em_send(make_event(2), out), EM_OK);
    };
    const receiver ordered = make_receiver(pass_on, EM_QUEUE_TYPE_PARALLEL_ORDERED);
    send_value(1, ordered.queue);
    this_core::dispatch_until([&] { return t.seen.size() == 2; });
    EXPECT_EQ(t.seen.all(), (std::vector<int>{1, 2}));
}

int free_and_refuse(const em_event_t events[], const unsigned num, const em_queue_t /*queue*/, void* /*arguments*/) {
    for (unsigned i = 0; i < num; ++i) {
        em_free(events[i]);
    }
    return 0;
}

TEST(seams, what_an_output_function_has_freed_is_not_the_senders_again) {
    const with_options verified([](skerry_em_options_t& o) { o.esv = 1; });
    const bare_machine machine(1);
    int nothing = 0;
    const em_queue_t out = make_output(free_and_refuse, &nothing);
    const em_event_t e = make_event(1);
    EXPECT_NE(em_send(e, out), EM_OK);
    expect_error(EM_ERR_OPERATION_FAILED, "em_send: the output function of queue 0x100 has not taken the event");
    em_free(e);
    expect_error(EM_ERR_EVENT_STATE, "em_free: event ");
}

// --- an object that is started by another one's start function -------------------------------------------------------

struct inner_and_outer {
    em_eo_t inner = EM_EO_UNDEF;
    em_queue_t queue = EM_QUEUE_UNDEF; // of the inner one
};

em_status_t send_to_itself(void* context, em_eo_t /*eo*/, const em_eo_conf_t* /*conf*/) {
    send_value(7, static_cast<inner_and_outer*>(context)->queue);
    return EM_OK;
}
em_status_t start_inner_and_fail(void* context, em_eo_t /*eo*/, const em_eo_conf_t* /*conf*/) {
    EXPECT_EQ(em_eo_start_sync(static_cast<inner_and_outer*>(context)->inner, nullptr, nullptr), EM_OK);
    return EM_ERROR - 1;
}
std::atomic<int> inner_received{0};
void note_inner(void*, em_event_t event, em_event_type_t, em_queue_t, void*) {
    EXPECT_EQ(free_value(event), 7);
    ++inner_received;
}

TEST(seams, what_an_inner_start_function_sends_is_not_lost_when_the_outer_one_fails) {
    const bare_machine machine(1);
    const core_scope is_a_core;
    inner_and_outer both;
    inner_received = 0;
    both.inner = em_eo_create("inner", send_to_itself, nullptr, stop_nothing, nullptr, note_inner, &both);
    both.queue = add_queue(both.inner, make_queue(EM_QUEUE_TYPE_ATOMIC));
    const em_eo_t outer =
        em_eo_create("outer", start_inner_and_fail, nullptr, stop_nothing, nullptr, free_event, &both);
    em_status_t result = EM_OK;
    static_cast<void>(em_eo_start_sync(outer, &result, nullptr));
    EXPECT_NE(result, EM_OK);
    static_cast<void>(take_errors());
    EXPECT_EQ(em_dispatch(1), 1U);
    EXPECT_EQ(inner_received, 1);
}

// --- asked ahead -----------------------------------------------------------------------------------------------------

TEST(seams, what_is_ready_behind_an_event_that_was_asked_for_ahead_goes_to_a_core_that_sleeps) {
    const with_options asked_ahead([](skerry_em_options_t& o) { o.asynchronous = 1; });
    const bare_machine machine(2);
    const core_scope is_core_0;
    std::atomic<bool> over{false};
    const em_core_mask_t mask = mask_of(1);
    const em_queue_group_t here = em_queue_group_create_sync("core 0", &mask);
    receive_by wait_long = [&](em_event_t e, em_queue_t) { // until the other core has received
        em_free(e);
        wait_for(over);
    };
    const receiver slow = make_receiver(wait_long, EM_QUEUE_TYPE_PARALLEL, here);
    std::thread other;
    receive_by first_asks = [&](em_event_t e, em_queue_t) {
        if (free_value(e) == 1) {
            send_value(2, em_queue_current());
            send_value(3, slow.queue);
            em_preschedule(); // gets the slow one: the queue of this one is held
            std::atomic<bool> inside{false};
            other = std::thread([&] {
                const core_scope is_core_1;
                inside = true;
                while (!over) {
                    static_cast<void>(em_dispatch_events(1, nullptr, nullptr)); // sleeps until then
                }
            });
            wait_for(inside);
        } else {
            over = true;
        }
    };
    const receiver atomic = make_receiver(first_asks, EM_QUEUE_TYPE_ATOMIC);
    send_value(1, atomic.queue);
    EXPECT_EQ(em_dispatch(1), 2U); // the second is the one that it has asked for
    EXPECT_TRUE(over);
    other.join();
}

} // namespace
} // namespace skerry::test
