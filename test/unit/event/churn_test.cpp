// SPDX-License-Identifier: Apache-2.0

// All at once: queues of each type under load, while objects start and stop, masks change and cores come and go.

#include <array>
#include <atomic>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "receiving.hpp"

namespace skerry::test {
namespace {

constexpr std::uint32_t pooled = 512;

struct churn {
    std::atomic<bool> over{false};
    std::array<em_queue_t, 6> queues{}; // each passes on to another
    std::array<std::atomic<int>, 6> inside{};
    std::atomic<int> overlaps{0};
    std::atomic<long> received{0};
};

void pass_on(void* context, em_event_t event, em_event_type_t /*type*/, em_queue_t queue, void* number) {
    auto& c = *static_cast<churn*>(context);
    const auto mine = *static_cast<const unsigned*>(number);
    const em_queue_type_t type = em_queue_get_type(queue);
    if (type == EM_QUEUE_TYPE_ATOMIC) {
        c.overlaps += ++c.inside[mine] != 1 ? 1 : 0;
    }
    const long n = ++c.received;
    if (n % 5 == 0) {
        std::this_thread::yield();
    }
    if (type == EM_QUEUE_TYPE_ATOMIC) {
        --c.inside[mine];
        if (n % 7 == 0) {
            em_atomic_processing_end();
        }
    } else if (n % 11 == 0) {
        em_ordered_processing_end();
    }
    if (c.over || n % 3 == 0 || em_send(event, c.queues[static_cast<unsigned>(n) % c.queues.size()]) != EM_OK) {
        em_free(event);
    }
}

TEST(churn, loses_no_event_and_no_core) {
    cores machine(3, pooled);
    churn c;
    const em_core_mask_t all = mask_of(7);
    const em_queue_group_t g = em_queue_group_create_sync("g", &all);
    const em_atomic_group_t joined = em_atomic_group_create("a", g);
    const em_eo_t eo = em_eo_create("churn", start_nothing, nothing_here, stop_nothing, nothing_here, pass_on, &c);
    c.queues = {make_queue(EM_QUEUE_TYPE_ATOMIC, g),         make_queue(EM_QUEUE_TYPE_PARALLEL, g, EM_QUEUE_PRIO_HIGH),
                make_queue(EM_QUEUE_TYPE_PARALLEL_ORDERED),  make_queue(EM_QUEUE_TYPE_LOCAL),
                em_queue_create_ag("q", 2, joined, nullptr), em_queue_create_ag("q", 6, joined, nullptr)};
    std::array<unsigned, 6> numbers = {0, 1, 2, 3, 4, 4}; // those of the group count together
    for (unsigned i = 0; i < c.queues.size(); ++i) {
        ASSERT_EQ(em_queue_set_context(c.queues[i], &numbers[i]), EM_OK);
        add_queue(eo, c.queues[i]);
    }
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    std::vector<std::thread> threads;
    for (unsigned s = 0; s < 2; ++s) {
        threads.emplace_back([&c, s] {
            std::minstd_rand random(s + 1);
            while (!c.over) {
                const em_event_t e = make_event();
                if (e == EM_EVENT_UNDEF) {
                    std::this_thread::yield();
                } else if (em_send(e, c.queues[random() % c.queues.size()]) != EM_OK) {
                    em_free(e);
                }
            }
        });
    }
    threads.emplace_back([&] {
        std::minstd_rand random(7);
        while (!c.over) {
            const em_core_mask_t next = mask_of(random() % 8);
            EXPECT_EQ(em_queue_group_modify_sync(g, &next), EM_OK);
        }
        EXPECT_EQ(em_queue_group_modify_sync(g, &all), EM_OK);
    });
    for (int round = 0; round < 100; ++round) {
        const long before = c.received;
        cores::until([&] { return c.received > before + 20; });
        const em_queue_t one = c.queues[static_cast<unsigned>(round) % c.queues.size()];
        ASSERT_EQ(em_eo_remove_queue_sync(eo, one), EM_OK);
        ASSERT_EQ(em_eo_add_queue_sync(eo, one), EM_OK);
        ASSERT_EQ(em_eo_stop_sync(eo), EM_OK);
        ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    }
    c.over = true;
    for (std::thread& t : threads) {
        t.join();
    }
    ASSERT_EQ(em_eo_stop_sync(eo), EM_OK);
    EXPECT_EQ(c.overlaps, 0);
    EXPECT_EQ(free_events(pooled), pooled);
    for (const error_seen& e : take_errors()) { // of those who sent to what was stopped, or found the pool empty
        ASSERT_TRUE(e.error == EM_ERR_BAD_STATE || e.error == EM_ERR_ALLOC_FAILED || e.error == EM_ERR_BAD_CONTEXT)
            << e.text;
    }
}

} // namespace
} // namespace skerry::test
