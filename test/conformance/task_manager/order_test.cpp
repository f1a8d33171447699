// SPDX-License-Identifier: Apache-2.0

// What every order has to do (deps/task_manager.hpp): each task runs once, after those before it that conflict with it,
// whatever the manager has no room for and however late its words come.

#include <algorithm>
#include <array>
#include <atomic>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "managers.hpp"

namespace task_manager_test {

namespace {

using skerry::in;
using skerry::inout;
using skerry::out;
using skerry::spawn;
using skerry::taskwait;
using skerry::taskwait_on;

class Order : public testing::TestWithParam<setting> {
  protected:
    managed_runtime runtime{GetParam()};
    [[nodiscard]] bool managed() const { return GetParam().manager != kind::software; }
};

TEST_P(Order, AChainIsAsSpawned) {
    constexpr int length = 500;
    std::vector<int> seen;
    int x = 0;
    runtime.run([&] {
        for (int i = 0; i < length; ++i) {
            spawn([&seen, i](int& v) { seen.push_back(i), ++v; }, inout(x));
        }
        taskwait();
    });
    EXPECT_EQ(x, length);
    EXPECT_TRUE(std::ranges::is_sorted(seen));
    EXPECT_EQ(seen.size(), length);
    EXPECT_EQ(runtime.managed(), managed() ? length : 0);
    EXPECT_EQ(runtime.unmanaged(), 0U);
}

TEST_P(Order, ReadersStandBetweenWriters) {
    constexpr int rounds = 60;
    constexpr int readers = 20;
    int x = 0;
    std::atomic<int> wrong{0};
    std::atomic<int> reads{0};
    runtime.run([&] {
        for (int i = 0; i < rounds; ++i) {
            spawn([](int& v) { ++v; }, inout(x));
            for (int j = 0; j < readers; ++j) {
                spawn(
                    [&, i](const int& v) {
                        wrong += v == i + 1 ? 0 : 1;
                        ++reads;
                    },
                    in(x));
            }
        }
        taskwait();
    });
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(reads, rounds * readers);
}

TEST_P(Order, NoAccessesAndTheSameOneTwice) {
    int x = 0;
    int y = 0;
    std::atomic<int> free_ones{0};
    runtime.run([&] {
        for (int i = 0; i < 100; ++i) {
            spawn([&] { ++free_ones; });
            spawn([](const int& a, int& b, const int& c) { b = a + c + 1 - b; }, in(x), inout(x), in(x));
            spawn([](const int& a, const int& b, int& c) { c += a - b + 1; }, in(x), in(x), inout(y));
        }
        taskwait();
    });
    EXPECT_EQ(free_ones, 100);
    EXPECT_EQ(y, 100);
}

// More accesses than an entry of the pool has room for.
TEST_P(Order, TwelveAccesses) {
    std::array<int, 12> all{};
    runtime.run([&] {
        for (int i = 0; i < 40; ++i) {
            spawn([](int& a, int& b, int& c, int& d, int& e, int& f, int& g, int& h, int& k, int& l, int& m,
                     int& n) { ++a, ++b, ++c, ++d, ++e, ++f, ++g, ++h, ++k, ++l, ++m, n += a; },
                  inout(all[0]), inout(all[1]), inout(all[2]), inout(all[3]), inout(all[4]), inout(all[5]),
                  inout(all[6]), inout(all[7]), inout(all[8]), inout(all[9]), inout(all[10]), inout(all[11]));
            spawn([](int& a) { a += 0; }, inout(all[static_cast<std::size_t>(i) % 12]));
        }
        taskwait();
    });
    EXPECT_EQ(all[5], 40);
    EXPECT_EQ(all[11], 40 * 41 / 2);
}

// A random program, and what a serial run makes of it.
TEST_P(Order, RandomProgramsAreAsTheirSerialRun) {
    constexpr std::size_t objects = 12;
    constexpr int tasks = 300;
    std::minstd_rand random(7);
    for (int program = 0; program < 8; ++program) {
        std::array<unsigned, objects> serial{};
        std::array<unsigned, objects> parallel{};
        std::vector<std::array<std::size_t, 3>> which;
        for (int t = 0; t < tasks; ++t) {
            which.push_back({random() % objects, random() % objects, random() % objects});
        }
        const auto body = [](const unsigned& a, const unsigned& b, unsigned& c) { c = c * 31 + a * 7 + b + 1; };
        for (const auto& [a, b, c] : which) {
            body(serial[a], serial[b], serial[c]);
        }
        runtime.run([&] {
            for (int t = 0; t < tasks; ++t) {
                const auto& [a, b, c] = which[static_cast<std::size_t>(t)];
                spawn(body, in(parallel[a]), in(parallel[b]), inout(parallel[c]));
                if (t % 97 == 96) {
                    taskwait_on(in(parallel[a]));
                } else if (t % 151 == 150) {
                    taskwait();
                }
            }
        });
        ASSERT_EQ(serial, parallel) << "program " << program;
    }
    EXPECT_EQ(runtime.unmanaged(), 0U);
}

TEST_P(Order, AWaiterHasItsTurnAndEndsItself) {
    int x = 0;
    int y = 0;
    runtime.run([&] {
        for (int i = 1; i <= 50; ++i) {
            spawn([](int& v) { ++v; }, inout(x));
            spawn([](int& v) { ++v; }, inout(y));
            taskwait_on(in(x));
            EXPECT_EQ(x, i);
            spawn([](int& v, const int& w) { v += w - w; }, inout(x), in(y)); // behind the waiter, which has ended
            taskwait_on(inout(x), in(y));
            EXPECT_EQ(y, i);
        }
        taskwait();
    });
    EXPECT_EQ(x, 50);
}

TEST_P(Order, WhatAFailedTaskWouldHaveWrittenIsNotRead) {
    int x = 0;
    int y = 0;
    std::atomic<int> ran{0};
    runtime.run([&] {
        spawn([](int&) { throw std::runtime_error("the first"); }, inout(x));
        for (int i = 0; i < 30; ++i) {
            spawn([&](const int&, int&) { ++ran; }, in(x), out(y));
        }
        try {
            taskwait();
            ADD_FAILURE() << "nothing was thrown";
        } catch (const std::runtime_error& e) {
            EXPECT_EQ(e.what(), std::string("the first"));
        }
        spawn([&](int& v) { v = ++ran; }, inout(x)); // what was unwritten is forgotten with the wait
        taskwait();
    });
    EXPECT_EQ(ran, 1);
    EXPECT_EQ(x, 1);
}

TEST_P(Order, ChildrenOfTasksAreOrderedInTheirOwnScope) {
    constexpr int outer = 20;
    std::array<int, outer> all{};
    runtime.run([&] {
        for (int i = 0; i < outer; ++i) {
            spawn(
                [](int& v) {
                    for (int j = 0; j < 5; ++j) {
                        spawn([j](int& w) { w = w * 2 + j; }, inout(v));
                    }
                    taskwait();
                    v += 1000;
                },
                inout(all[static_cast<std::size_t>(i)]));
        }
        taskwait();
    });
    for (const int v : all) {
        EXPECT_EQ(v, 1000 + 26);
    }
    EXPECT_EQ(runtime.managed(), managed() ? outer : 0);
    EXPECT_EQ(runtime.unmanaged(), managed() ? 5 * outer : 0);
}

INSTANTIATE_TEST_SUITE_P(Managers, Order, all_settings, testing::PrintToStringParamName());

} // namespace

} // namespace task_manager_test
