// SPDX-License-Identifier: Apache-2.0

// What waits for suspended receive functions: masks, stops, removals, and the end of their cores.

#include <atomic>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "cooperative.hpp"
#include "this_core.hpp"

namespace skerry::test {
namespace {

// A thread that has called f, which waits.
class waiter {
  public:
    template <class F>
    explicit waiter(F f)
        : thread_([this, f] {
              begun_ = true;
              f();
              over_ = true;
          }) {
        wait_for(begun_);
    }
    waiter(const waiter&) = delete;
    waiter& operator=(const waiter&) = delete;
    ~waiter() { thread_.join(); }
    [[nodiscard]] bool over() const { return over_; }

  private:
    std::atomic<bool> begun_{false};
    std::atomic<bool> over_{false};
    std::thread thread_;
};

// A core of which the receive functions of one object wait.
struct one_waits {
    explicit one_waits(em_queue_group_t group = EM_QUEUE_GROUP_DEFAULT)
        : queue(add_queue(eo, make_queue(EM_QUEUE_TYPE_ATOMIC, group))) {
        EXPECT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    }
    // They wait when this returns.
    void suspend(int count) const {
        for (int i = 0; i < count; ++i) {
            send_value(i, queue);
        }
    }

    waiting w;
    log seen;
    receive_by wait = [this](em_event_t e, em_queue_t) {
        EXPECT_EQ(w.wait(e, value_of(e)), EM_OK);
        seen.add(free_value(e));
    };
    em_eo_t eo = make_object(wait);
    em_queue_t queue;
};

TEST_F(cooperative, a_mask_is_new_when_what_is_suspended_beyond_it_has_ended) {
    const this_core core;
    const em_core_mask_t here = mask_of(1);
    const em_queue_group_t group = em_queue_group_create_sync("g", &here);
    one_waits o(group);
    one_waits other(group);
    o.suspend(1);
    other.suspend(1);
    this_core::dispatch(2);
    log told;
    receive_by tell = [&](em_event_t e, em_queue_t) { told.add(free_value(e)); };
    const receiver listener = make_receiver(tell, EM_QUEUE_TYPE_ATOMIC);
    const em_core_mask_t none = mask_of(0);
    em_notif_t then{make_event(7), listener.queue, EM_EVENT_GROUP_UNDEF};
    ASSERT_EQ(em_queue_group_modify(group, &none, 1, &then), EM_OK);
    EXPECT_EQ(o.w.resume(0), EM_OK); // it goes on beyond the mask
    this_core::dispatch_until([&] { return o.seen.size() == 1; });
    em_core_mask_t now{};
    EXPECT_EQ(em_queue_group_get_mask(group, &now), EM_OK);
    EXPECT_EQ(now.bits, 1U); // of the other one
    EXPECT_EQ(told.size(), 0U);
    EXPECT_EQ(other.w.resume(0), EM_OK);
    this_core::dispatch_until([&] { return told.size() == 1; });
    EXPECT_EQ(em_queue_group_get_mask(group, &now), EM_OK);
    EXPECT_EQ(now.bits, 0U);
}

TEST_F(cooperative, a_stop_waits_for_it) {
    const this_core core;
    one_waits o;
    o.suspend(1);
    this_core::dispatch(1);
    log told;
    receive_by tell = [&](em_event_t e, em_queue_t) { told.add(free_value(e)); };
    const receiver listener = make_receiver(tell, EM_QUEUE_TYPE_ATOMIC);
    em_notif_t then{make_event(7), listener.queue, EM_EVENT_GROUP_UNDEF};
    ASSERT_EQ(em_eo_stop(o.eo, 1, &then), EM_OK);
    static_cast<void>(em_dispatch_rounds(3, nullptr, nullptr));
    EXPECT_EQ(em_eo_get_state(o.eo), EM_EO_STATE_STOPPING);
    EXPECT_EQ(told.size(), 0U);
    EXPECT_EQ(o.w.resume(0), EM_OK);
    this_core::dispatch_until([&] { return told.size() == 1; });
    EXPECT_EQ(o.seen.size(), 1U);
    EXPECT_EQ(em_eo_get_state(o.eo), EM_EO_STATE_CREATED);
}

TEST_F(cooperative, a_queue_is_removed_and_deleted_when_it_has_ended) {
    const this_core core;
    one_waits o;
    o.suspend(1);
    this_core::dispatch(1);
    {
        const waiter remover([&] { EXPECT_EQ(em_eo_remove_queue_sync(o.eo, o.queue), EM_OK); });
        static_cast<void>(em_dispatch_rounds(3, nullptr, nullptr));
        EXPECT_FALSE(remover.over());
        EXPECT_EQ(o.w.resume(0), EM_OK);
        this_core::dispatch_until([&] { return remover.over(); });
    }
    EXPECT_EQ(o.seen.size(), 1U);
    EXPECT_EQ(em_queue_delete(o.queue), EM_OK);
}

// What waits for its turn, and what was sent to a local queue, is freed when its queue goes, also if the sender is
// suspended.
TEST_F(cooperative, what_it_has_sent_is_freed_with_its_target) {
    const this_core core(16);
    waiting w;
    log seen;
    receive_by note = [&](em_event_t e, em_queue_t) { seen.add(free_value(e)); };
    const em_eo_t eo = make_object(note);
    const em_queue_t target = add_queue(eo, make_queue(EM_QUEUE_TYPE_PARALLEL));
    const em_queue_t local = add_queue(eo, make_queue(EM_QUEUE_TYPE_LOCAL));
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    receive_by pass_on = [&](em_event_t e, em_queue_t) {
        const int value = value_of(e);
        if (value != 0) { // it has no turn before 0's
            send_value(10 + value, target);
            send_value(20 + value, local);
        }
        EXPECT_EQ(w.wait(e, value), EM_OK);
        em_free(e);
    };
    const receiver ordered = make_receiver(pass_on, EM_QUEUE_TYPE_PARALLEL_ORDERED);
    for (int i = 0; i < 3; ++i) {
        send_value(i, ordered.queue);
    }
    this_core::dispatch(3);
    ASSERT_EQ(em_eo_stop_sync(eo), EM_OK);
    expect_error(EM_ERR_BAD_STATE, "em_eo_stop: 4 events were freed, of queues from which nobody receives any more");
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(w.resume(i), EM_OK);
        static_cast<void>(em_dispatch_rounds(1, nullptr, nullptr));
    }
    EXPECT_EQ(seen.size(), 0U);
    EXPECT_EQ(free_events(16), 16U);
}

TEST_F(cooperative, a_core_that_waits_for_a_stop_goes_on_with_what_was_resumed) {
    const this_core core;
    one_waits o;
    one_waits second;
    o.suspend(1);
    second.suspend(2);
    this_core::dispatch(2);
    log order;
    receive_by note = [&](em_event_t e, em_queue_t) { order.add(free_value(e)); };
    const em_eo_t local_eo = make_object(note);
    const em_queue_t local = add_queue(local_eo, make_queue(EM_QUEUE_TYPE_LOCAL));
    ASSERT_EQ(em_eo_start_sync(local_eo, nullptr, nullptr), EM_OK);
    send_value(5, local); // it stays there meanwhile
    EXPECT_EQ(o.w.resume(0), EM_OK);
    EXPECT_EQ(second.w.resume(0), EM_OK);
    EXPECT_EQ(em_eo_stop_sync(o.eo), EM_OK);
    EXPECT_EQ(o.seen.size(), 1U);
    EXPECT_EQ(order.size(), 0U);
    this_core::dispatch_until([&] { return order.size() == 1; });
    this_core::dispatch_until([&] { return second.w.count() == 1; }); // the next event of the atomic queue
    EXPECT_EQ(second.w.resume(1), EM_OK);
    this_core::dispatch_until([&] { return second.seen.size() == 2; });
}

struct stops_another {
    em_eo_t other = EM_EO_UNDEF;
    int stopped = 0;
};
em_status_t stop_another(void* context, em_eo_t /*eo*/) {
    stops_another& s = *static_cast<stops_another*>(context);
    EXPECT_EQ(em_eo_stop_sync(s.other), EM_OK);
    ++s.stopped;
    return EM_OK;
}

// Who ends a stop is a receive function that went on; what its stop function waits for goes on above it.
TEST_F(cooperative, a_stop_function_that_waits_goes_on_with_what_was_resumed) {
    const this_core core;
    one_waits o;
    o.suspend(1);
    this_core::dispatch(1);
    stops_another s{o.eo};
    waiting w;
    struct both {
        stops_another& stops;
        waiting& all;
    };
    static both* the_both = nullptr;
    both b{s, w};
    the_both = &b;
    const auto receive = [](void*, em_event_t e, em_event_type_t, em_queue_t, void*) {
        EXPECT_EQ(the_both->all.wait(e, 0), EM_OK);
        em_free(e);
    };
    const em_eo_t eo = em_eo_create("stops", start_nothing, nullptr, stop_another, nullptr, receive, &s);
    const em_queue_t queue = add_queue(eo, make_queue(EM_QUEUE_TYPE_ATOMIC));
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    send_value(0, queue);
    this_core::dispatch(1);
    ASSERT_EQ(em_eo_stop(eo, 0, nullptr), EM_OK);
    EXPECT_EQ(w.resume(0), EM_OK);
    EXPECT_EQ(o.w.resume(0), EM_OK);
    this_core::dispatch_until([&] { return s.stopped == 1; });
    EXPECT_EQ(o.seen.size(), 1U);
    this_core::dispatch_until([&] { return em_eo_get_state(eo) == EM_EO_STATE_CREATED; });
}

TEST_F(cooperative, a_core_ends_when_its_suspended_calls_have_ended_and_receives_nothing_more) {
    const bare_machine machine(1);
    one_waits o;
    o.suspend(2); // 1 waits for 0, which holds the atomic queue
    std::atomic<bool> ends{false};
    {
        const waiter core([&] {
            ASSERT_EQ(em_init_core(), EM_OK);
            EXPECT_EQ(em_dispatch(1), 1U);
            ends = true;
            EXPECT_EQ(em_term_core(), EM_OK);
        });
        wait_for(ends);
        EXPECT_EQ(em_term(nullptr), status_of(EM_ERR_BAD_STATE));
        expect_error(EM_ERR_BAD_STATE, "em_term: 1 cores have not called em_term_core()");
        EXPECT_EQ(o.w.resume(0), EM_OK);
    }
    EXPECT_EQ(o.seen.all(), (std::vector<int>{0}));
    const core_scope another;
    EXPECT_EQ(em_dispatch(1), 1U);
    EXPECT_EQ(o.w.resume(1), EM_OK);
}

TEST_F(cooperative, an_ending_core_goes_on_as_often_as_it_is_suspended_again) {
    const bare_machine machine(1);
    waiting w;
    int turns = 0;
    receive_by wait = [&](em_event_t e, em_queue_t) {
        for (; turns < 10; ++turns) {
            EXPECT_EQ(w.wait(e, 0), EM_OK);
        }
        em_free(e);
    };
    const receiver r = make_receiver(wait, EM_QUEUE_TYPE_ATOMIC);
    send_value(0, r.queue);
    {
        const waiter core([&] {
            const core_scope is_a_core;
            EXPECT_EQ(em_dispatch(1), 1U);
        });
        for (int i = 0; i < 10; ++i) {
            cores::until([&] { return w.count() == 1; });
            EXPECT_EQ(w.resume(0), EM_OK);
        }
    }
    EXPECT_EQ(turns, 10);
}

// What a suspended call has held is for all when the core has left.
TEST_F(cooperative, other_cores_receive_what_an_ending_core_has_held) {
    const bare_machine machine(2);
    one_waits o;
    const core_scope is_core_0;
    o.suspend(2);
    this_core::dispatch(1);
    {
        std::atomic<bool> over{false};
        std::thread other([&] {
            const core_scope is_core_1;
            while (!over) {
                static_cast<void>(em_dispatch(1));
            }
        });
        EXPECT_EQ(o.w.resume(0), EM_OK);
        EXPECT_EQ(em_eo_get_state(o.eo), EM_EO_STATE_RUNNING);
        const em_core_mask_t there = mask_of(2);
        EXPECT_EQ(em_queue_group_modify_sync(EM_QUEUE_GROUP_DEFAULT, &there), EM_OK); // and goes on with it here
        EXPECT_EQ(o.seen.size(), 1U);
        cores::until([&] { return o.w.count() == 1; }); // the next one, there
        EXPECT_EQ(o.w.resume(1), EM_OK);
        cores::until([&] { return o.seen.size() == 2; });
        over = true;
        other.join();
    }
}

} // namespace
} // namespace skerry::test
