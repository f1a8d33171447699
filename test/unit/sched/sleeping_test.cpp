// SPDX-License-Identifier: Apache-2.0

// Tasks that appear while all other workers sleep, at every moment of each other's waking. A wake-up that is lost shows
// as a task that nobody begins while somebody sleeps.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>

#include <gtest/gtest.h>

#include <skerry/skerry.hpp>

#include "base/port/clock.hpp"
#include "runtime/engine.hpp"

namespace {

using skerry::detail::engine;
using skerry::detail::machine;
using skerry::detail::team;

constexpr unsigned workers = 4;
constexpr std::uint64_t long_time_ns = 20'000'000'000;

unsigned asleep(const team& crew) {
    unsigned n = 0;
    for (unsigned i = 0; i < crew.slots(); ++i) {
        n += crew.slot(i).sleeping.prepared() ? 1U : 0U;
    }
    return n;
}

bool one_is_parked(const team& crew) {
    for (unsigned i = 0; i < crew.slots(); ++i) {
        if (crew.slot(i).parked.load(skerry::detail::memory_order::acquire)) {
            return true;
        }
    }
    return false;
}

template <class Condition>
bool comes(Condition&& c) {
    const std::uint64_t begin = skerry::port::now_ns();
    while (!c()) {
        std::this_thread::yield();
        if (skerry::port::now_ns() - begin > long_time_ns) {
            return false;
        }
    }
    return true;
}

// As many leaves as workers that can run them. None ends before all have begun, but for one that waits in vain.
struct meeting {
    unsigned all;
    unsigned gap; // pauses between one fork and the next
    std::atomic<unsigned> begun{0};
    std::atomic<bool> failed{false};

    void leaf() {
        begun.fetch_add(1);
        if (!comes([this] { return begun == all || failed; })) {
            failed = true;
        }
    }
    // Along one owner's deque; or apart, half of them in the deque of whoever comes first.
    void spread(unsigned leaves, bool apart) {
        if (leaves == 1) {
            return leaf();
        }
        const unsigned first = apart ? leaves / 2 : leaves - 1;
        skerry::parallel_invoke(
            [&] {
                for (unsigned i = 0; i < gap; ++i) {
                    machine::pause();
                }
                spread(first, apart);
            },
            [&] { spread(leaves - first, apart); });
    }
};

class sleeping : public testing::TestWithParam<skerry::steal_mode> {};

TEST_P(sleeping, no_task_is_left_to_a_sleeper) {
    skerry::options o;
    o.workers = workers;
    o.steal = GetParam();
    skerry::runtime rt(o);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    unsigned rounds = 0;
    for (; rounds < 20'000 && std::chrono::steady_clock::now() < end; ++rounds) {
        meeting m{.all = workers, .gap = rounds / 2 * 7 % 1009};
        const bool slept = rt.run([&] {
            const team& crew = engine::current().crew();
            const bool all = comes([&] { return asleep(crew) == workers - 1; });
            m.spread(workers, rounds % 2 != 0);
            return all;
        });
        ASSERT_TRUE(slept) << "round " << rounds << ": somebody found no sleep";
        ASSERT_FALSE(m.failed) << "round " << rounds << ": a task lay there while a worker slept";
    }
    EXPECT_GT(rounds, 0U);
    RecordProperty("rounds", static_cast<int>(rounds));
}

// The only ones who can take the tasks are an idle worker and one that waits for the worker who forks them.
void among_waiters(skerry::steal_mode steal, const std::function<void(const std::function<void()>&)>& wait) {
    skerry::options o;
    o.workers = 3;
    o.steal = steal;
    skerry::runtime rt(o);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    for (unsigned round = 0; round < 5'000 && std::chrono::steady_clock::now() < end; ++round) {
        meeting m{.all = 3, .gap = round * 7 % 1009};
        bool slept = false;
        rt.run([&] {
            const team& crew = engine::current().crew();
            wait([&] {
                slept = comes([&] { return asleep(crew) == 2; });
                m.spread(3, false);
            });
        });
        ASSERT_TRUE(slept) << "round " << round << ": somebody found no sleep";
        ASSERT_FALSE(m.failed) << "round " << round << ": a task lay there while a worker slept";
    }
}

TEST_P(sleeping, a_joiner_is_woken_beside_an_idle_worker) {
    among_waiters(GetParam(), [](const std::function<void()>& body) {
        std::atomic<bool> begun{false};
        skerry::parallel_invoke([&] { ASSERT_TRUE(comes([&] { return begun.load(); })); },
                                [&] {
                                    begun = true;
                                    body();
                                });
    });
}

TEST_P(sleeping, a_finish_is_woken_beside_an_idle_worker) {
    among_waiters(GetParam(), [](const std::function<void()>& body) {
        std::atomic<bool> begun{false};
        skerry::finish([&](skerry::scope& s) {
            s.async([&] {
                begun = true;
                body();
            });
            ASSERT_TRUE(comes([&] { return begun.load(); }));
        });
    });
}

// Who waits has given all counts of its finish to tasks that others run, sleeps, and runs one more.
TEST_P(sleeping, a_waiter_who_sleeps_keeps_no_counts) {
    constexpr unsigned batch = skerry::detail::counts_ahead::batch;
    for (const unsigned tasks : {batch - 1, batch, batch + 1}) {
        skerry::options o;
        o.workers = 2;
        o.steal = GetParam();
        skerry::runtime rt(o);
        std::atomic<unsigned> begun{0};
        std::atomic<bool> done{false};
        bool slept = false;
        rt.run([&] {
            const team& crew = engine::current().crew();
            skerry::finish([&](skerry::scope& s) {
                for (unsigned i = 0; i < tasks; ++i) {
                    s.async([&] {
                        if (++begun == tasks) {
                            slept = comes([&] { return asleep(crew) == 1; });
                            s.async([&] { done = true; });
                            EXPECT_TRUE(comes([&] { return done.load(); }));
                        }
                    });
                }
                EXPECT_TRUE(comes([&] { return begun == tasks; }));
            });
        });
        EXPECT_TRUE(slept) << tasks << " tasks";
    }
}

// A stand-in that nobody needs any more is woken for a task, and goes: the one who waits has to run it.
TEST_P(sleeping, a_stand_in_that_goes_leaves_no_task_behind) {
    skerry::options o;
    o.workers = 1;
    o.steal = GetParam();
    std::atomic<int> slept = 0;
    for (int round = 0; round < 30; ++round) {
        skerry::runtime rt(o);
        bool done = false;
        std::atomic<bool> begun{false};
        rt.run([&] {
            const team& crew = engine::current().crew();
            skerry::finish([&](skerry::scope& s) {
                s.async([&] {
                    skerry::blocking([&] {
                        begun = true;
                        // A second stand-in, and who waits; or that one was about to sleep when it was not needed any
                        // more.
                        ASSERT_TRUE(comes([&] { return asleep(crew) == 2 || one_is_parked(crew); }));
                        slept += asleep(crew) == 2 ? 1 : 0;
                    });
                    s.async([&] { done = true; });
                });
                skerry::blocking([&] { ASSERT_TRUE(comes([&] { return begun && asleep(crew) == 1; })); });
            });
        });
        ASSERT_TRUE(done);
    }
    EXPECT_GT(slept, 0);
}

INSTANTIATE_TEST_SUITE_P(protocols, sleeping,
                         testing::Values(skerry::steal_mode::automatic, skerry::steal_mode::locked),
                         [](const testing::TestParamInfo<skerry::steal_mode>& i) {
                             return i.param == skerry::steal_mode::locked ? "locked" : "automatic";
                         });

} // namespace
