// SPDX-License-Identifier: Apache-2.0

// Exceptions of tasks: where they arrive, and what is skipped.

#include "runtimes.hpp"

#include <atomic>
#include <stdexcept>
#include <string>

#include <skerry/finish.hpp>
#include <skerry/serial.hpp>

using dataflow_test::Dataflow;
using skerry::in;
using skerry::inout;
using skerry::out;
using skerry::spawn;
using skerry::taskwait;
using skerry::taskwait_on;

namespace {

class DataflowErrors : public Dataflow {};

template <class F>
std::string text_of(F&& f) {
    try {
        f();
    } catch (const std::exception& e) {
        return e.what();
    }
    return "nothing";
}

void fail(int&) { throw std::runtime_error("failed"); }

TEST_P(DataflowErrors, ArriveAtTaskwaitOnce) {
    int x = 0;
    runtime.run([&] {
        spawn(fail, out(x));
        EXPECT_EQ(text_of([] { taskwait(); }), "failed");
        EXPECT_EQ(text_of([] { taskwait(); }), "nothing");
        spawn([](int& v) { v = 7; }, inout(x));
        taskwait();
    });
    EXPECT_EQ(x, 7);
}

TEST_P(DataflowErrors, ArriveAtTheRootAndAtFinish) {
    int x = 0;
    EXPECT_EQ(text_of([&] { runtime.run([&] { spawn(fail, out(x)); }); }), "failed");
    runtime.run([&] { EXPECT_EQ(text_of([&] { skerry::finish([&](auto&) { spawn(fail, out(x)); }); }), "failed"); });
}

TEST_P(DataflowErrors, ATaskwaitInsideAFinishTakesEarlierOnesToo) {
    const auto program = [](auto spawn_one, auto wait, auto within_finish) {
        spawn_one("before");
        within_finish([&] {
            spawn_one("inside");
            wait();
            spawn_one("later");
        });
    };
    int x[3] = {};
    int n = 0;
    std::string inner;
    const std::string parallel = text_of([&] {
        runtime.run([&] {
            const auto spawn_one = [&](const char* text) {
                spawn([](int&, const char* t) { throw std::runtime_error(t); }, out(x[n++]), text);
            };
            program(
                spawn_one, [&] { inner = text_of([] { taskwait(); }); },
                [](auto f) { skerry::finish([&](auto&) { f(); }); });
        });
    });
    EXPECT_EQ(inner + ' ' + parallel, "before later");
    n = 0;
    const std::string serial = text_of([&] {
        skerry::serial::runtime().run([&] {
            const auto spawn_one = [&](const char* text) {
                skerry::serial::spawn([](int&, const char* t) { throw std::runtime_error(t); }, out(x[n++]), text);
            };
            program(
                spawn_one, [&] { inner = text_of([] { skerry::serial::taskwait(); }); },
                [](auto f) { skerry::serial::finish([&](auto&) { f(); }); });
        });
    });
    EXPECT_EQ(inner + ' ' + serial, "before later");
}

TEST_P(DataflowErrors, TheFirstInProgramOrderIsTheOne) {
    for (int round = 0; round < 50; ++round) {
        int x[8] = {};
        const std::string text = text_of([&] {
            runtime.run([&] {
                for (int i = 0; i < 8; ++i) {
                    spawn([i](int&) { throw std::runtime_error(std::to_string(i)); }, out(x[i]));
                }
            });
        });
        ASSERT_EQ(text, "0");
    }
}

TEST_P(DataflowErrors, WhatReadsTheUnwrittenIsSkipped) {
    int x = 0;
    int y = 0;
    int z = 0;
    std::atomic<int> ran{0};
    const std::string text = text_of([&] {
        runtime.run([&] {
            spawn(fail, out(x));
            spawn([&ran](const int&, int&) { ++ran; }, in(x), out(y)); // skipped, and so y is unwritten
            spawn([&ran](const int&) { ++ran; }, in(y));               // skipped
            spawn([&ran](const int&) { ++ran; }, in(x));               // skipped
            spawn([&ran](int& v) { v = 1, ran += 100; }, inout(z));    // has nothing to do with it
            spawn([](int& v) { v = 5; }, out(x));                      // sound again
            spawn([&ran](const int& v) { ran += v * 1000; }, in(x));
        });
    });
    EXPECT_EQ(text, "failed");
    EXPECT_EQ(ran, 5100);
}

TEST_P(DataflowErrors, PartsAndWholesPassTheUnwrittenOn) {
    int a[4] = {};
    std::atomic<int> ran{0};
    EXPECT_EQ(text_of([&] {
                  runtime.run([&] {
                      spawn([](int(&)[4]) {}, inout(a));
                      spawn(fail, inout(a[1]));
                      spawn([&ran](int&) { ran += 1; }, inout(a[2]));
                      spawn([&ran](const int(&)[4]) { ran += 10; }, in(a)); // skipped
                  });
              }),
              "failed");
    EXPECT_EQ(ran, 1);
}

TEST_P(DataflowErrors, AChildsErrorIsItsParentsUnlessWaitedFor) {
    int x = 0;
    std::atomic<int> ran{0};
    EXPECT_EQ(text_of([&] {
                  runtime.run([&] {
                      spawn([](int& v) { spawn(fail, out(v)); }, out(x));
                      spawn([&ran](const int&) { ++ran; }, in(x)); // skipped: the parent has failed
                  });
              }),
              "failed");
    EXPECT_EQ(ran, 0);
    runtime.run([&] {
        spawn(
            [](int& v) {
                spawn(fail, out(v));
                EXPECT_EQ(text_of([] { taskwait(); }), "failed");
                v = 3;
            },
            out(x));
        spawn([&ran](const int& v) { ran = v; }, in(x));
    });
    EXPECT_EQ(ran, 3);
}

TEST_P(DataflowErrors, TaskwaitOnRethrowsWhatConcernsItsObjects) {
    int x = 0;
    int y = 0;
    runtime.run([&] {
        spawn(fail, out(x));
        spawn([](int& v) { v = 1; }, out(y));
        EXPECT_EQ(text_of([&] { taskwait_on(in(y)); }), "nothing");
        EXPECT_EQ(text_of([&] { taskwait_on(in(x)); }), "failed");
        EXPECT_EQ(text_of([&] { taskwait(); }), "nothing");
    });
}

TEST_P(DataflowErrors, ABodysOwnErrorGoesBeforeItsChildrens) {
    int x = 0;
    EXPECT_EQ(text_of([&] {
                  runtime.run([&] {
                      spawn(
                          [](int& v) {
                              spawn(fail, out(v));
                              throw std::runtime_error("own");
                          },
                          out(x));
                  });
              }),
              "own");
}

TEST_P(DataflowErrors, AnArgumentThatCannotBeCopiedBeginsNothing) {
    struct unwilling {
        unwilling() = default;
        unwilling(const unwilling&) { throw std::runtime_error("not copied"); }
    };
    int x = 0;
    const unwilling u;
    runtime.run(
        [&] { EXPECT_EQ(text_of([&] { spawn([](int& v, const unwilling&) { v = 1; }, out(x), u); }), "not copied"); });
    EXPECT_EQ(x, 0);
}

INSTANTIATE_TEST_SUITE_P(Workers, DataflowErrors, testing::Values(1U, 2U, 7U));

} // namespace
