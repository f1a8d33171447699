// SPDX-License-Identifier: Apache-2.0

// Exceptions of tasks: where they arrive, and what is skipped.

#include "runtimes.hpp"

#include <atomic>
#include <stdexcept>
#include <string>
#include <utility>

#include <skerry/finish.hpp>
#include <skerry/region.hpp>
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

struct parallel {
    template <class... A>
    static void spawn(A&&... a) {
        skerry::spawn(std::forward<A>(a)...);
    }
    template <class... A>
    static std::string wait_on(const A&... a) {
        return text_of([&] { skerry::taskwait_on(a...); });
    }
    static std::string wait() {
        return text_of([] { skerry::taskwait(); });
    }
};

struct elision {
    template <class... A>
    static void spawn(A&&... a) {
        skerry::serial::spawn(std::forward<A>(a)...);
    }
    template <class... A>
    static std::string wait_on(const A&... a) {
        return text_of([&] { skerry::serial::taskwait_on(a...); });
    }
    static std::string wait() {
        return text_of([] { skerry::serial::taskwait(); });
    }
};

template <class T>
void fail_as(T&, const char* text) {
    throw std::runtime_error(text);
}

TEST_P(DataflowErrors, TaskwaitOnRethrowsTheFirstReasonOnce) {
    const auto program = [](auto with) {
        int x[4] = {};
        with.spawn(fail_as<int>, out(x[0]), "a");
        with.spawn(fail_as<int>, out(x[1]), "b");
        with.spawn(fail_as<int>, out(x[2]), "c");
        with.spawn([](const int&, const int&, int&) {}, in(x[1]), in(x[2]), out(x[3])); // skipped, first for b
        EXPECT_EQ(with.wait_on(in(x[3])), "b");
        EXPECT_EQ(with.wait_on(in(x[3])), "nothing") << "it has been rethrown";
        EXPECT_EQ(with.wait_on(out(x[2])), "c") << "whoever waits wants to know, also if he only writes";
        EXPECT_EQ(with.wait(), "a");
        EXPECT_EQ(with.wait(), "nothing");
    };
    runtime.run([&] { program(parallel()); });
    skerry::serial::runtime().run([&] { program(elision()); });
}

// A part is unwritten by itself, whoever has named the whole.
TEST_P(DataflowErrors, WhatOverlapsTheUnwrittenIsSkippedAndNothingElse) {
    const auto program = [](auto with) {
        int a[4] = {};
        std::atomic<int> ran{0};
        const auto note = [&ran](const int&, int n) { ran += n; };
        with.spawn([](int(&)[4]) {}, inout(a));
        with.spawn(fail_as<int>, inout(a[1]), "failed");
        with.spawn([&ran](const int(&)[4]) { ran += 1; }, in(a)); // skipped
        with.spawn(note, in(a[1]), 10);                           // skipped
        with.spawn(note, in(a[2]), 100);
        with.spawn([&ran](int(&)[4]) { ran += 1000; }, inout(a)); // skipped: all is unwritten now
        with.spawn(note, in(a[2]), 10'000);                       // skipped
        with.spawn([](int&) {}, out(a[2]));                       // another name: does not write the whole
        with.spawn(note, in(a[2]), 100'000);                      // skipped
        with.spawn([](int(&)[4]) {}, out(a));
        with.spawn(note, in(a[2]), 1'000'000);
        with.spawn(note, in(a[1]), 10'000'000); // skipped: by its own name it has not been written
        EXPECT_EQ(with.wait(), "failed");
        EXPECT_EQ(ran, 1'000'100);
        with.spawn(note, in(a[1]), 1); // after a taskwait all counts as written
        EXPECT_EQ(with.wait(), "nothing");
        EXPECT_EQ(ran, 1'000'101);
    };
    runtime.run([&] { program(parallel()); });
    skerry::serial::runtime().run([&] { program(elision()); });
}

TEST_P(DataflowErrors, ARegionIsUnwrittenWithAllThatLiesInIt) {
    const auto program = [](auto with) {
        skerry::region top = skerry::root_region().create();
        skerry::region inner = top.create();
        skerry::region other = top.create();
        int* const x = inner.make<int>(0);
        int* const y = other.make<int>(0);
        std::atomic<int> ran{0};
        const auto note = [&ran](const int&, int n) { ran += n; };
        with.spawn([](skerry::region&) { throw std::runtime_error("failed"); }, inout(inner));
        with.spawn(note, in(*x), 1); // skipped
        with.spawn(note, in(*y), 10);
        with.spawn([&ran](const skerry::region&) { ran += 100; }, in(top)); // skipped
        with.spawn([&ran](const skerry::region&) { ran += 1000; }, in(other));
        EXPECT_EQ(with.wait(), "failed");
        EXPECT_EQ(ran, 1010);
        top.destroy_all();
    };
    runtime.run([&] { program(parallel()); });
    skerry::serial::runtime().run([&] { program(elision()); });
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
