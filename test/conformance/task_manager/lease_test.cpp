// SPDX-License-Identifier: Apache-2.0

// Who has the lease of a task manager, what it cannot take, who polls, and who sleeps.

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "deps/nexus/fits.hpp"
#include "managers.hpp"

namespace task_manager_test {

namespace {

using skerry::in;
using skerry::inout;
using skerry::out;
using skerry::spawn;
using skerry::taskwait;

class Lease : public testing::TestWithParam<setting> {
  protected:
    managed_runtime runtime{GetParam()};
};

// Until so many workers sleep. That they never do ends with the test's time limit.
void until_asleep(const detail::team& crew, unsigned wanted) {
    for (unsigned asleep = wanted + 1; asleep != wanted;) {
        std::this_thread::yield();
        asleep = 0;
        for (unsigned i = 0; i < crew.slots(); ++i) {
            asleep += crew.slot(i).sleeping.prepared() ? 1U : 0U;
        }
    }
}

// From the first name that overlaps another one until the next taskwait the software orders, behind what came before.
TEST_P(Lease, NamesThatOverlapAreSoftwares) {
    std::array<int, 4> a{};
    runtime.run([&] {
        for (int round = 0; round < 20; ++round) {
            for (int i = 0; i < 10; ++i) {
                spawn([](int& v) { ++v; }, inout(a[0]));
                spawn([](int& v) { ++v; }, inout(a[1]));
            }
            spawn([](std::array<int, 4>& all) { all[2] = all[0] + all[1]; }, inout(a)); // overlaps both
            spawn([](int& v) { v *= 2; }, inout(a[2]));
            spawn([](const int& v, int& w) { w = v; }, in(a[2]), out(a[3]));
            taskwait();
            ASSERT_EQ(a[3], 2 * 2 * 10 * (round + 1));
        }
    });
    EXPECT_EQ(runtime.managed(), 20U * 20U);
    EXPECT_EQ(runtime.unmanaged(), 20U * 3U);
}

TEST_P(Lease, RegionsAndContainersAreSoftwares) {
    runtime.run([&] {
        skerry::region home = skerry::root_region().create();
        int* const made = home.make<int>(0);
        std::vector<int> numbers;
        int x = 0;
        spawn([](int& v) { v = 5; }, out(x));
        spawn([](int& v) { v = 5; }, out(*made));
        spawn([made](const skerry::region&) { ++*made; }, inout(home));
        spawn([](const int& v, std::vector<int>& n) { n.assign(3, v); }, in(x), inout(numbers));
        spawn([](const std::vector<int>& n, int& v) { v += n.back(); }, in(numbers), inout(*made));
        taskwait();
        EXPECT_EQ(*made, 11);
        home.destroy_all();
    });
    EXPECT_EQ(runtime.managed(), 2U);
    EXPECT_EQ(runtime.unmanaged(), 3U);
}

// A run() in a task is inside of a task.
TEST_P(Lease, ARunInsideOfATaskIsSoftwares) {
    int x = 0;
    runtime.run([&] {
        spawn(
            [&](int& v) {
                runtime.native().run([&] {
                    spawn([](int& w) { ++w; }, inout(v));
                    taskwait();
                });
            },
            inout(x));
        taskwait();
    });
    EXPECT_EQ(x, 1);
    EXPECT_EQ(runtime.managed(), 1U);
    EXPECT_EQ(runtime.unmanaged(), 1U);
}

// More addresses of one set of the table than it has ways.
TEST_P(Lease, WhatCanNeverFitIsSoftwares) {
    const bool small = GetParam().manager == kind::small_model || GetParam().manager == kind::small_delayed;
    std::array<int, 64> all{};
    std::vector<int*> of_one_set;
    for (int& v : all) {
        if (detail::nexus_set(reinterpret_cast<std::uintptr_t>(&v), 4) == 1) {
            of_one_set.push_back(&v);
        }
    }
    ASSERT_GE(of_one_set.size(), 5U);
    int x = 0;
    runtime.run([&] {
        spawn([](int& v) { v = 1; }, out(x));
        spawn([](int& a, int& b, int& c, int& d, int& e, const int& v) { a = b = c = d = e = v; },
              inout(*of_one_set[0]), inout(*of_one_set[1]), inout(*of_one_set[2]), inout(*of_one_set[3]),
              inout(*of_one_set[4]), in(x));
        spawn([](int& v, const int& w) { v += w; }, inout(x), in(*of_one_set[3]));
        taskwait();
        spawn([](int& v) { ++v; }, inout(x));
        taskwait();
    });
    EXPECT_EQ(x, 3);
    if (small) {
        EXPECT_EQ(runtime.unmanaged(), 2U);
    } else {
        EXPECT_EQ(runtime.unmanaged(), 0U);
    }
    EXPECT_EQ(runtime.managed() + runtime.unmanaged(), 4U);
}

// Threads outside of run() and one inside it: whoever spawns first has the lease, and all results are right.
TEST_P(Lease, IsOneScopesAtATime) {
    constexpr int each = 200;
    std::array<int, 3> sums{};
    std::atomic<int> begun{0};
    std::vector<std::thread> threads;
    for (int& sum : sums) {
        threads.emplace_back([&] {
            runtime.run([&] {
                ++begun;
                while (begun < 3) {
                    std::this_thread::yield();
                }
                for (int i = 0; i < each; ++i) {
                    spawn([](int& v) { ++v; }, inout(sum));
                }
                taskwait();
            });
        });
    }
    for (std::thread& t : threads) {
        t.join();
    }
    EXPECT_EQ(sums, (std::array<int, 3>{each, each, each}));
    EXPECT_EQ(runtime.managed() + runtime.unmanaged(), 3U * each);
}

// While the manager waits for a task nobody polls: all sleep but the one that runs it.
TEST_P(Lease, NobodyPollsForNothing) {
    std::atomic<const detail::team*> crew{nullptr};
    std::atomic<bool> go_on{false};
    int x = 0;
    std::thread waker([&] {
        crew.wait(nullptr);
        until_asleep(*crew, GetParam().workers - 1);
        go_on = true;
        go_on.notify_all();
    });
    runtime.run([&] {
        spawn(
            [&](int& v) {
                crew = &detail::current_team();
                crew.notify_all();
                go_on.wait(false);
                ++v;
            },
            inout(x));
        spawn([](int& v) { ++v; }, inout(x));
        taskwait();
    });
    waker.join();
    EXPECT_EQ(x, 2);
}

// Who spawns does something else then. What is on its way is the concern of the others, who are asleep by then.
class Sleepers : public Lease {}; // with one worker there is nobody else

TEST_P(Sleepers, WhatASleeperLeavesUnderWayIsPolled) {
    runtime.run([&] {
        for (int round = 0; round < 20; ++round) {
            std::atomic<int> ran{0};
            int x = 0;
            until_asleep(detail::current_team(), GetParam().workers - 1);
            for (int i = 0; i < 3; ++i) {
                spawn([&](int&) { ++ran; }, inout(x));
            }
            const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(5);
            while (ran < 3 && std::chrono::steady_clock::now() < late) {
                std::this_thread::yield(); // and this thread does not poll
            }
            if (ran != 3) { // and run() would wait for them for ever
                std::fprintf(stderr, "round %d: %d of 3 tasks ran\n", round, ran.load());
                std::_Exit(EXIT_FAILURE);
            }
            taskwait();
        }
    });
}

// A task of the manager's has the container by the name of what it is the whole of: nobody looks into it meanwhile.
TEST_P(Sleepers, AContainerThatTheManagersTaskWrites) {
    struct whole {
        std::vector<int> numbers;
    };
    for (int round = 0; round < 5; ++round) {
        runtime.run([&] {
            whole w;
            std::atomic<int*> first{nullptr};
            std::atomic<int> spawned{1};
            std::atomic<int> seen{0};
            spawn(
                [&](whole& all) {
                    spawned.wait(1);
                    all.numbers.assign(4, 1);
                },
                inout(w));
            spawn(
                [&](std::vector<int>& n) {
                    first = n.data();
                    first.notify_all();
                    spawned.wait(2);
                    for (int i = 0; i < 10'000 && seen == 0; ++i) { // one that does not wait for this runs now
                        std::this_thread::yield();
                    }
                    n[0] = 42;
                },
                inout(w.numbers));
            spawned = 2;
            spawned.notify_all();
            first.wait(nullptr);
            spawn([&](const int& n) { seen = n; }, in(*first.load()));
            spawned = 3;
            spawned.notify_all();
            taskwait();
            ASSERT_EQ(seen, 42);
        });
    }
}

// A task with n accesses is n + 1 words, its end is one, and one is read.
TEST_P(Lease, WordsOfATask) {
    int x = 0;
    int y = 0;
    runtime.run([&] {
        for (int i = 0; i < 10; ++i) {
            spawn([](int& a, const int& b) { a += b; }, inout(x), in(y));
        }
        taskwait();
    });
    EXPECT_EQ(runtime.manager()->words().written, 10U * 4U);
    EXPECT_EQ(runtime.manager()->words().read, 10U);
}

INSTANTIATE_TEST_SUITE_P(Managers, Lease,
                         testing::Values(setting{kind::model, 1}, setting{kind::model, 2}, setting{kind::model, 4},
                                         setting{kind::small_model, 2}, setting{kind::delayed, 1},
                                         setting{kind::delayed, 2}, setting{kind::delayed, 4},
                                         setting{kind::small_delayed, 2}, setting{kind::small_delayed, 4}),
                         testing::PrintToStringParamName());

INSTANTIATE_TEST_SUITE_P(Managers, Sleepers,
                         testing::Values(setting{kind::model, 2}, setting{kind::delayed, 2}, setting{kind::delayed, 4},
                                         setting{kind::small_delayed, 4}),
                         testing::PrintToStringParamName());

} // namespace

} // namespace task_manager_test
