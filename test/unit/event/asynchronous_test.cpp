// SPDX-License-Identifier: Apache-2.0

// A scheduler that is asked ahead.

#include <atomic>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "bare_machine.hpp"
#include "receiving.hpp"

namespace skerry::test {
namespace {

class asynchronous : public testing::TestWithParam<bool> {
  protected:
    // From a machine whose one core is this thread to one of so many, none of which has begun.
    void begin_again(int count) {
        core_.reset();
        machine_.reset();
        machine_.emplace(count, 8192);
    }

  private:
    const with_options options_{[](skerry_em_options_t& o) { o.asynchronous = GetParam() ? 1 : 0; }};
    std::optional<bare_machine> machine_{std::in_place, 1, 8192};
    std::optional<core_scope> core_{std::in_place};
};

INSTANTIATE_TEST_SUITE_P(schedulers, asynchronous, testing::Bool());

TEST_P(asynchronous, chooses_when_it_is_asked) {
    log seen;
    em_queue_t high = EM_QUEUE_UNDEF;
    receive_by note = [&](em_event_t e, em_queue_t q) {
        const int value = free_value(e);
        seen.add(value);
        if (q != high) {
            em_preschedule();
            em_preschedule(); // has an answer
            send_value(value + 100, high);
        }
    };
    const receiver low = make_receiver(note, EM_QUEUE_TYPE_PARALLEL, EM_QUEUE_GROUP_DEFAULT, 1);
    high = make_receiver(note, EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_GROUP_DEFAULT, 6).queue;
    send_value(1, low.queue);
    send_value(2, low.queue);
    send_value(3, low.queue);
    EXPECT_EQ(em_dispatch(6), 6U);
    EXPECT_EQ(seen.all(),
              GetParam() ? (std::vector<int>{1, 2, 101, 102, 3, 103}) : (std::vector<int>{1, 101, 2, 102, 3, 103}));
}

TEST_P(asynchronous, a_core_that_leaves_keeps_no_event) {
    log seen;
    receive_by note = [&](em_event_t e, em_queue_t) {
        seen.add(free_value(e));
        em_preschedule();
    };
    const receiver r = make_receiver(note, EM_QUEUE_TYPE_PARALLEL);
    for (int i = 0; i < 4; ++i) {
        send_value(i, r.queue);
    }
    EXPECT_EQ(em_dispatch(1), GetParam() ? 2U : 1U); // and what it has asked for
    EXPECT_EQ(em_dispatch(1), GetParam() ? 2U : 1U);
    EXPECT_EQ(seen.size(), GetParam() ? 4U : 2U);
}

TEST_P(asynchronous, what_was_asked_for_is_not_received_after_a_stop) {
    std::atomic<int> received{0};
    em_eo_t eo = EM_EO_UNDEF;
    receive_by stop = [&](em_event_t e, em_queue_t) {
        em_free(e);
        ++received;
        em_preschedule();
        EXPECT_EQ(em_eo_stop(eo, 0, nullptr), EM_OK);
        EXPECT_EQ(em_eo_get_state(eo), EM_EO_STATE_STOPPING);
    };
    const receiver r = make_receiver(stop, EM_QUEUE_TYPE_PARALLEL_ORDERED);
    eo = r.eo;
    send_value(0, r.queue);
    send_value(1, r.queue);
    EXPECT_EQ(em_dispatch(2), 1U);
    EXPECT_EQ(received, 1);
    expect_error(EM_ERR_BAD_STATE, GetParam()
                                       ? "em_dispatch: 1 events were freed, of queues from which nobody receives"
                                       : "em_eo_stop: 1 events were freed, of queues from which nobody receives");
    EXPECT_EQ(em_eo_get_state(eo), EM_EO_STATE_CREATED);
    EXPECT_EQ(free_events(8192), 8192U);
}

TEST_P(asynchronous, order_and_atomicity_stay) {
    constexpr int inputs = 3000;
    begin_again(4);
    std::atomic<bool> over{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
        threads.emplace_back([&] {
            const core_scope is_a_core;
            while (!over) {
                static_cast<void>(em_dispatch(7)); // leaves often
            }
        });
    }
    std::atomic<int> inside{0};
    std::atomic<int> wrong{0};
    std::atomic<int> arrived{0};
    receive_by check = [&](em_event_t e, em_queue_t) {
        em_preschedule();
        wrong += ++inside != 1 ? 1 : 0;
        wrong += free_value(e) != arrived++ ? 1 : 0;
        --inside;
    };
    const receiver target = make_receiver(check, EM_QUEUE_TYPE_ATOMIC);
    receive_by pass = [&](em_event_t e, em_queue_t) {
        em_preschedule();
        std::this_thread::yield();
        EXPECT_EQ(em_send(e, target.queue), EM_OK);
    };
    const receiver in = make_receiver(pass, EM_QUEUE_TYPE_PARALLEL_ORDERED);
    const em_core_mask_t some = mask_of(5);
    for (int i = 0; i < inputs; ++i) {
        send_value(i, in.queue);
        if (i % 500 == 0) {
            const em_core_mask_t next = i % 1000 == 0 ? some : mask_of(15);
            EXPECT_EQ(em_queue_group_modify_sync(EM_QUEUE_GROUP_DEFAULT, &next), EM_OK);
        }
    }
    cores::until([&] { return arrived == inputs; });
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(em_eo_stop_sync(in.eo), EM_OK);
    EXPECT_EQ(em_eo_stop_sync(target.eo), EM_OK);
    over = true;
    for (std::thread& t : threads) {
        t.join();
    }
}

} // namespace
} // namespace skerry::test
