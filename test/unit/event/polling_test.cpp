// SPDX-License-Identifier: Apache-2.0

// Functions of the program by which cores look for input and send output on.

#include <atomic>

#include <gtest/gtest.h>

#include "receiving.hpp"
#include "this_core.hpp"

namespace skerry::test {
namespace {

std::atomic<int> polls{0};
std::atomic<int> drains{0};
std::atomic<int> polls_elsewhere{0};
std::atomic<em_queue_t> input_to{EM_QUEUE_UNDEF};

// Something has come every fifth time, if there is a queue for it.
int poll_input() {
    polls_elsewhere += em_core_id() != 1 ? 1 : 0;
    if (++polls % 5 == 0 && input_to != EM_QUEUE_UNDEF) {
        send_value(1, input_to);
        return 1;
    }
    return 0;
}
int drain_output() {
    ++drains;
    return 0;
}

void poll_and_drain(em_conf_t& conf) {
    conf.input.input_poll_fn = poll_input;
    conf.output.output_drain_fn = drain_output;
}

struct counter {
    std::atomic<int> received{0};
    receive_by receive = [this](em_event_t e, em_queue_t) {
        em_free(e);
        ++received;
    };
};

TEST(polling, each_round_polls_input_and_drains_output) {
    polls = drains = 0;
    const this_core machine(64, [](em_conf_t& conf) {
        poll_and_drain(conf);
        em_core_mask_set(0, &conf.output.output_drain_mask);
    });
    em_dispatch_opt_t opt;
    em_dispatch_opt_init(&opt);
    ASSERT_EQ(em_dispatch_rounds(3, &opt, nullptr), EM_OK);
    EXPECT_EQ(polls, 3);
    EXPECT_EQ(drains, 3);
    opt.skip_input_poll = true;
    ASSERT_EQ(em_dispatch_rounds(3, &opt, nullptr), EM_OK);
    EXPECT_EQ(polls, 3);
    EXPECT_EQ(drains, 6);
    opt.skip_output_drain = true;
    ASSERT_EQ(em_dispatch_rounds(3, &opt, nullptr), EM_OK);
    EXPECT_EQ(drains, 6);
    counter input;
    input_to = make_receiver(input.receive, EM_QUEUE_TYPE_ATOMIC).queue;
    ASSERT_EQ(em_dispatch_events(1, nullptr, nullptr), EM_OK); // naps between polls, and would sleep without
    EXPECT_EQ(input.received, 1);
    input_to = EM_QUEUE_UNDEF;
}

TEST(polling, cores_of_the_masks_poll_and_drain_while_they_are_idle) {
    polls = drains = polls_elsewhere = 0;
    {
        const cores machine(2, 64, [](em_conf_t& conf) {
            poll_and_drain(conf); // all drain
            em_core_mask_set(1, &conf.input.input_poll_mask);
        });
        cores::until([] { return polls > 0; });
        const int before = drains;
        cores::until([&] { return drains > before; });
    }
    EXPECT_EQ(polls_elsewhere, 0);
}

TEST(polling, what_the_poll_function_sends_is_received) {
    this_core core(4, poll_and_drain);
    counter input;
    input_to = make_receiver(input.receive, EM_QUEUE_TYPE_ATOMIC).queue;
    this_core::dispatch_until([&] { return input.received >= 40; });
    input_to = EM_QUEUE_UNDEF;
}

TEST(polling, refuses_masks_of_cores_that_are_not_there) {
    static_cast<void>(take_errors());
    ASSERT_EQ(em_register_error_handler(keep_error), EM_OK);
    em_conf_t conf = configuration(1);
    for (em_core_mask_t* const mask : {&conf.input.input_poll_mask, &conf.output.output_drain_mask}) {
        em_core_mask_set(1, mask);
        EXPECT_EQ(em_init(&conf), status_of(EM_ERR_BAD_ARG));
        expect_error(EM_ERR_BAD_ARG,
                     "em_init: input_poll_mask or output_drain_mask has a core that is not one of the 1");
        em_core_mask_zero(mask);
    }
    static_cast<void>(em_unregister_error_handler());
}

} // namespace
} // namespace skerry::test
