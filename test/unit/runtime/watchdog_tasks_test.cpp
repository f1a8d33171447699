// SPDX-License-Identifier: Apache-2.0

// What the watchdog says of tasks, and of calls that keep a worker.

#include <atomic>
#include <condition_variable>
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include <sys/syscall.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skerry/skerry.hpp>

#include "../forkjoin/fire_and_forget.hpp"
#include "hang_report.hpp"

namespace {

using skerry_test::expect_line;
using skerry_test::expect_lines_in;
using skerry_test::report_of;
using skerry_test::report_of_runtime;
using skerry_test::sleep_for_ever;
using skerry_test::wait_until;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

// A task that waits for a condition, which nobody but the system knows of.
void wait_for_ever(std::condition_variable& condition, std::mutex& lock) {
    std::unique_lock held(lock);
    expect_line(__LINE__ + 2);
    while (true) {
        condition.wait(held);
    }
}

TEST(Watchdog, NamesTheLineOfATaskInACondition) {
    for (const unsigned workers : {1U, 2U}) {
        const std::string report =
            report_of(workers,
                      [] {
                          std::mutex lock;
                          std::condition_variable condition;
                          skerry::finish([&](skerry::scope& s) {
                              s.async(skerry::named<"consumer">([&] { wait_for_ever(condition, lock); }));
                          });
                      },
                      {"runs consumer, for", "    at "});
        expect_lines_in(report);
        EXPECT_THAT(report, ContainsRegex("in a task that begins at [^\n]*watchdog_tasks_test.cpp:[0-9]+\n"));
        EXPECT_THAT(report, Not(HasSubstr("start_thread")));
        EXPECT_THAT(report, Not(HasSubstr("deadlock")));
    }
}

// Nobody waits in Skerry, and nothing is wrong: the report says so once.
TEST(Watchdog, NamesATaskThatRunsForLong) {
    const std::string report = report_of(2,
                                         [] {
                                             std::atomic<bool> on{true};
                                             skerry::task_group group;
                                             expect_line(__LINE__ + 2); // the task does nothing but that
                                             group.run(skerry::named<"long one">([&] {
                                                 for (std::atomic<int> i{0}; on; ++i) {
                                                 }
                                             }));
                                             while (true) {
                                                 std::this_thread::yield();
                                             }
                                         },
                                         {"runs long one, for"});
    expect_lines_in(report);
    EXPECT_THAT(report, HasSubstr("skerry watchdog: a task has run for longer than 50 ms\n"));
    EXPECT_THAT(report, ContainsRegex("worker 0: running tasks, for [0-9]+ ms, runs long one, for [0-9]+ ms"));
    EXPECT_THAT(report, Not(HasSubstr("deadlock")));
}

// What has no name goes by its function, whatever runs it.
TEST(Watchdog, NamesTheFunctionOfATaskWithoutAName) {
    const auto stuck = [] {
        std::atomic<bool> on{true};
        while (on) {
        }
    };
    const std::vector<std::function<void()>> programs{
        [&] { skerry::submit(stuck).wait(); }, [&] { skerry::finish([&](skerry::scope& s) { s.async(stuck); }); },
        [&] {
            int x = 0;
            skerry::spawn([&](int&) { stuck(); }, skerry::inout(x));
            skerry::taskwait();
        },
        [&] {
            std::atomic<bool> begun{false};
            skerry::parallel_invoke([&] { wait_until(begun); },
                                    [&] {
                                        begun = true;
                                        stuck();
                                    });
        }};
    for (const auto& program : programs) {
        const std::string report = report_of(2, program, {"    at ", "in a task that begins at "});
        EXPECT_THAT(report, ContainsRegex("runs [^\n]*(Watchdog_NamesTheFunction|watchdog_tasks_test.cpp)[^\n]*, for"));
        EXPECT_THAT(report, Not(HasSubstr("detail::")));
        EXPECT_THAT(report, ContainsRegex("    at [^\n]*watchdog_tasks_test.cpp:[0-9]+ \\("));
        EXPECT_THAT(report, ContainsRegex("in a task that begins at [^\n]*watchdog_tasks_test.cpp:[0-9]+\n"));
    }
}

// A task that is known to run for long comes to a call that keeps it.
TEST(Watchdog, NamesACallThatKeepsATaskThatIsKnown) {
    const auto hang = [] {
        wait_until(skerry_test::reported);
        sleep_for_ever();
    };
    const std::string report =
        report_of(1, hang, {"skerry watchdog: a worker has slept in a call of the program longer than 50 ms\n"});
    EXPECT_THAT(report, ContainsRegex("worker 0: [^\n]*, asleep in a call of its own, for [0-9]+ ms\n"));
    EXPECT_THAT(report, ContainsRegex("    near [^\n]*:[0-9]+ \\("));
}

// A call that a signal would end is left alone: its stack is read from outside.
TEST(Watchdog, LeavesACallAlone) {
    const std::string report = report_of(
        2,
        [] {
            skerry::submit([] {
                int ends[2];
                char c = 0;
                if (pipe(ends) == 0) {
                    // Nobody writes. No sanitizer stands in for this call, with frames of its own around it.
                    const long got = syscall(SYS_read, ends[0], &c, 1);
                    dprintf(STDERR_FILENO, "skerry watchdog: the call has ended with %d\n", static_cast<int>(got));
                }
            }).wait();
        },
        {"    near "});
    EXPECT_THAT(report, ContainsRegex("    near [^\n]*watchdog_tasks_test.cpp:[0-9]+ "));
    EXPECT_THAT(report, Not(HasSubstr("the call has ended")));
}

// A body that computes for ever, from the line of the call on.
void compute() {
    std::atomic<bool> on{true};
    while (on) {
    }
}

// What comes behind its await runs for ever.
skerry_test::fire_and_forget compute_behind(skerry::future<void> f) {
    co_await f;
    compute();
}

struct in_place {
    const char* what;
    std::function<void()> run;
    const char* name; // as the report has it; empty: it has none
};

// What no thief takes runs for too long like any task, whoever called the construct: with one worker there is no thief.
const std::vector<in_place>& run_in_place() {
    static const std::vector<in_place> all{
        {"branch", [] { skerry::parallel_invoke(compute, [] {}); }, ""},
        {"named branch", [] { skerry::parallel_invoke(skerry::named<"left">(compute), [] {}); }, "left"},
        {"loop", [] { skerry::parallel_for(0, 2, [](int) { compute(); }); }, ""},
        {"named loop", [] { skerry::parallel_for(0, 2, skerry::named<"body">([](int) { compute(); })); }, "body"},
        {"finish", [] { skerry::finish([](skerry::scope&) { compute(); }); }, ""},
        {"named finish", [] { skerry::finish(skerry::named<"inside">([](skerry::scope&) { compute(); })); }, "inside"},
        {"sort",
         [] {
             std::vector<std::string> v{"3", "2", "1", "5", "4"};
             skerry::parallel_sort(v, skerry::named<"less">([](const std::string& a, const std::string& b) {
                                       compute();
                                       return a < b;
                                   }));
         },
         "less"},
    };
    return all;
}

void expect_place_and_name(const in_place& p, const std::string& report) {
    EXPECT_THAT(report, HasSubstr("skerry watchdog: a task has run for longer than 50 ms\n")) << p.what;
    EXPECT_THAT(report, ContainsRegex("worker 0: runs the program's own code, ")) << p.what;
    EXPECT_THAT(report, ContainsRegex("    at [^\n]*watchdog_tasks_test.cpp:[0-9]+ ")) << p.what;
}

TEST(Watchdog, NamesWhatRunsInPlaceInARuntime) {
    for (const in_place& p : run_in_place()) {
        const std::string name = *p.name != 0 ? std::string("runs ") + p.name + ", for" : "own code, for";
        expect_place_and_name(p, report_of(1, p.run, {name, "    at "}));
    }
}

TEST(Watchdog, NamesWhatRunsInPlaceInTheDefaultRuntime) {
    for (const in_place& p : run_in_place()) {
        const std::string name = *p.name != 0 ? std::string("runs ") + p.name + ", for" : "own code, for";
        const auto outside = [&p](const skerry::options&) {
            setenv("SKERRY_WATCHDOG", "0.05", 1);
            setenv("SKERRY_WORKERS", "1", 1);
            p.run();
        };
        expect_place_and_name(p, report_of_runtime(1, outside, {name, "    at "}));
    }
}

TEST(Watchdog, NamesTheRootTask) {
    const auto root = [](const skerry::options& o) { skerry::runtime(o).run(skerry::named<"the root">(compute)); };
    const std::string report = report_of_runtime(1, root, {"runs the root, for", "    at "});
    EXPECT_THAT(report, HasSubstr("a task has run for longer than 50 ms\n"));
}

// The root has been reported long before, and nothing waits.
TEST(Watchdog, NamesWhatBeginsLaterInATaskThatIsKnownToRunForLong) {
    const auto later = [](const skerry::options& o) {
        skerry::runtime(o).run([] {
            wait_until(skerry_test::reported);
            skerry::parallel_invoke(skerry::named<"later">(compute), [] {});
        });
    };
    const std::string report = report_of_runtime(1, later, {"runs later, for"});
    EXPECT_THAT(report, HasSubstr("a task has run for longer than 50 ms\n"));
}

TEST(Watchdog, NamesABodyThatIsReferredTo) {
    const auto hang = [] {
        auto body = skerry::named<"referred to">(compute);
        skerry::task_group group;
        group.run(std::ref(body));
        group.wait();
    };
    EXPECT_THAT(report_of(1, hang, {"runs referred to, for"}), Not(HasSubstr("reference_wrapper")));
}

// Its task has the code of all tasks that call such a pointer.
TEST(Watchdog, NamesTheFunctionThatAPointerLeadsTo) {
    const std::vector<std::function<void()>> programs{
        [] {
            skerry::task_group group;
            group.run(&compute);
            group.wait();
        },
        [] { skerry::finish([](skerry::scope& s) { s.async(&compute); }); },
        [] { skerry::submit(&compute).wait(); },
    };
    for (const auto& program : programs) {
        const std::string report = report_of(1, program, {", runs "});
        EXPECT_THAT(report, ContainsRegex("runs \\(anonymous namespace\\)::compute, for"));
    }
}

TEST(Watchdog, PassesOverAnEmptyName) {
    const auto hang = [] {
        skerry::task_group group;
        group.run(skerry::named<"">([] { compute(); }));
        group.wait();
    };
    const std::string report = report_of(1, hang, {", runs "});
    EXPECT_THAT(report, ContainsRegex("runs [^\n]*PassesOverAnEmptyName[^\n]*, for"));
    EXPECT_THAT(report, Not(HasSubstr("named_task")));

    const auto spawned = [] {
        int x = 0;
        skerry::spawn(skerry::task_options{""}, [](int&) { compute(); }, skerry::inout(x));
        skerry::taskwait();
    };
    EXPECT_THAT(report_of(1, spawned, {", runs "}),
                ContainsRegex("runs [^\n]*watchdog_tasks_test.cpp[^\n]*, for|runs [^\n]*PassesOver"));
}

TEST(Watchdog, NamesTheCoroutineWhoseRestRuns) {
    const auto hang = [] { skerry::finish([](skerry::scope&) { compute_behind(skerry::submit([] {})); }); };
    const std::string report = report_of(1, hang, {", runs "});
    EXPECT_THAT(report, ContainsRegex("runs [^\n]*compute_behind, for"));
    EXPECT_THAT(report, Not(HasSubstr("continuation")));
}

TEST(Watchdog, NamesAStolenPartOfALoopByWhatItIs) {
    const auto hang = [] { skerry::parallel_for(0, 1000, [](int) { compute(); }); };
    const std::string report = report_of(2, hang, {"runs part of an algorithm, for"});
    EXPECT_THAT(report, ContainsRegex("    at [^\n]*watchdog_tasks_test.cpp:[0-9]+ "));
}

TEST(Watchdog, WritesANameOnOneLineAndWithoutEscapes) {
    const auto hang = [] {
        skerry::finish([](skerry::scope& s) { s.async(skerry::named<"a\nb \x1b[31m\x7f\u00e9 \"c\"">(compute)); });
    };
    const std::string report = report_of(1, hang, {", runs a"});
    EXPECT_THAT(report, HasSubstr("runs a\\x0ab \\x1b[31m\\x7f\u00e9 \"c\", for"));
}

} // namespace
