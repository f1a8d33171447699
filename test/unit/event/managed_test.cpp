// SPDX-License-Identifier: Apache-2.0
// A receive function stands in no spawned task, so a task manager orders what it spawns. The default runtime, to which
// the cores belong, reads the environment once: this is a program of its own.
#include <atomic>
#include <cstdint>
#include <cstdlib>

#include <gtest/gtest.h>

#include <skerry/skerry.hpp>

#include "cores.hpp"

namespace skerry::test {
namespace {

[[maybe_unused]] const int set = ::setenv("SKERRY_TASK_MANAGER", "nexus-model", 1);

constexpr int events = 20;
constexpr int tasks = 50;

struct sums {
    std::uint64_t value = 0; // of the queue: no lock
    std::atomic<int> received{0};
};

void add_in_order(void* context, em_event_t event, em_event_type_t /*type*/, em_queue_t /*queue*/, void* /*q*/) {
    sums& all = *static_cast<sums*>(context);
    for (std::uint64_t i = 0; i < tasks; ++i) {
        spawn([](std::uint64_t& value, std::uint64_t number) { value = value * 3 + number; }, inout(all.value), i);
    }
    taskwait();
    em_free(event);
    ++all.received;
}

TEST(managed_tasks, of_a_receive_function) {
    sums all;
    {
        const cores machine(2);
        const receiver to = make_receiver(add_in_order, &all, EM_QUEUE_TYPE_ATOMIC);
        for (int i = 0; i < events; ++i) {
            ASSERT_EQ(em_send(make_event(), to.queue), EM_OK);
        }
        cores::until([&] { return all.received == events; });
        ASSERT_EQ(em_eo_stop_sync(to.eo), EM_OK);
    }
    std::uint64_t expected = 0;
    for (int e = 0; e < events; ++e) {
        for (std::uint64_t i = 0; i < tasks; ++i) {
            expected = expected * 3 + i;
        }
    }
    EXPECT_EQ(all.value, expected);
    EXPECT_EQ(current_statistics().managed_tasks, std::uint64_t{events * tasks});
    EXPECT_EQ(current_statistics().unmanaged_tasks, 0U);
}

} // namespace
} // namespace skerry::test
