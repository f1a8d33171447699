// SPDX-License-Identifier: Apache-2.0

// Hooks: what they are told, in which order, and how many there may be.

#include <array>
#include <atomic>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "cores.hpp"
#include "this_core.hpp"

namespace skerry::test {
namespace {

// What was called since the last take(), in its order; on one thread.
std::vector<std::string> calls;
std::vector<std::string> take() { return std::exchange(calls, {}); }

void on_alloc(const em_event_t events[], int num_act, int num_req, std::uint32_t size, em_event_type_t type,
              em_pool_t pool) {
    EXPECT_NE(events[0], EM_EVENT_UNDEF);
    EXPECT_EQ(type, static_cast<em_event_type_t>(EM_EVENT_TYPE_SW));
    EXPECT_EQ(pool, EM_POOL_DEFAULT);
    calls.push_back("alloc " + std::to_string(num_act) + " of " + std::to_string(num_req) + ", " +
                    std::to_string(size) + " bytes");
}
void on_second_alloc(const em_event_t* /*events*/, int /*act*/, int /*req*/, std::uint32_t /*size*/,
                     em_event_type_t /*type*/, em_pool_t /*pool*/) {
    calls.emplace_back("second alloc");
}
void on_free(const em_event_t events[], int num) {
    EXPECT_NE(em_event_pointer(events[0]), nullptr); // it is still there
    calls.push_back("free " + std::to_string(num));
}
void on_send(const em_event_t events[], int num, em_queue_t /*queue*/, em_event_group_t group) {
    EXPECT_NE(em_event_pointer(events[0]), nullptr);
    calls.push_back("send " + std::to_string(num) + (group != EM_EVENT_GROUP_UNDEF ? " to a group" : ""));
}
void on_to_idle(std::uint64_t delay_ns) {
    EXPECT_EQ(delay_ns, 0U);
    calls.emplace_back("to idle");
}
void on_to_active() { calls.emplace_back("to active"); }
void on_while_idle() { calls.emplace_back("while idle"); }

void receive(void* /*ctx*/, em_event_t event, em_event_type_t /*type*/, em_queue_t /*queue*/, void* /*q*/) {
    calls.emplace_back("receive");
    em_free(event);
}

TEST(hooks, of_allocations_frees_and_sends) {
    this_core core(2);
    const receiver r = make_receiver(receive, nullptr, EM_QUEUE_TYPE_ATOMIC);
    ASSERT_EQ(em_hooks_register_alloc(on_alloc), EM_OK);
    ASSERT_EQ(em_hooks_register_free(on_free), EM_OK);
    ASSERT_EQ(em_hooks_register_send(on_send), EM_OK);
    const std::array<em_event_t, 2> both{em_alloc(5, EM_EVENT_TYPE_SW, EM_POOL_DEFAULT), make_event()};
    EXPECT_EQ(make_event(), EM_EVENT_UNDEF); // and no hook
    EXPECT_EQ(take_errors().size(), 1U);
    EXPECT_THAT(take(), testing::ElementsAre("alloc 1 of 1, 5 bytes", "alloc 1 of 1, 8 bytes"));
    em_free(EM_EVENT_UNDEF);
    EXPECT_EQ(em_send(both[0], EM_QUEUE_UNDEF), status_of(EM_ERR_BAD_ID));
    EXPECT_EQ(take_errors().size(), 2U);
    EXPECT_TRUE(take().empty());
    const em_event_group_t group = em_event_group_create();
    ASSERT_EQ(em_event_group_apply(group, 2, 0, nullptr), EM_OK);
    ASSERT_EQ(em_send_group_multi(both.data(), 2, r.queue, group), 2);
    EXPECT_THAT(take(), testing::ElementsAre("send 2 to a group"));
    this_core::dispatch(2);
    EXPECT_THAT(take(), testing::ElementsAre("receive", "free 1", "receive", "free 1"));
    ASSERT_EQ(em_send(make_event(), r.queue), EM_OK);
    EXPECT_THAT(take(), testing::ElementsAre("alloc 1 of 1, 8 bytes", "send 1"));
    ASSERT_EQ(em_hooks_unregister_alloc(on_alloc), EM_OK);
    ASSERT_EQ(em_hooks_unregister_free(on_free), EM_OK);
    ASSERT_EQ(em_hooks_unregister_send(on_send), EM_OK);
    ASSERT_EQ(em_send(make_event(), r.queue), EM_OK);
    this_core::dispatch(2);
    EXPECT_THAT(take(), testing::ElementsAre("receive", "receive"));
}

TEST(hooks, are_called_in_the_order_of_registration_and_as_often) {
    this_core core;
    ASSERT_EQ(em_hooks_register_alloc(on_second_alloc), EM_OK);
    ASSERT_EQ(em_hooks_register_alloc(on_alloc), EM_OK);
    ASSERT_EQ(em_hooks_register_alloc(on_second_alloc), EM_OK);
    em_free(make_event());
    EXPECT_THAT(take(), testing::ElementsAre("second alloc", "alloc 1 of 1, 8 bytes", "second alloc"));
    ASSERT_EQ(em_hooks_unregister_alloc(on_second_alloc), EM_OK); // the first
    em_free(make_event());
    EXPECT_THAT(take(), testing::ElementsAre("alloc 1 of 1, 8 bytes", "second alloc"));
}

TEST(hooks, of_a_start_function_are_called_when_it_has_returned) {
    this_core core;
    static em_queue_t queue;
    static em_event_group_t group;
    group = em_event_group_create();
    ASSERT_EQ(em_event_group_apply(group, 1, 0, nullptr), EM_OK);
    ASSERT_EQ(em_hooks_register_send(on_send), EM_OK);
    const em_eo_t eo = em_eo_create(
        "starts",
        [](void*, em_eo_t, const em_eo_conf_t*) -> em_status_t {
            EXPECT_EQ(em_send(make_event(), queue), EM_OK);
            EXPECT_EQ(em_send_group(make_event(), queue, group), EM_OK);
            calls.emplace_back("started");
            return EM_OK;
        },
        nullptr, stop_nothing, nullptr, receive, nullptr);
    queue = em_queue_create("q", EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_PRIO_NORMAL, EM_QUEUE_GROUP_DEFAULT, nullptr);
    ASSERT_EQ(em_eo_add_queue_sync(eo, queue), EM_OK);
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    EXPECT_THAT(take(), testing::ElementsAre("started", "send 1", "send 1 to a group"));
}

TEST(hooks, of_the_configuration_tell_when_a_core_goes_idle_and_active) {
    {
        this_core core(4, [](em_conf_t& conf) {
            conf.api_hooks = {on_alloc, on_free, on_send};
            conf.idle_hooks = {on_to_idle, on_to_active, on_while_idle};
        });
        const receiver r = make_receiver(receive, nullptr, EM_QUEUE_TYPE_ATOMIC);
        ASSERT_EQ(em_send(make_event(), r.queue), EM_OK);
        this_core::dispatch(1); // a core is active at first
        EXPECT_THAT(take(), testing::ElementsAre("alloc 1 of 1, 8 bytes", "send 1", "receive", "free 1"));
        static_cast<void>(em_dispatch(1)); // without events
        std::vector<std::string> seen = take();
        ASSERT_FALSE(seen.empty());
        EXPECT_EQ(seen[0], "to idle");
        seen.erase(seen.begin());
        EXPECT_THAT(seen, testing::Each("while idle"));
        static_cast<void>(em_dispatch(1));
        seen = take();
        EXPECT_FALSE(seen.empty());
        EXPECT_THAT(seen, testing::Each("while idle"));
        ASSERT_EQ(em_send(make_event(), r.queue), EM_OK);
        static_cast<void>(take());
        this_core::dispatch(1);
        EXPECT_THAT(take(), testing::ElementsAre("to active", "receive", "free 1"));
    }
    this_core core; // the next machine has none
    em_free(make_event());
    EXPECT_TRUE(take().empty());
}

TEST(hooks, there_are_at_most_eight_of_a_kind) {
    this_core core;
    const auto fill = [](auto add, auto func) {
        for (int i = 0; i < EM_CALLBACKS_MAX; ++i) {
            EXPECT_EQ(add(func), EM_OK);
        }
        EXPECT_EQ(add(func), status_of(EM_ERR_ALLOC_FAILED));
    };
    fill(em_hooks_register_alloc, on_alloc);
    expect_error(EM_ERR_ALLOC_FAILED, "em_hooks_register_alloc: there are 8 hooks of the kind already");
    fill(em_hooks_register_free, on_free);
    expect_error(EM_ERR_ALLOC_FAILED, "em_hooks_register_free: there are 8 hooks of the kind already");
    fill(em_hooks_register_send, on_send);
    expect_error(EM_ERR_ALLOC_FAILED, "em_hooks_register_send: there are 8 hooks of the kind already");
    fill(em_hooks_register_to_idle, on_to_idle);
    expect_error(EM_ERR_ALLOC_FAILED, "em_hooks_register_to_idle: there are 8 hooks of the kind already");
    fill(em_hooks_register_to_active, on_to_active);
    expect_error(EM_ERR_ALLOC_FAILED, "em_hooks_register_to_active: there are 8 hooks of the kind already");
    fill(em_hooks_register_while_idle, on_while_idle);
    expect_error(EM_ERR_ALLOC_FAILED, "em_hooks_register_while_idle: there are 8 hooks of the kind already");
    for (int i = 0; i < EM_CALLBACKS_MAX; ++i) {
        EXPECT_EQ(em_hooks_unregister_to_idle(on_to_idle), EM_OK);
        EXPECT_EQ(em_hooks_unregister_to_active(on_to_active), EM_OK);
        EXPECT_EQ(em_hooks_unregister_while_idle(on_while_idle), EM_OK);
    }
    static_cast<void>(em_dispatch(1));
    EXPECT_TRUE(take().empty());
}

std::atomic<int> sent{0};
void count_sent(const em_event_t* /*events*/, int num, em_queue_t /*queue*/, em_event_group_t /*group*/) {
    sent += num;
}

TEST(hooks, come_and_go_while_others_send) {
    cores machine(2, 64);
    std::atomic<int> received{0};
    const receiver r = make_receiver(
        [](void* context, em_event_t event, em_event_type_t, em_queue_t queue, void*) {
            if (++*static_cast<std::atomic<int>*>(context) >= 2000 || em_send(event, queue) != EM_OK) {
                em_free(event); // the queue may be closed by now
            }
        },
        &received, EM_QUEUE_TYPE_PARALLEL);
    sent = 0;
    ASSERT_EQ(em_hooks_register_send(count_sent), EM_OK);
    for (int i = 0; i < 4; ++i) {
        ASSERT_EQ(em_send(make_event(), r.queue), EM_OK);
    }
    while (received < 2000) {
        ASSERT_EQ(em_hooks_register_send(count_sent), EM_OK); // for a while called twice
        ASSERT_EQ(em_hooks_unregister_send(count_sent), EM_OK);
    }
    ASSERT_EQ(em_eo_stop_sync(r.eo), EM_OK);
    EXPECT_GE(sent, 2000); // one was there all the time
    static_cast<void>(take_errors());
}

TEST(hooks, refusals) {
    {
        this_core core;
        EXPECT_EQ(em_hooks_register_free(nullptr), status_of(EM_ERR_BAD_POINTER));
        expect_error(EM_ERR_BAD_POINTER, "em_hooks_register_free: a null pointer");
        EXPECT_EQ(em_hooks_unregister_send(on_send), status_of(EM_ERR_NOT_FOUND));
        expect_error(EM_ERR_NOT_FOUND, "em_hooks_unregister_send: it is not registered");
        EXPECT_EQ(em_hooks_unregister_to_idle(on_to_idle), status_of(EM_ERR_NOT_FOUND));
        expect_error(EM_ERR_NOT_FOUND, "em_hooks_unregister_to_idle: it is not registered");
    }
    ASSERT_EQ(em_register_error_handler(keep_error), EM_OK);
    EXPECT_EQ(em_hooks_register_alloc(on_alloc), status_of(EM_ERR_NOT_INITIALIZED));
    expect_error(EM_ERR_NOT_INITIALIZED, "em_hooks_register_alloc: em_init() was not called");
    static_cast<void>(em_unregister_error_handler());
}

} // namespace
} // namespace skerry::test
