// SPDX-License-Identifier: Apache-2.0

// Co-operative dispatch: receive functions that are suspended and go on.

#include <atomic>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "bare_machine.hpp"
#include "receiving.hpp"
#include "this_core.hpp"

namespace skerry::test {
namespace {

struct cooperative : testing::Test {
    const with_options options{[](skerry_em_options_t& o) { o.cooperative = 1; }};
};

TEST_F(cooperative, a_suspended_call_goes_on_when_another_thread_resumes_it) {
    const this_core core;
    log seen;
    std::atomic<em_event_t> waits{EM_EVENT_UNDEF};
    receive_by wait = [&](em_event_t e, em_queue_t) {
        seen.add(1);
        waits = e;
        EXPECT_EQ(skerry_em_suspend(), EM_OK);
        seen.add(3);
        em_free(e);
    };
    const receiver r = make_receiver(wait, EM_QUEUE_TYPE_PARALLEL);
    send_value(0, r.queue);
    this_core::dispatch(1);
    seen.add(2);
    std::thread([&] { EXPECT_EQ(skerry_em_resume(waits), EM_OK); }).join();
    this_core::dispatch_until([&] { return seen.size() == 3; });
    EXPECT_EQ(seen.all(), (std::vector<int>{1, 2, 3}));
}

TEST_F(cooperative, one_that_is_resumed_ahead_goes_on_at_once) {
    const this_core core;
    int after = 0;
    receive_by wait = [&](em_event_t e, em_queue_t) {
        EXPECT_EQ(skerry_em_resume(e), EM_OK);
        EXPECT_EQ(skerry_em_suspend(), EM_OK);
        ++after;
        em_free(e);
    };
    const receiver r = make_receiver(wait, EM_QUEUE_TYPE_PARALLEL);
    send_value(0, r.queue);
    this_core::dispatch(1);
    EXPECT_EQ(after, 1);
}

} // namespace
} // namespace skerry::test
