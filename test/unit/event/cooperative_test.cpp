// SPDX-License-Identifier: Apache-2.0

// Co-operative dispatch: receive functions that are suspended and go on.

#include <array>
#include <atomic>
#include <exception>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include <skerry/skerry.hpp>

#include "cooperative.hpp"
#include "this_core.hpp"

namespace skerry::test {
namespace {

using testing::ElementsAre;

TEST_F(cooperative, a_suspended_call_goes_on_when_another_thread_resumes_it) {
    const this_core core;
    waiting w;
    log seen;
    receive_by wait = [&](em_event_t e, em_queue_t) {
        seen.add(1);
        EXPECT_EQ(w.wait(e, 0), EM_OK);
        seen.add(3);
        em_free(e);
    };
    const receiver r = make_receiver(wait, EM_QUEUE_TYPE_PARALLEL);
    send_value(0, r.queue);
    this_core::dispatch(1);
    seen.add(2);
    std::thread([&] { EXPECT_EQ(w.resume(0), EM_OK); }).join();
    this_core::dispatch_until([&] { return seen.size() == 3; });
    EXPECT_THAT(seen.all(), ElementsAre(1, 2, 3));
}

TEST_F(cooperative, one_that_is_resumed_ahead_goes_on_at_once_and_waits_the_next_time) {
    const this_core core;
    log seen;
    em_event_t received = EM_EVENT_UNDEF;
    receive_by wait = [&](em_event_t e, em_queue_t) {
        received = e;
        EXPECT_EQ(skerry_em_resume(e), EM_OK);
        EXPECT_EQ(skerry_em_suspend(), EM_OK);
        seen.add(1);
        EXPECT_EQ(skerry_em_suspend(), EM_OK);
        seen.add(3);
        em_free(e);
    };
    const receiver r = make_receiver(wait, EM_QUEUE_TYPE_PARALLEL);
    send_value(0, r.queue);
    this_core::dispatch(1);
    seen.add(2);
    EXPECT_EQ(skerry_em_resume(received), EM_OK);
    this_core::dispatch_until([&] { return seen.size() == 3; });
    EXPECT_THAT(seen.all(), ElementsAre(1, 2, 3));
}

TEST_F(cooperative, a_call_that_ends_takes_along_that_it_was_resumed_ahead) {
    const this_core core;
    waiting w;
    log seen;
    em_event_t again = EM_EVENT_UNDEF;
    receive_by wait = [&](em_event_t e, em_queue_t q) {
        if (seen.size() == 0) {
            EXPECT_EQ(skerry_em_resume(e), EM_OK); // and it waits for nothing
            seen.add(1);
            again = e;
            EXPECT_EQ(em_send(e, q), EM_OK);
            return;
        }
        EXPECT_EQ(w.wait(e, 0), EM_OK);
        seen.add(2);
        em_free(e);
    };
    const receiver r = make_receiver(wait, EM_QUEUE_TYPE_PARALLEL);
    send_value(0, r.queue);
    this_core::dispatch(2);
    EXPECT_EQ(seen.size(), 1U);
    EXPECT_EQ(w.resume(0), EM_OK);
    this_core::dispatch_until([&] { return seen.size() == 2; });
}

// --- what it keeps
// -----------------------------------------------------------------------------------------------------

TEST_F(cooperative, it_keeps_its_stack_and_what_the_event_machine_says_of_it) {
    const this_core core;
    waiting w;
    int ended = 0;
    receive_by wait = [&](em_event_t e, em_queue_t q) {
        const int value = value_of(e);
        std::array<int, 1000> numbers{};
        std::iota(numbers.begin(), numbers.end(), value);
        const em_eo_t eo = em_eo_current();
        EXPECT_EQ(em_queue_current(), q);
        for (int turn = 0; turn < 3; ++turn) {
            EXPECT_EQ(w.wait(e, value), EM_OK);
            EXPECT_EQ(em_queue_current(), q);
            EXPECT_EQ(em_eo_current(), eo);
            EXPECT_EQ(em_core_id(), 0);
            em_queue_t context = EM_QUEUE_UNDEF;
            EXPECT_EQ(em_sched_context_type_current(&context), EM_SCHED_CONTEXT_TYPE_ATOMIC);
            EXPECT_EQ(context, q);
        }
        EXPECT_EQ(std::accumulate(numbers.begin(), numbers.end(), 0), 1000 * value + 1000 * 999 / 2);
        EXPECT_EQ(free_value(e), value);
        ++ended;
    };
    std::vector<receiver> all;
    for (int i = 0; i < 3; ++i) {
        all.push_back(make_receiver(wait, EM_QUEUE_TYPE_ATOMIC));
        send_value(i, all.back().queue);
    }
    this_core::dispatch(3);
    for (const int i : {2, 0, 1, 1, 2, 0, 0, 1, 2}) {
        EXPECT_EQ(w.resume(i), EM_OK);
        static_cast<void>(em_dispatch_rounds(1, nullptr, nullptr));
    }
    EXPECT_EQ(ended, 3);
    EXPECT_EQ(em_queue_current(), EM_QUEUE_UNDEF);
    EXPECT_EQ(em_eo_current(), EM_EO_UNDEF);
}

TEST_F(cooperative, exceptions_that_are_handled_stay_with_their_calls) {
    const this_core core;
    waiting w;
    std::vector<std::string> caught;
    receive_by wait = [&](em_event_t e, em_queue_t) {
        const int value = value_of(e);
        try {
            throw std::runtime_error(std::to_string(value));
        } catch (...) {
            try {
                EXPECT_EQ(w.wait(e, value), EM_OK);
                throw;
            } catch (const std::runtime_error& error) {
                caught.emplace_back(error.what());
            }
        }
        EXPECT_EQ(std::current_exception(), nullptr);
        em_free(e);
    };
    const receiver r = make_receiver(wait, EM_QUEUE_TYPE_PARALLEL);
    try {
        throw std::runtime_error("of the thread");
    } catch (...) { // what the thread handles is its own, too
        for (int i = 0; i < 3; ++i) {
            send_value(i, r.queue);
        }
        this_core::dispatch(3);
        for (const int i : {1, 2, 0}) {
            EXPECT_EQ(w.resume(i), EM_OK);
        }
        this_core::dispatch_until([&] { return caught.size() == 3; });
        try {
            throw;
        } catch (const std::runtime_error& error) {
            caught.emplace_back(error.what());
        }
    }
    EXPECT_THAT(caught, ElementsAre("1", "2", "0", "of the thread"));
}

TEST_F(cooperative, an_exception_on_its_way_waits_with_its_call) {
    const this_core core;
    waiting w;
    log counts;
    struct waits_at_its_end {
        waiting& all;
        log& to;
        em_event_t event;
        ~waits_at_its_end() {
            EXPECT_EQ(all.wait(event, 0), EM_OK);
            to.add(std::uncaught_exceptions());
        }
    };
    receive_by thrower = [&](em_event_t e, em_queue_t) {
        try {
            const waits_at_its_end here{w, counts, e};
            throw std::runtime_error("x");
        } catch (const std::runtime_error&) {
            counts.add(10 + std::uncaught_exceptions());
        }
        em_free(e);
    };
    receive_by counter = [&](em_event_t e, em_queue_t) {
        counts.add(20 + std::uncaught_exceptions());
        em_free(e);
    };
    send_value(0, make_receiver(thrower, EM_QUEUE_TYPE_PARALLEL).queue);
    this_core::dispatch(1);
    send_value(0, make_receiver(counter, EM_QUEUE_TYPE_PARALLEL).queue);
    this_core::dispatch(1);
    EXPECT_EQ(std::uncaught_exceptions(), 0);
    EXPECT_EQ(w.resume(0), EM_OK);
    this_core::dispatch_until([&] { return counts.size() == 3; });
    EXPECT_THAT(counts.all(), ElementsAre(20, 1, 10));
}

TEST_F(cooperative, an_atomic_context_is_kept_and_other_queues_go_on) {
    const this_core core;
    waiting w;
    log seen;
    receive_by wait = [&](em_event_t e, em_queue_t) {
        const int value = value_of(e);
        seen.add(value);
        if (value < 10) {
            EXPECT_EQ(w.wait(e, value), EM_OK);
            seen.add(value + 10);
        }
        em_free(e);
    };
    receive_by note = [&](em_event_t e, em_queue_t) { seen.add(free_value(e)); };
    const receiver atomic = make_receiver(wait, EM_QUEUE_TYPE_ATOMIC);
    const receiver other = make_receiver(note, EM_QUEUE_TYPE_ATOMIC);
    send_value(1, atomic.queue);
    send_value(2, atomic.queue);
    for (int i = 100; i < 103; ++i) {
        send_value(i, other.queue);
    }
    this_core::dispatch(4);
    EXPECT_THAT(seen.all(), ElementsAre(1, 100, 101, 102)); // not 2
    EXPECT_EQ(w.resume(1), EM_OK);
    this_core::dispatch(1);
    EXPECT_EQ(w.resume(2), EM_OK);
    this_core::dispatch_until([&] { return seen.size() == 7; });
    EXPECT_THAT(seen.all(), ElementsAre(1, 100, 101, 102, 11, 2, 12));
}

TEST_F(cooperative, an_atomic_group_is_kept) {
    const this_core core;
    waiting w;
    log seen;
    receive_by wait = [&](em_event_t e, em_queue_t) {
        const int value = value_of(e);
        seen.add(value);
        EXPECT_EQ(w.wait(e, value), EM_OK);
        seen.add(value + 10);
        em_free(e);
    };
    const em_atomic_group_t group = em_atomic_group_create("g", EM_QUEUE_GROUP_DEFAULT);
    const em_eo_t eo = make_object(wait);
    std::array<em_queue_t, 2> queues{};
    for (em_queue_t& q : queues) {
        q = em_queue_create_ag("q", EM_QUEUE_PRIO_NORMAL, group, nullptr);
        static_cast<void>(add_queue(eo, q));
    }
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    send_value(1, queues[0]);
    send_value(2, queues[1]);
    this_core::dispatch(1);
    EXPECT_EQ(em_dispatch_rounds(1, nullptr, nullptr), EM_OK);
    EXPECT_THAT(seen.all(), ElementsAre(1));
    EXPECT_EQ(w.resume(1), EM_OK);
    this_core::dispatch(1);
    EXPECT_EQ(w.resume(2), EM_OK);
    this_core::dispatch_until([&] { return seen.size() == 4; });
    EXPECT_THAT(seen.all(), ElementsAre(1, 11, 2, 12));
}

TEST_F(cooperative, what_ends_a_context_ends_that_of_the_call) {
    const this_core core;
    waiting w;
    log seen;
    receive_by wait = [&](em_event_t e, em_queue_t) {
        const int value = value_of(e);
        seen.add(value);
        EXPECT_EQ(w.wait(e, value), EM_OK);
        em_atomic_processing_end();
        EXPECT_EQ(em_sched_context_type_current(nullptr), EM_SCHED_CONTEXT_TYPE_NONE);
        EXPECT_EQ(w.wait(e, value), EM_OK);
        seen.add(value + 10);
        em_free(e);
    };
    const receiver a = make_receiver(wait, EM_QUEUE_TYPE_ATOMIC);
    const receiver b = make_receiver(wait, EM_QUEUE_TYPE_ATOMIC);
    for (int i = 1; i < 3; ++i) {
        send_value(i, a.queue);
        send_value(i + 2, b.queue);
    }
    this_core::dispatch(2); // 1 and 3 wait
    EXPECT_EQ(w.resume(1), EM_OK);
    this_core::dispatch(1); // 2, since 1 has let its queue go, and not 4
    EXPECT_THAT(seen.all(), ElementsAre(1, 3, 2));
    for (const int i : {1, 2, 3}) {
        EXPECT_EQ(w.resume(i), EM_OK);
    }
    this_core::dispatch(1); // 4
    EXPECT_EQ(w.resume(4), EM_OK);
    this_core::dispatch_until([&] { return w.count() == 3; });
    for (const int i : {2, 3, 4}) {
        EXPECT_EQ(w.resume(i), EM_OK);
    }
    this_core::dispatch_until([&] { return seen.size() == 8; });
}

TEST_F(cooperative, order_is_kept) {
    const this_core core;
    waiting w;
    log seen;
    receive_by note = [&](em_event_t e, em_queue_t) { seen.add(free_value(e)); };
    const receiver target = make_receiver(note, EM_QUEUE_TYPE_ATOMIC);
    receive_by pass_on = [&](em_event_t e, em_queue_t) {
        const int value = value_of(e);
        send_value(10 * value, target.queue);
        if (value % 2 == 0) {
            EXPECT_EQ(w.wait(e, value), EM_OK);
        }
        if (value == 4) {
            em_ordered_processing_end(); // of its own place
        }
        send_value(10 * value + 1, target.queue);
        em_free(e);
    };
    const receiver ordered = make_receiver(pass_on, EM_QUEUE_TYPE_PARALLEL_ORDERED);
    for (int i = 0; i < 6; ++i) {
        send_value(i, ordered.queue);
    }
    this_core::dispatch(7); // and the first of 0, which goes at once
    EXPECT_THAT(seen.all(), ElementsAre(0));
    for (const int i : {4, 2}) {
        EXPECT_EQ(w.resume(i), EM_OK);
        EXPECT_EQ(em_dispatch_rounds(1, nullptr, nullptr), EM_OK);
    }
    this_core::dispatch(1); // what 4 has sent outside of its order
    EXPECT_THAT(seen.all(), ElementsAre(0, 41));
    EXPECT_EQ(w.resume(0), EM_OK);
    this_core::dispatch(10);
    EXPECT_THAT(seen.all(), ElementsAre(0, 41, 1, 10, 11, 20, 21, 30, 31, 40, 50, 51));
}

TEST_F(cooperative, an_event_group_waits_for_it) {
    const this_core core;
    waiting w;
    log seen;
    receive_by note = [&](em_event_t e, em_queue_t) {
        EXPECT_EQ(em_event_group_current(), EM_EVENT_GROUP_UNDEF);
        seen.add(free_value(e));
    };
    const receiver told = make_receiver(note, EM_QUEUE_TYPE_ATOMIC);
    const em_event_group_t group = em_event_group_create();
    receive_by wait = [&](em_event_t e, em_queue_t) {
        EXPECT_EQ(em_event_group_current(), group);
        EXPECT_EQ(w.wait(e, 0), EM_OK);
        EXPECT_EQ(em_event_group_current(), group);
        em_event_group_processing_end();
        EXPECT_EQ(w.wait(e, 0), EM_OK);
        EXPECT_EQ(em_event_group_current(), EM_EVENT_GROUP_UNDEF);
        seen.add(3);
        em_free(e);
    };
    const receiver r = make_receiver(wait, EM_QUEUE_TYPE_PARALLEL);
    const em_notif_t then{make_event(2), told.queue, EM_EVENT_GROUP_UNDEF};
    ASSERT_EQ(em_event_group_apply(group, 1, 1, &then), EM_OK);
    ASSERT_EQ(em_send_group(make_event(0), r.queue, group), EM_OK);
    this_core::dispatch(1);
    send_value(1, told.queue);
    this_core::dispatch(1);
    EXPECT_THAT(seen.all(), ElementsAre(1));
    EXPECT_EQ(w.resume(0), EM_OK);
    this_core::dispatch(1); // the notification
    EXPECT_THAT(seen.all(), ElementsAre(1, 2));
    EXPECT_EQ(w.resume(0), EM_OK);
    this_core::dispatch_until([&] { return seen.size() == 3; });
    EXPECT_EQ(em_event_group_delete(group), EM_OK);
}

TEST_F(cooperative, what_it_sends_to_local_queues_is_received_behind_it_in_its_context) {
    const this_core core;
    waiting w;
    log seen;
    em_queue_t expected = EM_QUEUE_UNDEF;
    receive_by note = [&](em_event_t e, em_queue_t) {
        em_queue_t context = EM_QUEUE_UNDEF;
        EXPECT_EQ(em_sched_context_type_current(&context), EM_SCHED_CONTEXT_TYPE_ATOMIC);
        EXPECT_EQ(context, expected);
        const int value = value_of(e);
        seen.add(value);
        if (value == 3) { // suspended itself, in the same context
            EXPECT_EQ(w.wait(e, value), EM_OK);
            EXPECT_EQ(em_sched_context_type_current(&context), EM_SCHED_CONTEXT_TYPE_ATOMIC);
            EXPECT_EQ(context, expected);
            seen.add(13);
        }
        em_free(e);
    };
    const em_eo_t eo = make_object(note);
    const em_queue_t local = add_queue(eo, make_queue(EM_QUEUE_TYPE_LOCAL));
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    receive_by wait = [&](em_event_t e, em_queue_t q) {
        const int value = value_of(e);
        expected = q;
        send_value(value, local);
        if (value == 1) {
            EXPECT_EQ(w.wait(e, value), EM_OK);
            expected = q;
            send_value(3, local);
            send_value(4, local);
        }
        em_free(e);
    };
    const receiver a = make_receiver(wait, EM_QUEUE_TYPE_ATOMIC);
    const receiver b = make_receiver(wait, EM_QUEUE_TYPE_ATOMIC);
    send_value(1, a.queue);
    this_core::dispatch(1);
    send_value(2, b.queue);
    this_core::dispatch(2); // with its local one
    EXPECT_THAT(seen.all(), ElementsAre(2));
    EXPECT_EQ(w.resume(1), EM_OK);
    this_core::dispatch(2); // 1 and 3, which waits
    EXPECT_THAT(seen.all(), ElementsAre(2, 1, 3));
    send_value(2, b.queue);
    this_core::dispatch(2);
    expected = a.queue;
    EXPECT_EQ(w.resume(3), EM_OK);
    this_core::dispatch(1);
    EXPECT_THAT(seen.all(), ElementsAre(2, 1, 3, 2, 13, 4));
}

TEST_F(cooperative, a_local_event_of_the_thread_itself_is_suspended_outside_of_all_contexts) {
    const this_core core;
    waiting w;
    log seen;
    receive_by wait = [&](em_event_t e, em_queue_t) {
        const int value = value_of(e);
        EXPECT_EQ(em_sched_context_type_current(nullptr), EM_SCHED_CONTEXT_TYPE_NONE);
        if (value == 1) {
            EXPECT_EQ(w.wait(e, value), EM_OK);
        }
        seen.add(value);
        em_free(e);
    };
    const em_eo_t eo = make_object(wait);
    const em_queue_t local = add_queue(eo, make_queue(EM_QUEUE_TYPE_LOCAL));
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    for (const int i : {1, 2}) {
        send_value(i, local);
    }
    this_core::dispatch(1);
    EXPECT_EQ(seen.size(), 0U);
    send_value(3, local); // it is not 1's
    this_core::dispatch(1);
    EXPECT_EQ(w.resume(1), EM_OK);
    this_core::dispatch(1);
    EXPECT_THAT(seen.all(), ElementsAre(3, 1, 2));
}

TEST_F(cooperative, it_may_begin_tasks_before_and_behind) {
    const this_core core;
    waiting w;
    std::atomic<int> ran{0};
    int ended = 0;
    receive_by wait = [&](em_event_t e, em_queue_t) {
        const auto many = [&] {
            skerry::finish([&](skerry::scope& here) {
                for (int i = 0; i < 50; ++i) {
                    here.async([&] { ++ran; });
                }
            });
            int mine = 0;
            skerry::spawn([&](int&) { ++ran; }, skerry::inout(mine));
            skerry::taskwait();
            skerry::parallel_for(0, 50, [&](int) { ++ran; });
        };
        for (int turn = 0; turn < 3; ++turn) {
            many();
            EXPECT_EQ(w.wait(e, value_of(e)), EM_OK) << take_errors().at(0).text << turn;
        }
        many();
        int mine = 0;
        skerry::spawn([&](int&) { ++ran; }, skerry::inout(mine)); // which the end waits for
        em_free(e);
        ++ended;
    };
    const receiver r = make_receiver(wait, EM_QUEUE_TYPE_PARALLEL);
    for (int i = 0; i < 4; ++i) {
        send_value(i, r.queue);
    }
    this_core::dispatch(4);
    for (int turn = 0; turn < 3; ++turn) {
        for (const int i : {2, 0, 3, 1}) {
            EXPECT_EQ(w.resume(i), EM_OK);
            EXPECT_EQ(em_dispatch_rounds(1, nullptr, nullptr), EM_OK);
        }
    }
    EXPECT_EQ(ended, 4);
    EXPECT_EQ(ran, 4 * (4 * 101 + 1));
}

// --- when it goes on
// ---------------------------------------------------------------------------------------------------

TEST_F(cooperative, it_goes_on_before_what_is_ready_of_equal_priority_and_behind_higher_ones) {
    const this_core core;
    waiting w;
    log seen;
    receive_by wait = [&](em_event_t e, em_queue_t) {
        EXPECT_EQ(w.wait(e, value_of(e)), EM_OK);
        seen.add(free_value(e));
    };
    const receiver normal = make_receiver(wait, EM_QUEUE_TYPE_PARALLEL);
    const receiver low = make_receiver(wait, EM_QUEUE_TYPE_PARALLEL, EM_QUEUE_GROUP_DEFAULT, EM_QUEUE_PRIO_LOW);
    send_value(1, normal.queue);
    send_value(2, low.queue);
    send_value(3, normal.queue);
    this_core::dispatch(3);
    receive_by note = [&](em_event_t e, em_queue_t) { seen.add(free_value(e)); };
    for (const int i : {10, 11}) {
        send_value(i, make_receiver(note, EM_QUEUE_TYPE_PARALLEL, EM_QUEUE_GROUP_DEFAULT, EM_QUEUE_PRIO_LOW).queue);
        send_value(i + 10, make_receiver(note, EM_QUEUE_TYPE_PARALLEL).queue);
        send_value(i + 20,
                   make_receiver(note, EM_QUEUE_TYPE_PARALLEL, EM_QUEUE_GROUP_DEFAULT, EM_QUEUE_PRIO_HIGH).queue);
    }
    for (const int i : {2, 3, 1}) {
        EXPECT_EQ(w.resume(i), EM_OK);
    }
    this_core::dispatch_until([&] { return seen.size() == 9; });
    EXPECT_THAT(seen.all(), ElementsAre(30, 31, 3, 1, 20, 21, 2, 10, 11));
}

TEST(cooperative_alone, one_of_low_priority_does_not_wait_for_ever) {
    const with_options options([](skerry_em_options_t& o) {
        o.cooperative = 1;
        o.starvation = 3;
    });
    const this_core core;
    waiting w;
    log seen;
    receive_by wait = [&](em_event_t e, em_queue_t) {
        EXPECT_EQ(w.wait(e, 0), EM_OK);
        seen.add(free_value(e));
    };
    send_value(1, make_receiver(wait, EM_QUEUE_TYPE_PARALLEL, EM_QUEUE_GROUP_DEFAULT, EM_QUEUE_PRIO_LOW).queue);
    this_core::dispatch(1);
    receive_by again = [&](em_event_t e, em_queue_t q) {
        if (seen.size() == 0) {
            EXPECT_EQ(em_send(e, q), EM_OK);
        } else {
            em_free(e);
        }
    };
    send_value(0, make_receiver(again, EM_QUEUE_TYPE_PARALLEL, EM_QUEUE_GROUP_DEFAULT, EM_QUEUE_PRIO_HIGH).queue);
    EXPECT_EQ(w.resume(0), EM_OK);
    this_core::dispatch_until([&] { return seen.size() == 1; });
    this_core::dispatch(1);
}

TEST_F(cooperative, a_core_that_sleeps_is_woken) {
    const bare_machine machine(1);
    waiting w;
    std::atomic<bool> over{false};
    receive_by wait = [&](em_event_t e, em_queue_t) {
        EXPECT_EQ(w.wait(e, 0), EM_OK);
        em_free(e);
        over = true;
    };
    const receiver r = make_receiver(wait, EM_QUEUE_TYPE_PARALLEL);
    receive_by last = [](em_event_t e, em_queue_t) { em_free(e); };
    const receiver end = make_receiver(last, EM_QUEUE_TYPE_PARALLEL);
    std::thread core([&] {
        const core_scope is_a_core;
        EXPECT_EQ(em_dispatch_events(2, nullptr, nullptr), EM_OK); // sleeps for as long as it takes
    });
    send_value(0, r.queue);
    cores::until([&] { return w.count() == 1; });
    std::this_thread::sleep_for(std::chrono::milliseconds(2)); // most likely it sleeps
    EXPECT_EQ(w.resume(0), EM_OK);
    wait_for(over);
    send_value(0, end.queue);
    core.join();
}

TEST_F(cooperative, a_thousand_on_three_cores_each_go_on_where_they_were) {
    constexpr int count = 1000;
    const cores machine(3, 2 * count);
    waiting w;
    std::atomic<int> ended{0};
    std::atomic<int> strayed{0};
    receive_by wait = [&](em_event_t e, em_queue_t) {
        const std::thread::id thread = std::this_thread::get_id();
        const int core = em_core_id();
        const int value = value_of(e);
        EXPECT_EQ(w.wait(e, value), EM_OK);
        strayed += thread != std::this_thread::get_id() || core != em_core_id() || value != value_of(e) ? 1 : 0;
        em_free(e);
        ++ended;
    };
    const receiver r = make_receiver(wait, EM_QUEUE_TYPE_PARALLEL);
    for (int i = 0; i < count; ++i) {
        send_value(i, r.queue);
    }
    cores::until([&] { return w.count() == count; });
    for (int i = 0; i < count; ++i) {
        EXPECT_EQ(w.resume((i * 7) % count), EM_OK);
    }
    cores::until([&] { return ended == count; });
    EXPECT_EQ(strayed, 0);
}

TEST_F(cooperative, many_resumes_and_suspends_at_the_same_time_lose_none) {
    constexpr int calls = 8;
    constexpr int turns = 300;
    const cores machine(2);
    std::atomic<int> ended{0};
    std::array<std::atomic<em_event_t>, calls> ready{};
    receive_by wait = [&](em_event_t e, em_queue_t) {
        const int value = value_of(e);
        for (int turn = 0; turn < turns; ++turn) {
            ready[static_cast<std::size_t>(value)] = e; // from here on it may be resumed
            EXPECT_EQ(skerry_em_suspend(), EM_OK);
        }
        em_free(e);
        ++ended;
    };
    const receiver r = make_receiver(wait, EM_QUEUE_TYPE_PARALLEL_ORDERED);
    for (int i = 0; i < calls; ++i) {
        send_value(i, r.queue);
    }
    slow_wait wait_here(std::source_location::current());
    while (ended != calls) {
        for (std::atomic<em_event_t>& each : ready) {
            if (const em_event_t e = each.exchange(EM_EVENT_UNDEF)) {
                EXPECT_EQ(skerry_em_resume(e), EM_OK);
            }
        }
        wait_here.look();
    }
}

// --- stacks
// ------------------------------------------------------------------------------------------------------------

TEST_F(cooperative, stacks_are_used_again) {
    const this_core core;
    waiting w;
    std::set<const void*> stacks;
    int ended = 0;
    receive_by wait = [&](em_event_t e, em_queue_t) {
        stacks.insert(__builtin_frame_address(0));
        EXPECT_EQ(w.wait(e, 0), EM_OK);
        em_free(e);
        ++ended;
    };
    const receiver r = make_receiver(wait, EM_QUEUE_TYPE_PARALLEL);
    for (int i = 0; i < 20; ++i) {
        send_value(0, r.queue);
        this_core::dispatch(1);
        EXPECT_EQ(w.resume(0), EM_OK);
        this_core::dispatch_until([&] { return ended == i + 1; });
    }
    EXPECT_LE(stacks.size(), 2U);
}

TEST_F(cooperative, who_is_never_suspended_runs_on_the_loops_stack) {
    const this_core core;
    std::set<const void*> stacks;
    receive_by note = [&](em_event_t e, em_queue_t) {
        stacks.insert(__builtin_frame_address(0));
        em_free(e);
    };
    const receiver r = make_receiver(note, EM_QUEUE_TYPE_PARALLEL);
    for (int i = 0; i < 20; ++i) {
        send_value(0, r.queue);
        this_core::dispatch(1);
    }
    EXPECT_EQ(stacks.size(), 1U);
}

// --- whose the event is
// ------------------------------------------------------------------------------------------------

TEST(cooperative_alone, the_handle_that_was_received_resumes_also_if_the_event_is_elsewhere) {
    const with_options options([](skerry_em_options_t& o) {
        o.cooperative = 1;
        o.esv = 0;
    });
    const this_core core;
    waiting w;
    log seen;
    receive_by wait = [&](em_event_t e, em_queue_t) {
        const int value = value_of(e);
        EXPECT_EQ(w.wait(e, value), EM_OK);
        seen.add(value);
    };
    const receiver r = make_receiver(wait, EM_QUEUE_TYPE_PARALLEL);
    const em_event_t e = make_event(1);
    EXPECT_EQ(em_send(e, r.queue), EM_OK);
    this_core::dispatch(1);
    *static_cast<int*>(em_event_pointer(e)) = 2;
    EXPECT_EQ(em_send(e, r.queue), EM_OK); // by somebody who has the handle
    this_core::dispatch(1);
    EXPECT_EQ(w.resume(1), EM_OK); // who was suspended first
    this_core::dispatch_until([&] { return seen.size() == 1; });
    EXPECT_EQ(w.resume(2), EM_OK);
    this_core::dispatch_until([&] { return seen.size() == 2; });
    EXPECT_THAT(seen.all(), ElementsAre(1, 2));
    em_free(e);
}

TEST(cooperative_alone, verification_finds_an_event_that_is_not_the_calls) {
    const with_options options([](skerry_em_options_t& o) {
        o.cooperative = 1;
        o.esv = 1;
    });
    const this_core core;
    waiting w;
    log seen;
    em_event_t received = EM_EVENT_UNDEF;
    receive_by wait = [&](em_event_t e, em_queue_t) {
        received = e;
        if (value_of(e) == 1) {
            em_free(e);
            EXPECT_EQ(skerry_em_suspend(), status_of(EM_ERR_EVENT_STATE)); // at once
        } else {
            EXPECT_EQ(w.wait(e, 0), status_of(EM_ERR_EVENT_STATE));
        }
        expect_error(EM_ERR_EVENT_STATE, "skerry_em_suspend: event ");
        seen.add(1);
    };
    const receiver r = make_receiver(wait, EM_QUEUE_TYPE_PARALLEL);
    send_value(1, r.queue);
    this_core::dispatch(1);
    EXPECT_EQ(seen.size(), 1U);
    send_value(2, r.queue);
    this_core::dispatch(1);
    em_free(received);
    EXPECT_EQ(w.resume(0), EM_OK); // by the handle that it has received
    this_core::dispatch_until([&] { return seen.size() == 2; });
}

} // namespace
} // namespace skerry::test
