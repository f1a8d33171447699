// SPDX-License-Identifier: Apache-2.0

// What a task is made of, and how its arguments reach it.

#include "runtimes.hpp"

#include <array>
#include <atomic>
#include <memory>
#include <numeric>
#include <span>
#include <thread>
#include <vector>

#include <skerry/finish.hpp>

using dataflow_test::Dataflow;
using skerry::in;
using skerry::inout;
using skerry::out;
using skerry::spawn;
using skerry::taskwait;

namespace {

void add(const int& a, int& b) { b += a; }

TEST_P(Dataflow, AccessesAreTheFunctionsArguments) {
    int a = 3;
    int b = 4;
    runtime.run([&] {
        spawn(add, in(a), inout(b));
        spawn([](int& x) { x = 10; }, out(a));
        spawn(add, in(a), inout(b));
    });
    EXPECT_EQ(b, 17);
}

TEST_P(Dataflow, ValuesAreCopiedAndConst) {
    std::vector<int> list{1, 2, 3};
    int sum = 0;
    runtime.run([&] {
        spawn([](int& s, const std::vector<int>& values,
                 int more) { s = std::accumulate(values.begin(), values.end(), more); },
              out(sum), list, 10);
        list.clear();
        taskwait();
    });
    EXPECT_EQ(sum, 16);
}

TEST_P(Dataflow, SpansAndContainersAreTheirElements) {
    std::vector<int> v(100, 1);
    int total = 0;
    runtime.run([&] {
        for (int round = 0; round < 3; ++round) {
            for (std::size_t i = 0; i < v.size(); i += 10) {
                spawn(
                    [](std::span<int> part) {
                        for (int& x : part) {
                            x *= 2;
                        }
                    },
                    inout(std::span(v).subspan(i, 10)));
            }
        }
        spawn([](const std::vector<int>& all, int& t) { t = std::accumulate(all.begin(), all.end(), 0); }, in(v),
              out(total));
    });
    EXPECT_EQ(total, 800);
}

TEST_P(Dataflow, AnEmptySpanIsNoAccess) {
    std::vector<int> nothing;
    int runs = 0;
    runtime.run([&] {
        spawn([](std::span<int> s, int& n) { n += static_cast<int>(s.size()) + 1; }, inout(std::span(nothing)),
              inout(runs));
    });
    EXPECT_EQ(runs, 1);
}

TEST_P(Dataflow, OneTaskMayNameAnObjectTwice) {
    int x = 1;
    std::array<int, 4> a{1, 2, 3, 4};
    runtime.run([&] {
        for (int i = 0; i < 5; ++i) {
            spawn([](const int& r, int& w) { w += r; }, in(x), inout(x));
            spawn([](std::array<int, 4>& whole, int& part) { part += whole[1]; }, inout(a), inout(a[2]));
            spawn([](const int& l, const int& r) { EXPECT_EQ(l, r); }, in(x), in(x));
        }
    });
    EXPECT_EQ(x, 32);
    EXPECT_EQ(a[2], 13);
}

TEST_P(Dataflow, ClosuresAreDestroyedOnceAndBeforeTheWaitEnds) {
    const auto counted = std::make_shared<int>(0);
    int x = 0;
    runtime.run([&] {
        for (int i = 0; i < 100; ++i) {
            spawn([counted](int& v, const std::shared_ptr<int>& again) { v += *again + 1; }, inout(x), counted);
        }
        taskwait();
        EXPECT_EQ(counted.use_count(), 1);
    });
    EXPECT_EQ(x, 100);
}

TEST_P(Dataflow, OptionsNameATask) {
    int x = 0;
    runtime.run([&] { spawn({.name = "increment"}, [](int& v) { ++v; }, inout(x)); });
    EXPECT_EQ(x, 1);
}

TEST_P(Dataflow, TensOfThousandsOfTasksMayBeBlocked) {
    constexpr int tasks = 30'000;
    long x = 0;
    dataflow_test::barrier gate;
    runtime.run([&] {
        if (alone()) {
            gate.open();
        }
        spawn([&gate](long&) { gate.pass(); }, inout(x));
        for (int i = 0; i < tasks; ++i) {
            spawn([](long& v) { ++v; }, inout(x));
            if (i == tasks / 6) { // below the number at which spawn() itself begins to help
                gate.open();
            }
        }
    });
    EXPECT_EQ(x, tasks);
}

// The other worker is held up, so nobody runs them but who spawns them; and only one at a time could be taken.
TEST(DataflowMany, WhoHasMoreThan8192UnfinishedChildrenRunsSome) {
    constexpr int most = 8192;
    constexpr int more = 1000;
    skerry::options o;
    o.workers = 2;
    skerry::runtime r(o);
    std::atomic<bool> began{false};
    dataflow_test::barrier gate;
    int ran = 0;
    r.run([&] {
        spawn([&] {
            began = true;
            gate.pass();
        });
        while (!began) {
            std::this_thread::yield();
        }
        for (int i = 1; i < most; ++i) {
            spawn([](int& n) { ++n; }, inout(ran));
        }
        EXPECT_EQ(ran, 0);
        for (int i = 0; i < more; ++i) {
            spawn([](int& n) { ++n; }, inout(ran));
        }
        EXPECT_GE(ran, more) << "so many, and those that ran, were unfinished at most";
        gate.open();
        taskwait();
    });
    EXPECT_EQ(ran, most - 1 + more);
}

TEST(DataflowOutside, WorksWithoutARuntimeAndFromManyThreads) {
    int x = 0;
    spawn([](int& v) { v = 1; }, out(x));
    spawn([](int& v) { v += 1; }, inout(x));
    taskwait();
    EXPECT_EQ(x, 2);
    skerry::finish([&](auto&) { spawn([](int& v) { v += 1; }, inout(x)); });
    EXPECT_EQ(x, 3);

    std::vector<std::thread> threads;
    std::vector<int> results(8, 0);
    for (int& result : results) {
        threads.emplace_back([&result] {
            for (int i = 0; i < 200; ++i) {
                spawn([](int& v) { ++v; }, inout(result));
            }
            skerry::taskwait_on(in(result));
            EXPECT_EQ(result, 200);
            for (int i = 0; i < 200; ++i) {
                spawn([](int& v) { ++v; }, inout(result));
            }
            taskwait();
        });
    }
    for (std::thread& t : threads) {
        t.join();
    }
    taskwait();
    EXPECT_EQ(results, std::vector<int>(8, 400));
}

INSTANTIATE_TEST_SUITE_P(Workers, Dataflow, testing::Values(1U, 2U, 7U));

} // namespace
