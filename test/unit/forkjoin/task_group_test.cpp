// SPDX-License-Identifier: Apache-2.0

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <skerry/finish.hpp>
#include <skerry/future.hpp>
#include <skerry/parallel_invoke.hpp>
#include <skerry/task_group.hpp>

#include "workers.hpp"

namespace {

using skerry::task_group;

class TaskGroup : public OnWorkers {};
ON_ALL_WORKERS(TaskGroup);

void spread(task_group& g, int depth, std::atomic<int>& leaves) {
    if (depth == 0) {
        ++leaves;
        return;
    }
    g.run([&g, depth, &leaves] { spread(g, depth - 1, leaves); });
    g.run([&g, depth, &leaves] { spread(g, depth - 1, leaves); });
}

TEST_P(TaskGroup, WaitsForTasksThatItsTasksRun) {
    in([] {
        task_group g;
        for (int round = 1; round <= 3; ++round) { // used again
            std::atomic<int> leaves = 0;
            spread(g, 8, leaves);
            g.wait();
            EXPECT_EQ(leaves, 256);
        }
        g.wait(); // with nothing to wait for
    });
}

TEST_P(TaskGroup, GroupsInsideTasksOfGroups) {
    in([] {
        std::atomic<int> leaves = 0;
        task_group outer;
        for (int i = 0; i < 8; ++i) {
            outer.run([&leaves] {
                task_group inner;
                std::atomic<int> mine = 0;
                spread(inner, 4, mine);
                inner.wait();
                EXPECT_EQ(mine, 16);
                leaves += mine;
            });
        }
        outer.wait();
        EXPECT_EQ(leaves, 128);
    });
}

TEST_P(TaskGroup, WaitInABranchBelowWhichItsTasksLie) {
    in([] {
        for (int i = 0; i < 50; ++i) {
            task_group g;
            task_group other;
            std::atomic<int> ran = 0;
            for (int n = 0; n < 5; ++n) {
                g.run([&ran] { ++ran; });
                other.run([] {});
            }
            skerry::parallel_invoke(
                [&] {
                    g.run([&ran] { ++ran; });
                    g.wait();
                    EXPECT_EQ(ran, 6);
                },
                [] {});
            other.wait();
        }
    });
}

TEST_P(TaskGroup, FirstExceptionArrivesAndTheGroupIsAsNew) {
    in([] {
        task_group g;
        for (int round = 0; round < 3; ++round) {
            for (int i = 0; i < 10; ++i) {
                g.run([] { throw std::runtime_error("task"); });
            }
            EXPECT_THROW(g.wait(), std::runtime_error);
            std::atomic<int> ran = 0;
            g.run([&ran] { ++ran; });
            g.wait();
            EXPECT_EQ(ran, 1);
        }
    });
}

TEST_P(TaskGroup, DestructorWaitsAndDropsTheException) {
    in([] {
        std::atomic<int> ran = 0;
        {
            task_group g;
            for (int i = 0; i < 100; ++i) {
                g.run([&ran] { ++ran; });
            }
        }
        EXPECT_EQ(ran, 100);
        {
            task_group g;
            g.run([] { throw std::runtime_error("dropped"); });
        }
    });
}

TEST_P(TaskGroup, CancelIsSeenByRunningTasks) {
    in([] {
        task_group g;
        std::atomic<bool> before = true;
        std::atomic<bool> after = false;
        g.run([&] {
            before = skerry::stop_requested();
            g.cancel();
            after = skerry::stop_requested();
        });
        g.wait();
        EXPECT_FALSE(before);
        EXPECT_TRUE(after);
        EXPECT_FALSE(skerry::stop_requested());
        bool again = true;
        g.run([&again] { again = skerry::stop_requested(); });
        g.wait();
        EXPECT_FALSE(again); // wait() has ended it
    });
}

TEST_P(TaskGroup, RunsFromManyThreadsOutside) {
    task_group g;
    std::atomic<int> ran = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < 50; ++i) {
                if (t % 2 == 0) {
                    g.run([&ran] { ++ran; }); // in the default runtime's queue
                } else {
                    in([&] { g.run([&ran] { ++ran; }); });
                }
            }
        });
    }
    for (std::thread& t : threads) {
        t.join();
    }
    g.wait();
    EXPECT_EQ(ran, 200);
}

TEST_P(TaskGroup, WaitInsideItselfIsAnError) {
    in([] {
        task_group g;
        std::atomic<int> errors = 0;
        const auto wait = [&] {
            try {
                g.wait();
            } catch (const std::system_error& e) {
                errors += e.code() == std::errc::resource_deadlock_would_occur ? 1 : 0;
            }
        };
        g.run(wait);
        g.run([&] { skerry::parallel_invoke([] {}, wait); });
        g.run([&] { skerry::finish([&](skerry::scope&) { wait(); }); });
        g.wait();
        EXPECT_EQ(errors, 3);
    });
}

// One worker begins nothing by itself, so the order is known: the newest first.
TEST(TaskGroupAlone, CancelSkipsWhatHasNotBegun) {
    skerry::runtime rt(OnWorkers::with(1));
    rt.run([] {
        task_group g;
        const auto held = std::make_shared<int>(0);
        int ran = 0;
        for (int i = 0; i < 10; ++i) {
            g.run([&ran, held] { ++ran; });
        }
        g.cancel();
        g.run([&ran] { ++ran; });
        g.wait();
        EXPECT_EQ(ran, 0);
        EXPECT_EQ(held.use_count(), 1);
        for (int i = 0; i < 10; ++i) {
            g.run([&ran] { ++ran; });
        }
        g.run([] { throw std::runtime_error("first"); });
        EXPECT_THROW(g.wait(), std::runtime_error);
        EXPECT_EQ(ran, 0);
        {
            task_group outer;
            outer.run([&ran] {
                task_group inner;
                inner.run([&ran] { ++ran; });
                inner.wait();
            });
            outer.run([&outer] { outer.cancel(); });
        }
        EXPECT_EQ(ran, 0);
    });
}

TEST(TaskGroupAlone, MayOutliveTheRegionItWasMadeIn) {
    std::unique_ptr<task_group> g;
    std::atomic<int> ran = 0;
    {
        skerry::runtime rt(OnWorkers::with(2));
        rt.run([&] {
            skerry::finish([&](skerry::scope&) {
                g = std::make_unique<task_group>();
                g->run([&ran] { ++ran; });
            });
        });
    }
    g->run([&ran] { ++ran; });
    g->wait();
    EXPECT_EQ(ran, 2);
}

// Its tasks run in the default runtime, and who waits is in one that ends right behind it.
TEST(TaskGroupAlone, OfAnotherRuntimeThanItsWaiters) {
    for (unsigned round = 0; round < 200; ++round) {
        std::atomic<int> ran = 0;
        std::atomic<bool> waiting = false;
        task_group g;
        for (int i = 0; i < 3; ++i) {
            g.run([&] {
                while (!waiting) {
                    std::this_thread::yield();
                }
                ++ran;
            });
        }
        {
            skerry::runtime rt(OnWorkers::with(1 + round % 2));
            rt.run([&] {
                skerry::parallel_invoke(
                    [&] {
                        waiting = true;
                        g.wait();
                    },
                    [] { skerry::submit([] { return 1; }).get(); });
            });
        }
        EXPECT_EQ(ran, 3);
    }
}

} // namespace
