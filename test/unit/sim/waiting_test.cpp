// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include <gmock/gmock.h>

#include "machines.hpp"

namespace {

using namespace skerry_sim;
using namespace skerry_test;
using testing::HasSubstr;

std::uint32_t acquire(const std::uint32_t& word) { return __atomic_load_n(&word, __ATOMIC_ACQUIRE); }
void release(std::uint32_t& word, std::uint32_t value) { __atomic_store_n(&word, value, __ATOMIC_RELEASE); }

void until(const std::uint32_t& word, std::uint32_t value) {
    while (acquire(word) != value) {
        pause(20);
    }
}

struct alignas(64) shared {
    std::uint32_t phase;
    std::uint32_t word;
    std::uint32_t handled;
    std::uint32_t handled_by;
    std::uint64_t handled_at;
    std::uint32_t answers[4];
    std::uint32_t woken;
};
static shared s;

void handler(unsigned sender) {
    __atomic_fetch_add(&s.handled, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&s.handled_by, self() * 10 + sender, __ATOMIC_RELEASE);
    __atomic_store_n(&s.handled_at, now(), __ATOMIC_RELEASE);
}

statistics run(void (*body)(), const settings& set = {}) {
    s = {};
    return simulate(body, set);
}

// ---- Interrupts. Core 0 and core 1 are neighbours: one hop of 2 cycles, 2 into the network and out of it.
constexpr std::uint64_t travel = 4;
constexpr std::uint64_t entry = 5;

void busy_with_handler(void*) {
    on_interrupt(handler);
    release(s.phase, 1);
    static volatile unsigned counted;
    while (acquire(s.phase) != 2) {
        for (unsigned i = 0; i < 100; ++i) {
            counted = counted + 1;
        }
    }
}

TEST(interrupts, a_busy_core_runs_its_handler_and_acknowledges) {
    static std::uint64_t sent, answered;
    const statistics result = run([] {
        const unsigned other = start_thread(busy_with_handler, nullptr);
        until(s.phase, 1);
        sent = now();
        s.answers[0] = interrupt(other);
        answered = now();
        release(s.phase, 2);
        join_thread(other);
    });
    EXPECT_EQ(s.answers[0], 1U);
    EXPECT_EQ(s.handled, 1U);
    EXPECT_EQ(s.handled_by, 10U);
    // Not before it can be there; not later than the block, the access and the handler's two atomics take.
    EXPECT_GE(s.handled_at, sent + travel + entry);
    EXPECT_LE(s.handled_at, sent + travel + entry + 200);
    EXPECT_GE(answered, s.handled_at + travel);
    EXPECT_EQ(result.cores[0].interrupts_sent, 1U);
    EXPECT_EQ(result.cores[0].interrupts_accepted, 1U);
    EXPECT_EQ(result.cores[0].interrupts_refused, 0U);
}

// Nothing but counting between two interrupts' sendings: each is taken at its time, to the block.
TEST(interrupts, arrive_on_time) {
    static std::uint64_t sent, late;
    run([] {
        const unsigned other = start_thread(
            [](void*) {
                on_interrupt([](unsigned) { late = now(); });
                release(s.phase, 1);
                static volatile unsigned counted;
                for (unsigned i = 0; i < 3000; ++i) {
                    counted = counted + 1;
                }
            },
            nullptr);
        until(s.phase, 1);
        pause(1000);
        sent = now();
        s.answers[0] = interrupt(other);
        join_thread(other);
    });
    EXPECT_EQ(s.answers[0], 1U);
    EXPECT_GE(late, sent + travel + entry);
    // To the end of a block with its load and store; then the first two of the handler.
    EXPECT_LE(late, sent + travel + entry + 4 + 2 + 2 * 4);
}

TEST(interrupts, are_refused_without_a_handler_masked_idle_or_ended) {
    const statistics result = run([] {
        s.answers[0] = interrupt(3); // no thread
        const unsigned other = start_thread(
            [](void*) {
                release(s.phase, 1);
                until(s.phase, 2);
                on_interrupt(handler);
                mask_interrupts();
                mask_interrupts();
                unmask_interrupts(); // masks nest: still one
                release(s.phase, 3);
                until(s.phase, 4);
                unmask_interrupts();
                release(s.phase, 5);
                until(s.phase, 6);
            },
            nullptr);
        until(s.phase, 1);
        s.answers[1] = interrupt(other); // no handler
        release(s.phase, 2);
        until(s.phase, 3);
        s.answers[2] = interrupt(other); // masked
        release(s.phase, 4);
        until(s.phase, 5);
        s.answers[3] = interrupt(other); // accepted
        release(s.phase, 6);
        join_thread(other);
        s.woken = interrupt(other); // ended
    });
    EXPECT_THAT(s.answers, testing::ElementsAre(0, 0, 0, 1));
    EXPECT_EQ(s.woken, 0U);
    EXPECT_EQ(s.handled, 1U);
    EXPECT_EQ(result.total.interrupts_sent, 5U);
    EXPECT_EQ(result.total.interrupts_refused, 4U);
}

// Two that interrupt each other at once: neither can take the other's, and neither waits for ever.
TEST(interrupts, two_senders_refuse_each_other) {
    run([] {
        const unsigned other = start_thread(
            [](void*) {
                on_interrupt(handler);
                release(s.phase, 1);
                for (unsigned i = 0; i < 200; ++i) {
                    s.answers[1] += interrupt(0);
                }
                release(s.phase, 2);
            },
            nullptr);
        on_interrupt(handler);
        until(s.phase, 1);
        for (unsigned i = 0; i < 200; ++i) {
            s.answers[0] += interrupt(other);
        }
        until(s.phase, 2);
        on_interrupt(nullptr);
        join_thread(other);
    });
    EXPECT_EQ(s.handled, s.answers[0] + s.answers[1]);
}

TEST(interrupts, a_sleeper_takes_them_and_sleeps_on) {
    static std::uint64_t slept_until;
    run([] {
        const unsigned other = start_thread(
            [](void*) {
                on_interrupt(handler);
                release(s.phase, 1);
                s.woken = wait_on(&s.word, 0, for_ever);
                slept_until = now();
            },
            nullptr);
        until(s.phase, 1);
        pause(500);
        s.answers[0] = interrupt(other);
        s.answers[1] = interrupt(other);
        pause(500);
        s.answers[2] = wake(&s.word, 1);
        s.handled_at = now();
        join_thread(other);
    });
    EXPECT_EQ(s.answers[0], 1U);
    EXPECT_EQ(s.answers[1], 1U);
    EXPECT_EQ(s.handled, 2U);
    EXPECT_EQ(s.answers[2], 1U);
    EXPECT_EQ(s.woken, 1U);
    EXPECT_GE(slept_until, s.handled_at);
}

TEST(interrupts, handlers_see_and_change_the_program_between_its_blocks) {
    static volatile std::uint64_t local_sum; // else the loop may become a formula
    static std::uint64_t handler_sum;
    run([] {
        const unsigned other = start_thread(
            [](void*) {
                on_interrupt([](unsigned) { ++handler_sum; });
                release(s.phase, 1);
                for (unsigned i = 0; i < 20000; ++i) {
                    local_sum = local_sum + i;
                }
                release(s.phase, 2);
            },
            nullptr);
        until(s.phase, 1);
        unsigned accepted = 0;
        while (acquire(s.phase) != 2) {
            accepted += interrupt(other);
        }
        s.answers[0] = accepted;
        join_thread(other);
    });
    EXPECT_EQ(local_sum, 20000ULL * 19999 / 2);
    EXPECT_EQ(handler_sum, s.answers[0]);
    EXPECT_GT(handler_sum, 100U);
}

// ---- Sleepers.

TEST(sleepers, wake_in_the_order_in_which_they_fell_asleep) {
    static std::uint32_t order[4], next;
    next = 0;
    run([] {
        for (unsigned i = 1; i < 4; ++i) {
            start_thread(
                [](void*) {
                    pause(100 * (4 - self())); // core 3 first
                    s.woken += wait_on(&s.word, 0, for_ever);
                    order[__atomic_fetch_add(&next, 1, __ATOMIC_RELAXED)] = self();
                },
                nullptr);
        }
        pause(2000);
        s.answers[0] = wake(&s.word, 1);
        pause(2000);
        s.answers[1] = wake(&s.word, 7);
        s.answers[2] = wake(&s.word, 1);
        for (unsigned i = 1; i < 4; ++i) {
            join_thread(i);
        }
    });
    EXPECT_THAT(s.answers, testing::ElementsAre(1, 2, 0, 0));
    EXPECT_EQ(order[0], 3U);
    EXPECT_EQ(next, 3U);
}

TEST(sleepers, a_word_that_differs_and_a_time_that_is_up) {
    static std::uint64_t begin, end;
    run([] {
        release(s.word, 5);
        s.answers[0] = wait_on(&s.word, 4, for_ever);
        begin = now();
        s.answers[1] = wait_on(&s.word, 5, 1000);
        end = now();
    });
    EXPECT_EQ(s.answers[0], 1U);
    EXPECT_EQ(s.answers[1], 0U);
    EXPECT_GE(end - begin, 1000U);
    EXPECT_LE(end - begin, 1100U);
}

// The word is looked at where it was published, not in the sleeper's own cache.
TEST(sleepers, no_wake_up_is_lost) {
    run([] {
        const unsigned other = start_thread(
            [](void*) {
                for (std::uint32_t i = 0; i < 200; ++i) {
                    while (acquire(s.word) == i) {
                        wait_on(&s.word, i, for_ever);
                    }
                    pause(i * 7 % 13);
                    __atomic_fetch_add(&s.phase, 1, __ATOMIC_RELEASE);
                    wake(&s.phase, 1);
                }
            },
            nullptr);
        for (std::uint32_t i = 0; i < 200; ++i) {
            pause(i * 5 % 17);
            release(s.word, i + 1);
            wake(&s.word, 1);
            while (acquire(s.phase) == i) {
                wait_on(&s.phase, i, for_ever);
            }
        }
        join_thread(other);
    });
    EXPECT_EQ(s.phase, 200U);
}

// ---- Stuck.

std::string stuck_text(void (*body)(), const settings& set = {}) {
    try {
        run(body, set);
    } catch (const simulation_stuck& stuck) {
        return stuck.what();
    }
    return "not stuck";
}

TEST(stuck, a_deadlock_names_each_core_and_what_it_waits_for) {
    const std::string text = stuck_text([] {
        start_thread([](void*) { wait_on(&s.word, 0, for_ever); }, nullptr);
        start_thread([](void*) {}, nullptr);
        join_thread(1);
    });
    EXPECT_THAT(text, testing::MatchesRegex("skerry: sim: tiny4-gwb is stuck: no core can go on\n"
                                            "  core 0, cycle [0-9]+: waits for the end of the thread on core 1\n"
                                            "  core 1, cycle [0-9]+: sleeps on the word at 0x[0-9a-f]+\n"
                                            "  core 2, cycle [0-9]+: its thread has ended\n"
                                            "  core 3, cycle 0: no thread"));
}

TEST(stuck, cores_that_only_look_are_a_livelock) {
    const std::string text = stuck_text(
        [] {
            start_thread([](void*) { until(s.word, 1); }, nullptr);
            until(s.word, 2);
        },
        {.livelock_cycles = 50000});
    EXPECT_THAT(text, HasSubstr("skerry: sim: tiny4-gwb is stuck: no core has written anything since cycle "));
    EXPECT_THAT(text, HasSubstr("core 1, cycle"));
    EXPECT_THAT(text, HasSubstr(": running"));
}

TEST(stuck, a_clock_that_runs_too_far) {
    EXPECT_THAT(stuck_text(
                    [] {
                        for (;;) {
                            __atomic_fetch_add(&s.word, 1, __ATOMIC_RELAXED);
                        }
                    },
                    {.most_cycles = 100000}),
                HasSubstr("skerry: sim: tiny4-gwb is stuck: the clock has passed settings::most_cycles"));
}

// The next simulation is not troubled by one that was abandoned.
TEST(stuck, another_run_follows) {
    EXPECT_NE(stuck_text([] { wait_on(&s.word, 0, for_ever); }), "not stuck");
    run([] { s.woken = 1; });
    EXPECT_EQ(s.woken, 1U);
}

} // namespace
