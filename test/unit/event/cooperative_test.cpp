// SPDX-License-Identifier: Apache-2.0

// Co-operative dispatch: receive functions that are suspended and go on.

#include <array>
#include <exception>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

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

// --- stacks

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

TEST(cooperative_alone, the_handle_that_was_received_resumes_also_if_the_event_is_elsewhere) {
    const with_cooperative options([](skerry_em_options_t& o) { o.esv = 0; });
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

TEST(cooperative_alone, who_is_resumed_ahead_need_not_be_the_only_one_who_has_had_the_handle) {
    const with_cooperative options([](skerry_em_options_t& o) { o.esv = 0; });
    const cores machine(2);
    std::atomic<bool> over{false};
    std::atomic<bool> left{false};
    receive_by ask = [&](em_event_t e, em_queue_t) {
        EXPECT_EQ(skerry_em_resume(e), EM_OK); // the function that has sent it runs still
        EXPECT_EQ(skerry_em_suspend(), EM_OK);
        em_free(e);
        over = true;
    };
    const em_core_mask_t first = mask_of(1);
    const em_core_mask_t second = mask_of(2);
    const receiver last = make_receiver(ask, EM_QUEUE_TYPE_PARALLEL, em_queue_group_create_sync("second", &second));
    receive_by pass_on = [&](em_event_t e, em_queue_t) {
        EXPECT_EQ(em_send(e, last.queue), EM_OK);
        wait_for(over);
        left = true;
    };
    send_value(1, make_receiver(pass_on, EM_QUEUE_TYPE_PARALLEL, em_queue_group_create_sync("first", &first)).queue);
    wait_for(left);
}

TEST(cooperative_alone, verification_finds_an_event_that_is_not_the_calls) {
    const with_cooperative options([](skerry_em_options_t& o) { o.esv = 1; });
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
