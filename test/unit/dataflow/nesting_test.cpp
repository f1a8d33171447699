// SPDX-License-Identifier: Apache-2.0

// Tasks within tasks, and beside the constructs of fork and join.

#include "runtimes.hpp"

#include <array>
#include <atomic>
#include <span>
#include <stdexcept>
#include <vector>

#include <skerry/finish.hpp>
#include <skerry/future.hpp>
#include <skerry/parallel_invoke.hpp>
#include <skerry/task_group.hpp>

using dataflow_test::Dataflow;
using skerry::in;
using skerry::inout;
using skerry::out;
using skerry::spawn;
using skerry::taskwait;

namespace {

class DataflowNesting : public Dataflow {};

struct pair {
    int left = 0;
    int right = 0;
};

TEST_P(DataflowNesting, ATaskEndsWhenItsDescendantsHave) {
    pair p;
    std::atomic<int> seen{-1};
    runtime.run([&] {
        for (int i = 0; i < 50; ++i) {
            spawn(
                [](pair& q) {
                    spawn(
                        [](pair& r) {
                            spawn([](int& x) { ++x; }, inout(r.left));
                            spawn([](int& x) { ++x; }, inout(r.right));
                        },
                        inout(q));
                },
                inout(p));
        }
        spawn([&seen](const pair& q) { seen = q.left + q.right; }, in(p));
    });
    EXPECT_EQ(seen, 100);
}

TEST_P(DataflowNesting, TaskwaitIsForTheOwnChildren) {
    pair p;
    dataflow_test::barrier gate;
    runtime.run([&] {
        if (alone()) {
            gate.open();
        }
        spawn([&gate](int& x) { gate.pass(), x = 1; }, out(p.left));
        spawn(
            [&gate](int& x) {
                spawn([](int& y) { y = 5; }, out(x));
                taskwait();
                EXPECT_EQ(x, 5);
                gate.open(); // its uncle has not ended yet
            },
            out(p.right));
    });
    EXPECT_EQ(p.left, 1);
}

TEST_P(DataflowNesting, WhatATaskBeginsByOtherConstructsIsPartOfIt) {
    std::array<int, 3> a{};
    int sum = -1;
    runtime.run([&] {
        spawn(
            [](std::array<int, 3>& x) {
                static_cast<void>(skerry::submit([&x] { x[0] = 1; }));
                skerry::finish([&](skerry::scope& s) { s.async([&x] { spawn([](int& y) { y = 2; }, out(x[1])); }); });
                EXPECT_EQ(x[1], 2);
                skerry::parallel_invoke([&x] { spawn([](int& y) { y = 4; }, out(x[2])); }, [] {});
            },
            inout(a));
        spawn([&sum](const std::array<int, 3>& x) { sum = x[0] + x[1] + x[2]; }, in(a));
    });
    EXPECT_EQ(sum, 7);
}

// The first child comes when the body has ended: nothing before has made the scope that waits for it.
TEST_P(DataflowNesting, WhatATaskLeavesBehindMaySpawn) {
    int sum = 0;
    int seen = -1;
    runtime.run([&] {
        for (int i = 0; i < 200; ++i) {
            dataflow_test::barrier body_over;
            spawn(
                [&body_over](int& x) {
                    const auto dropped = skerry::submit([&body_over, &x] {
                        body_over.pass();
                        spawn([](int& y) { ++y; }, inout(x));
                        spawn([](int& y) { ++y; }, inout(x));
                    });
                    body_over.open();
                },
                inout(sum));
            taskwait();
        }
        spawn([&seen](const int& x) { seen = x; }, in(sum));
    });
    EXPECT_EQ(seen, 400);

    seen = -1;
    runtime.run([&] { // the same of a root
        const auto dropped = skerry::submit([&seen] { spawn([](int& x) { x = 7; }, out(seen)); });
    });
    EXPECT_EQ(seen, 7);
}

TEST_P(DataflowNesting, FinishCoversWhatIsSpawnedInIt) {
    int x = 0;
    runtime.run([&] {
        spawn([](int& v) { v = 1; }, out(x));
        skerry::finish([&](skerry::scope&) {
            spawn([](int& v) { v = v * 10 + 2; }, inout(x));
            skerry::parallel_invoke([&] { spawn([](int& v) { v = v * 10 + 3; }, inout(x)); }, [] {});
        });
        EXPECT_EQ(x, 123);
    });
}

// Each worker waits in a finish for a task that comes after one in its own deque, spawned before the finish.
TEST_P(DataflowNesting, FinishRunsWhatItsTasksComeAfter) {
    struct cell {
        int value = 0;
    };
    std::vector<cell> cells(GetParam());
    std::atomic<unsigned> here{0};
    runtime.run([&] {
        for (cell& c : cells) {
            spawn(
                [&](cell& own) {
                    ++here;
                    while (!alone() && here < cells.size()) {
                        std::this_thread::yield();
                    }
                    spawn([](int& v) { v = 1; }, out(own.value));
                    skerry::finish([&](skerry::scope&) { spawn([](int& v) { v = v * 10 + 2; }, inout(own.value)); });
                    EXPECT_EQ(own.value, 12);
                },
                inout(c));
        }
    });
}

int fib(int n) {
    if (n < 2) {
        return n;
    }
    pair p;
    spawn([](int& r, int m) { r = fib(m); }, out(p.left), n - 1);
    spawn([](int& r, int m) { r = fib(m); }, out(p.right), n - 2);
    taskwait();
    return p.left + p.right;
}

TEST_P(DataflowNesting, RecursionWithoutCutOff) {
    EXPECT_EQ(runtime.run([] { return fib(15); }), 610);
}

TEST_P(DataflowNesting, BranchesOfAForkMaySpawnAndWait) {
    std::array<pair, 64> cells{};
    const auto work = [&cells](std::size_t i) {
        for (int k = 0; k < 20; ++k) {
            spawn([](int& x) { ++x; }, inout(cells[i].left));
        }
        taskwait();
        EXPECT_EQ(cells[i].left, 20);
    };
    const auto split = [&](auto& self, std::size_t first, std::size_t last) -> void {
        if (last - first == 1) {
            work(first);
            return;
        }
        const std::size_t middle = (first + last) / 2;
        skerry::parallel_invoke([&] { self(self, first, middle); }, [&] { self(self, middle, last); });
    };
    runtime.run([&] { split(split, 0, cells.size()); });
}

TEST_P(DataflowNesting, AGroupsTasksMaySpawnAndTasksMayHaveGroups) {
    pair p;
    runtime.run([&] {
        skerry::task_group group;
        group.run([&] {
            spawn([](int& v) { v = 1; }, out(p.left));
            taskwait();
            EXPECT_EQ(p.left, 1);
        });
        spawn(
            [](int& v) {
                skerry::task_group inner;
                inner.run([&v] { v = 2; });
                inner.wait();
            },
            out(p.right));
        group.wait();
    });
    EXPECT_EQ(p.right, 2);
}

#ifndef NDEBUG
TEST_P(DataflowNesting, ContainmentIsChecked) {
    static pair p;
    static int elsewhere = 0;
    const auto message = [&]() -> std::string {
        try {
            runtime.run([&] {
                spawn(
                    {.name = "parent"}, [](int&) { spawn({.name = "child"}, [](int&) {}, inout(elsewhere)); },
                    inout(p.left));
            });
        } catch (const std::logic_error& e) {
            return e.what();
        }
        return "no error";
    }();
    EXPECT_THAT(message, testing::MatchesRegex("skerry: task 'child' accesses inout 4 bytes at 0x[0-9a-f]+, which its "
                                               "parent, task 'parent', does not; that has inout 4 bytes at "
                                               "0x[0-9a-f]+\\."));
    EXPECT_THROW(
        runtime.run([&] { spawn([](const int& x) { spawn([](int&) {}, inout(const_cast<int&>(x))); }, in(p.left)); }),
        std::logic_error);
    runtime.run([&] { // of its own stack a task may do as it likes
        spawn(
            [](int& x) {
                int local = 1;
                spawn([](int& l, int& y) { y = ++l; }, inout(local), out(x));
                taskwait();
            },
            out(p.left));
    });
    EXPECT_EQ(p.left, 2);
    runtime.run([&] { // and of no bytes
        spawn(
            [](int& x) {
                spawn([](int& y, std::span<int> s) { y = s.empty() ? 3 : 4; }, out(x), inout(std::span<int>()));
            },
            out(p.left));
    });
    EXPECT_EQ(p.left, 3);
}
#endif

INSTANTIATE_TEST_SUITE_P(Workers, DataflowNesting, testing::Values(1U, 2U, 7U));

} // namespace
