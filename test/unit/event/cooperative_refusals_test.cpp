// SPDX-License-Identifier: Apache-2.0

// Co-operative dispatch: what is refused.

#include <array>
#include <atomic>
#include <cstdio>
#include <string>
#include <thread>

#include <gmock/gmock.h>

#include <skerry/skerry.hpp>

#include "base/port/memory.hpp"
#include "cooperative.hpp"
#include "this_core.hpp"

namespace skerry::test {
namespace {

void expect_no_suspend(const std::string& why) {
    EXPECT_EQ(skerry_em_suspend(), status_of(EM_ERR_BAD_CONTEXT));
    expect_error(EM_ERR_BAD_CONTEXT, why);
}

// Receives one event by the function.
void receive_one(const receive_by& f, em_queue_type_t type = EM_QUEUE_TYPE_PARALLEL) {
    receive_by all = [&](em_event_t e, em_queue_t q) {
        f(e, q);
        em_free(e);
    };
    const receiver r = make_receiver(all, type);
    send_value(0, r.queue);
    this_core::dispatch(1);
    EXPECT_EQ(em_eo_stop_sync(r.eo), EM_OK);
}

TEST(cooperative_alone, nothing_of_it_without_the_machine_and_without_the_option) {
    ASSERT_EQ(em_register_error_handler(keep_error), EM_OK);
    EXPECT_EQ(skerry_em_suspend(), status_of(EM_ERR_NOT_INITIALIZED));
    expect_error(EM_ERR_NOT_INITIALIZED, "skerry_em_suspend: em_init() was not called");
    EXPECT_EQ(skerry_em_resume(EM_EVENT_UNDEF), status_of(EM_ERR_NOT_INITIALIZED));
    expect_error(EM_ERR_NOT_INITIALIZED, "skerry_em_resume: em_init() was not called");
    const with_options off([](skerry_em_options_t& o) { o.cooperative = 0; });
    const this_core core;
    receive_one([](em_event_t e, em_queue_t) {
        EXPECT_EQ(skerry_em_suspend(), status_of(EM_ERR_BAD_STATE));
        expect_error(EM_ERR_BAD_STATE, "skerry_em_suspend: the option cooperative is off");
        EXPECT_EQ(skerry_em_resume(e), status_of(EM_ERR_BAD_STATE));
        expect_error(EM_ERR_BAD_STATE, "skerry_em_resume: the option cooperative is off");
    });
}

em_status_t suspend_in_start(void*, em_eo_t, const em_eo_conf_t*) {
    expect_no_suspend("skerry_em_suspend: outside of a receive function");
    return EM_OK;
}
em_status_t suspend_in_stop(void*, em_eo_t) {
    expect_no_suspend("skerry_em_suspend: outside of a receive function");
    return EM_OK;
}
void suspend_at_exit(em_eo_t) { expect_no_suspend("skerry_em_suspend: outside of a receive function"); }

TEST_F(cooperative, not_outside_of_a_receive_function) {
    const this_core core;
    expect_no_suspend("skerry_em_suspend: outside of a receive function");
    std::thread([] { expect_no_suspend("skerry_em_suspend: outside of a receive function"); }).join();
    receive_by none = [](em_event_t e, em_queue_t) { em_free(e); };
    const em_eo_t eo =
        em_eo_create("e", suspend_in_start, nullptr, suspend_in_stop, nullptr, receive_by_function, &none);
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    ASSERT_EQ(em_eo_stop_sync(eo), EM_OK);
    ASSERT_EQ(em_dispatch_register_exit_cb(suspend_at_exit), EM_OK);
    receive_one([](em_event_t, em_queue_t) {});
    ASSERT_EQ(em_dispatch_unregister_exit_cb(suspend_at_exit), EM_OK);
}

TEST_F(cooperative, not_with_several_events) {
    const this_core core;
    const auto receive = [](void*, em_event_t events[], int num, em_queue_t, void*) {
        expect_no_suspend(
            "skerry_em_suspend: the receive function has received several events at once (em_eo_create_multircv)");
        EXPECT_EQ(skerry_em_resume(events[0]), status_of(EM_ERR_NOT_FOUND));
        static_cast<void>(take_errors());
        em_free_multi(events, num);
    };
    em_eo_multircv_param_t param;
    em_eo_multircv_param_init(&param);
    param.start = start_nothing;
    param.stop = stop_nothing;
    param.receive_multi = receive;
    const em_eo_t eo = em_eo_create_multircv("e", &param);
    const em_queue_t queue = add_queue(eo, make_queue(EM_QUEUE_TYPE_PARALLEL));
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    send_value(0, queue);
    this_core::dispatch(1);
}

TEST_F(cooperative, not_inside_of_a_construct) {
    const this_core core;
    const char* const text =
        "skerry_em_suspend: inside of a construct: a finish, a loop, a fork, a task, blocking() or run()";
    receive_one([&](em_event_t, em_queue_t) {
        skerry::finish([&](skerry::scope&) { expect_no_suspend(text); });
        std::atomic<int> refused{0};
        std::atomic<bool> over{false};
        skerry::parallel_invoke(
            [&] {
                expect_no_suspend(text);
                over = true;
            },
            [&] { wait_for(over); });
        skerry::parallel_for(0, 2, [&](int i) {
            if (i == 0) { // the other one has not ended
                refused += skerry_em_suspend() == EM_ERR_BAD_CONTEXT ? 1 : 0;
            }
        });
        EXPECT_EQ(refused, 1);
        EXPECT_NE(take_errors().at(0).text.find("skerry_em_suspend: inside of a "), std::string::npos);
        skerry::blocking([&] { expect_no_suspend(text); });
        skerry::runtime own(skerry::options{.workers = 1});
        own.run([&] { expect_no_suspend(text); });
    });
}

TEST_F(cooperative, not_inside_of_a_task) {
    const this_core core;
    receive_one([&](em_event_t, em_queue_t) {
        std::atomic<bool> over{false};
        int mine = 0;
        skerry::spawn(
            [&](int&) {
                EXPECT_EQ(skerry_em_suspend(), status_of(EM_ERR_BAD_CONTEXT));
                over = true;
            },
            skerry::inout(mine));
        skerry::taskwait();
        EXPECT_TRUE(over);
        const std::string said = take_errors().at(0).text; // on another thread, or on this one
        EXPECT_TRUE(
            said == "skerry_em_suspend: inside of a task" ||
            said ==
                std::string(
                    "skerry_em_suspend: inside of a construct: a finish, a loop, a fork, a task, blocking() or run()"))
            << said;
    });
}

TEST_F(cooperative, not_with_children_that_have_not_ended) {
    const this_core core;
    const char* const text =
        "skerry_em_suspend: the receive function has begun tasks that have not ended; wait for them before";
    receive_one([&](em_event_t, em_queue_t) {
        std::atomic<bool> over{false};
        int mine = 0;
        skerry::spawn([&](int&) { wait_for(over); }, skerry::inout(mine));
        expect_no_suspend(text);
        over = true;
        skerry::taskwait();
        over = false;
        auto later = skerry::submit([&] { wait_for(over); });
        expect_no_suspend(text);
        over = true;
        later.get();
        EXPECT_EQ(skerry_em_resume(EM_EVENT_UNDEF), status_of(EM_ERR_BAD_ARG));
        expect_error(EM_ERR_BAD_ARG, "skerry_em_resume: no event");
    });
}

TEST_F(cooperative, not_if_dispatch_was_called_inside_of_a_construct) {
    const this_core core;
    skerry::finish([&](skerry::scope&) {
        receive_one([&](em_event_t, em_queue_t) {
            expect_no_suspend("skerry_em_suspend: em_dispatch() was called inside of a construct");
        });
    });
}

TEST_F(cooperative, resuming_twice_and_what_nobody_has_received) {
    const this_core core;
    waiting w;
    em_event_t received = EM_EVENT_UNDEF;
    const auto expect_twice = [&] {
        EXPECT_EQ(skerry_em_resume(received), status_of(EM_ERR_BAD_STATE));
        std::array<char, 32> name{};
        std::snprintf(name.data(), name.size(), "%p", static_cast<void*>(received));
        expect_error(EM_ERR_BAD_STATE, std::string("skerry_em_resume: event ") + name.data() +
                                           " was resumed before, and its receive function has not gone on");
    };
    const auto expect_nobody = [&](em_event_t e) {
        EXPECT_EQ(skerry_em_resume(e), status_of(EM_ERR_NOT_FOUND));
        expect_error(EM_ERR_NOT_FOUND,
                     "skerry_em_resume: no receive function that runs or is suspended has received event 0x");
    };
    int ended = 0;
    receive_by wait = [&](em_event_t e, em_queue_t) {
        received = e;
        EXPECT_EQ(skerry_em_resume(e), EM_OK);
        expect_twice();
        EXPECT_EQ(skerry_em_suspend(), EM_OK);
        EXPECT_EQ(skerry_em_suspend(), EM_OK);
        ++ended;
    };
    const receiver r = make_receiver(wait, EM_QUEUE_TYPE_PARALLEL);
    const em_event_t e = make_event(1);
    expect_nobody(e);
    EXPECT_EQ(em_send(e, r.queue), EM_OK);
    this_core::dispatch(1);
    EXPECT_EQ(skerry_em_resume(received), EM_OK);
    expect_twice();
    this_core::dispatch_until([&] { return ended == 1; });
    expect_nobody(received);
    em_free(received);
}

// A core that waits for a branch which another one has taken runs what that branch has begun.
TEST_F(cooperative, not_in_a_branch_of_a_branch_that_another_core_runs) {
    const cores machine(2);
    std::atomic<bool> begun{false};
    std::atomic<bool> asked{false};
    std::atomic<bool> over{false};
    receive_by f = [&](em_event_t e, em_queue_t) {
        const std::thread::id here = std::this_thread::get_id();
        const auto ask = [&] {
            if (std::this_thread::get_id() == here && !asked) {
                EXPECT_EQ(skerry_em_suspend(), status_of(EM_ERR_BAD_CONTEXT));
                asked = true;
            }
            std::this_thread::yield(); // so that others take the other one
        };
        const auto branch = [&] {
            if (std::this_thread::get_id() == here) {
                wait_for(begun);
                return;
            }
            begun = true;
            while (!asked) {
                skerry::parallel_invoke(ask, ask);
            }
        };
        skerry::parallel_invoke(branch, branch);
        em_free(e);
        over = true;
    };
    send_value(1, make_receiver(f, EM_QUEUE_TYPE_PARALLEL).queue);
    wait_for(over);
    expect_error(EM_ERR_BAD_CONTEXT, "skerry_em_suspend: inside of a construct");
}

TEST(cooperative_alone, not_more_than_the_option_says) {
    const with_cooperative two([](skerry_em_options_t& o) { o.suspended_max = 2; });
    const this_core core;
    waiting w;
    int refused = 0;
    int ended = 0;
    receive_by wait = [&](em_event_t e, em_queue_t) {
        const int value = value_of(e);
        const em_status_t status = w.wait(e, value);
        refused += status == EM_ERR_ALLOC_FAILED ? 1 : 0;
        ++ended;
        em_free(e);
    };
    const receiver r = make_receiver(wait, EM_QUEUE_TYPE_PARALLEL);
    for (int i = 0; i < 3; ++i) {
        send_value(i, r.queue);
    }
    this_core::dispatch(3);
    EXPECT_EQ(refused, 1);
    expect_error(EM_ERR_ALLOC_FAILED, "skerry_em_suspend: 2 receive functions are suspended already; raise "
                                      "suspended_max of skerry_em_options_t or SKERRY_EM_SUSPENDED_MAX");
    EXPECT_EQ(w.resume(0), EM_OK);
    this_core::dispatch_until([&] { return ended == 2; });
    send_value(3, r.queue);
    this_core::dispatch(1);
    EXPECT_EQ(refused, 1); // there is room again
    for (const int i : {1, 3}) {
        EXPECT_EQ(w.resume(i), EM_OK);
    }
    this_core::dispatch_until([&] { return ended == 4; });
}

TEST_F(cooperative, without_memory_for_a_stack) {
    const bare_machine machine(1);
    port::fail_memory_after(0);
    EXPECT_EQ(em_init_core(), status_of(EM_ERR_ALLOC_FAILED));
    port::fail_memory_after(-1);
    expect_error(EM_ERR_ALLOC_FAILED, "em_init_core: there is no memory");
    EXPECT_EQ(em_core_id(), -1);
    const core_scope is_a_core;
    waiting w;
    log seen;
    receive_by wait = [&](em_event_t e, em_queue_t) {
        for (const int calls : {0, 1}) {
            port::fail_memory_after(calls);
            EXPECT_EQ(skerry_em_suspend(), status_of(EM_ERR_ALLOC_FAILED));
            port::fail_memory_after(-1);
            expect_error(EM_ERR_ALLOC_FAILED,
                         "skerry_em_suspend: there is no memory for one more stack of 262144 bytes");
        }
        EXPECT_EQ(w.wait(e, 0), EM_OK);
        seen.add(free_value(e));
    };
    const receiver r = make_receiver(wait, EM_QUEUE_TYPE_ATOMIC);
    send_value(1, r.queue);
    this_core::dispatch(1);
    EXPECT_EQ(w.resume(0), EM_OK);
    this_core::dispatch_until([&] { return seen.size() == 1; });
}

TEST_F(cooperative, not_in_run_while_a_stop_waits_for_what_is_suspended) {
    const this_core core;
    waiting w;
    log seen;
    receive_by wait = [&](em_event_t e, em_queue_t) {
        EXPECT_EQ(w.wait(e, 0), EM_OK);
        seen.add(free_value(e));
    };
    const receiver r = make_receiver(wait, EM_QUEUE_TYPE_PARALLEL);
    send_value(0, r.queue);
    this_core::dispatch(1);
    skerry::runtime own(skerry::options{.workers = 1});
    own.run([&] {
        EXPECT_EQ(em_eo_stop_sync(r.eo), status_of(EM_ERR_BAD_CONTEXT));
        expect_error(EM_ERR_BAD_CONTEXT, "em_eo_stop_sync: inside of run(), where receive functions that the core has "
                                         "suspended cannot go on; take the one without _sync");
    });
    EXPECT_EQ(w.resume(0), EM_OK);
    this_core::dispatch_until([&] { return seen.size() == 1; });
}

[[gnu::noinline]] int descend(int depth) { // NOLINT(misc-no-recursion)
    volatile char space[4096];
    space[0] = static_cast<char>(depth);
    return depth == 1'000'000 ? space[0] : descend(depth + 1) + space[0];
}

void overflow_a_stack() {
    const with_cooperative small([](skerry_em_options_t& o) { o.stack_size = std::size_t{64} << 10; });
    const this_core core;
    receive_one([](em_event_t, em_queue_t) { static_cast<void>(descend(0)); });
}

TEST(CooperativeDeathTest, a_stack_that_is_too_small_is_named) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(
        overflow_a_stack(),
        testing::HasSubstr("skerry: stack overflow in a receive function (stack of 64 KiB); raise stack_size of "
                           "skerry_em_options_t or SKERRY_EM_STACK_SIZE"));
}

} // namespace
} // namespace skerry::test
