// SPDX-License-Identifier: Apache-2.0

// What the watchdog says of programs that hang: each hangs for ever in a child, which ends when the report is there.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <coroutine>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <skerry/skerry.hpp>

#include "../base/child.hpp"
#include "base/port/call_stack.hpp"
#include "runtime/wait_graph.hpp"

namespace {

using skerry::detail::find_cycle;
using skerry::detail::wait_graph;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

TEST(WaitGraph, OfNobodyHasNoCycle) { EXPECT_TRUE(find_cycle({}).empty()); }

TEST(WaitGraph, AWaitForItselfIsACycle) { EXPECT_EQ(find_cycle({{}, {0, 1}}), std::vector<unsigned>{1}); }

TEST(WaitGraph, TwoWaysToOneAreNone) { EXPECT_TRUE(find_cycle({{1, 2}, {3}, {3}, {}}).empty()); }

TEST(WaitGraph, TheWayToACycleIsNotPartOfIt) {
    EXPECT_EQ(find_cycle({{1}, {2}, {3}, {1}}), (std::vector<unsigned>{1, 2, 3}));
}

RC_GTEST_PROP(WaitGraph, HasACycleUnlessItCanBeTakenApart, ()) {
    const auto nodes = *rc::gen::inRange<unsigned>(1, 9);
    const wait_graph graph = *rc::gen::container<wait_graph>(
        nodes, rc::gen::scale(0.1, rc::gen::container<std::vector<unsigned>>(rc::gen::inRange(0U, nodes))));
    // Takes away who waits for nobody that is left, again and again.
    std::vector<bool> left(nodes, true);
    for (unsigned round = 0; round < nodes; ++round) {
        for (unsigned i = 0; i < nodes; ++i) {
            left[i] = left[i] && std::ranges::any_of(graph[i], [&](unsigned to) { return left[to]; });
        }
    }
    const std::vector<unsigned> cycle = find_cycle(graph);
    RC_ASSERT(cycle.empty() == std::ranges::none_of(left, [](bool l) { return l; }));
    for (std::size_t i = 0; i < cycle.size(); ++i) {
        const unsigned next = cycle[(i + 1) % cycle.size()];
        RC_ASSERT(std::ranges::count(graph[cycle[i]], next) != 0);
    }
}

// Runs `program`, which hangs with a runtime of these options, until a report has all of `wanted` in it, and returns
// that report. The watchdog looks every 50 ms.
std::string report_of_runtime(unsigned workers, const std::function<void(const skerry::options&)>& program,
                              const std::vector<std::string>& wanted, unsigned blocking_threads = 4) {
    const skerry_test::child_result child = skerry_test::run_in_child([&] {
        alarm(60);
        int ends[2];
        if (pipe(ends) != 0 || dup2(ends[1], STDERR_FILENO) < 0) {
            return 1;
        }
        std::thread reader([&] {
            std::string report;
            char text[4096];
            for (ssize_t n = 0; (n = read(ends[0], text, sizeof text)) > 0;) {
                report.append(text, static_cast<std::size_t>(n));
                report.erase(0, report.rfind("skerry watchdog")); // the newest
                const bool complete = std::ranges::all_of(
                    wanted, [&report](const std::string& w) { return report.find(w) != std::string::npos; });
                if (complete && report.ends_with('\n')) {
                    break;
                }
            }
            static_cast<void>(write(STDOUT_FILENO, report.data(), report.size()));
            _exit(0);
        });
        skerry::options o;
        o.workers = workers;
        o.watchdog_seconds = 0.05;
        o.blocking_threads = blocking_threads;
        program(o);
        _exit(2);
    });
    EXPECT_TRUE(child.exited && child.code == 0) << child.code << ": " << child.output;
    return child.output;
}

// The same of what hangs inside the runtime.
std::string report_of(unsigned workers, const std::function<void()>& hang, const std::vector<std::string>& wanted,
                      unsigned blocking_threads = 4) {
    const auto inside = [&hang](const skerry::options& o) {
        skerry::runtime rt(o);
        rt.run(hang);
    };
    return report_of_runtime(workers, inside, wanted, blocking_threads);
}

void wait_until(const std::atomic<bool>& flag) {
    while (!flag) {
        std::this_thread::yield();
    }
}

// Prints the line that the next report is to name; every child prints at least one.
void expect_line(int line) { dprintf(STDOUT_FILENO, "expected watchdog_test.cpp:%d (\n", line); }

void expect_lines_in(const std::string& output) {
    constexpr std::string_view begin = "expected ";
    std::istringstream lines(output);
    int expected = 0;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(begin)) {
            ++expected;
            EXPECT_THAT(output, HasSubstr("/" + line.substr(begin.size())));
        }
    }
    EXPECT_GT(expected, 0);
}

[[noreturn]] void sleep_for_ever() {
    for (;;) {
        pause();
    }
}

TEST(Watchdog, NamesTheLineOfAJoin) {
    const std::string report = report_of(2,
                                         [] {
                                             std::atomic<bool> begun{false};
                                             expect_line(__LINE__ + 1);
                                             skerry::parallel_invoke([&] { wait_until(begun); },
                                                                     [&] {
                                                                         begun = true;
                                                                         sleep_for_ever();
                                                                     });
                                         },
                                         {"join of a stolen branch", "    at "});
    expect_lines_in(report);
    EXPECT_THAT(report, ContainsRegex("worker [01]: waits for join of a stolen branch 0x[0-9a-f]+, for [0-9]+ ms, "
                                      "which worker [01] runs, asleep"));
    EXPECT_THAT(report, Not(HasSubstr("deadlock")));
}

TEST(Watchdog, NamesTheLineOfAFinish) {
    const std::string report = report_of(2,
                                         [] {
                                             std::atomic<bool> begun{false};
                                             expect_line(__LINE__ + 1);
                                             skerry::finish([&](skerry::scope& s) {
                                                 s.async([&] {
                                                     begun = true;
                                                     sleep_for_ever();
                                                 });
                                                 wait_until(begun);
                                             });
                                         },
                                         {"finish: tasks begun inside", "    at "});
    expect_lines_in(report);
    EXPECT_THAT(report, ContainsRegex("waits for finish: tasks begun inside .*which worker [01] runs"));
}

TEST(Watchdog, NamesTheLineOfATaskwait) {
    int object = 0;
    const std::string report = report_of(2,
                                         [&] {
                                             std::atomic<bool> begun{false};
                                             skerry::spawn(
                                                 [&](int&) {
                                                     begun = true;
                                                     sleep_for_ever();
                                                 },
                                                 skerry::out(object));
                                             wait_until(begun);
                                             expect_line(__LINE__ + 1);
                                             skerry::taskwait();
                                         },
                                         {"waits for taskwait", "    at "});
    expect_lines_in(report);
}

TEST(Watchdog, NamesTheLineOfATaskwaitOn) {
    int object = 0;
    const std::string report = report_of(2,
                                         [&] {
                                             std::atomic<bool> begun{false};
                                             skerry::spawn(
                                                 [&](int&) {
                                                     begun = true;
                                                     sleep_for_ever();
                                                 },
                                                 skerry::out(object));
                                             wait_until(begun);
                                             expect_line(__LINE__ + 1);
                                             skerry::taskwait_on(skerry::in(object));
                                         },
                                         {"waits for taskwait_on", "    at "});
    expect_lines_in(report);
    EXPECT_THAT(report,
                ContainsRegex("waits for taskwait_on 0x[0-9a-f]+, for [0-9]+ ms, which worker [01] runs, asleep"));
    EXPECT_THAT(report, Not(HasSubstr("deadlock")));
}

TEST(Watchdog, NamesTheLineOfATaskGroup) {
    const std::string report = report_of(2,
                                         [] {
                                             std::atomic<bool> begun{false};
                                             skerry::task_group group;
                                             group.run([&] {
                                                 begun = true;
                                                 sleep_for_ever();
                                             });
                                             wait_until(begun);
                                             expect_line(__LINE__ + 1);
                                             group.wait();
                                         },
                                         {"waits for task_group", "    at "});
    expect_lines_in(report);
    EXPECT_THAT(report, ContainsRegex("waits for task_group: its tasks 0x[0-9a-f]+, for [0-9]+ ms, which worker [01] "
                                      "runs, asleep"));
    EXPECT_THAT(report, Not(HasSubstr("deadlock")));
}

TEST(Watchdog, NamesTheLineOfAFuture) {
    const std::string report = report_of(2,
                                         [] {
                                             std::atomic<bool> begun{false};
                                             const skerry::future<void> f = skerry::submit([&] {
                                                 begun = true;
                                                 sleep_for_ever();
                                             });
                                             wait_until(begun);
                                             expect_line(__LINE__ + 1);
                                             f.wait();
                                         },
                                         {"waits for the task of a future", "    at "});
    expect_lines_in(report);
    EXPECT_THAT(report, ContainsRegex("waits for the task of a future 0x[0-9a-f]+, for [0-9]+ ms, which worker [01] "
                                      "runs, asleep"));
    EXPECT_THAT(report, Not(HasSubstr("deadlock")));
}

// A coroutine that nobody waits for but the end of the runtime: what comes behind its await is a task there.
struct left_alone {
    struct promise_type {
        left_alone get_return_object() noexcept { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() noexcept {}
        void unhandled_exception() noexcept { std::terminate(); }
    };
};

left_alone await(skerry::future<void>& f, std::function<void()> rest) {
    co_await f;
    rest();
}

// Ends a runtime while a worker runs `rest`, a submitted task of it.
void end_beside(const skerry::options& o, const std::function<void()>& rest) {
    std::optional<skerry::runtime> rt(o);
    skerry::future<void> f;
    std::atomic<bool> made{false};
    std::atomic<bool> running{false}; // on the worker: nobody else takes a task meanwhile
    std::atomic<bool> awaited{false};
    std::atomic<bool> begun{false};
    std::thread outsider([&] {
        wait_until(made);
        await(f, [&] {
            begun = true;
            rest();
        });
        awaited = true;
    });
    rt->run([&] {
        f = skerry::submit([&] {
            running = true;
            wait_until(awaited);
        });
        wait_until(running);
        made = true;
    });
    outsider.join();
    wait_until(begun);
    expect_line(__LINE__ + 1);
    rt.reset();
}

TEST(Watchdog, NamesTheLineOfTheEndOfARuntime) {
    const std::string report = report_of_runtime(2, [](const skerry::options& o) { end_beside(o, sleep_for_ever); },
                                                 {"waits for end of the runtime", "    at "});
    expect_lines_in(report);
    EXPECT_THAT(report, ContainsRegex("waits for end of the runtime: tasks submitted to it 0x[0-9a-f]+, for [0-9]+ ms, "
                                      "which worker [01] runs, asleep"));
    EXPECT_THAT(report, Not(HasSubstr("deadlock")));
}

TEST(Watchdog, NamesALockThatIsHeldAcrossTheEndOfARuntime) {
    const std::string report = report_of_runtime(2,
                                                 [](const skerry::options& o) {
                                                     std::mutex lock;
                                                     const std::lock_guard held(lock);
                                                     end_beside(o, [&] { const std::lock_guard wanted(lock); });
                                                 },
                                                 {"deadlock: "});
    expect_lines_in(report);
    EXPECT_THAT(report, HasSubstr("deadlock: worker 0 waits for worker 1, worker 1 waits for worker 0\n"));
}

// The waiter holds a lock that what it waits for takes.
TEST(Watchdog, NamesTheHolderOfALock) {
    const std::string report = report_of(2,
                                         [] {
                                             std::mutex lock;
                                             std::atomic<bool> begun{false};
                                             const std::lock_guard held(lock);
                                             expect_line(__LINE__ + 1);
                                             skerry::finish([&](skerry::scope& s) {
                                                 s.async([&] {
                                                     begun = true;
                                                     const std::lock_guard wanted(lock);
                                                 });
                                                 wait_until(begun);
                                             });
                                         },
                                         {"deadlock: "});
    expect_lines_in(report);
    EXPECT_THAT(report, ContainsRegex("worker [01]: running tasks.*wants the lock 0x[0-9a-f]+ that worker [01] holds"));
    EXPECT_THAT(report, HasSubstr("deadlock: worker 0 waits for worker 1, worker 1 waits for worker 0\n"));
}

// The same on one stack: the waiter runs the task itself.
TEST(Watchdog, NamesALockThatIsTakenTwice) {
    const std::string report =
        report_of(1,
                  [] {
                      std::mutex lock;
                      const std::lock_guard held(lock);
                      skerry::finish([&](skerry::scope& s) { s.async([&] { const std::lock_guard wanted(lock); }); });
                  },
                  {"deadlock: "});
    EXPECT_THAT(report, HasSubstr("that it holds itself"));
    EXPECT_THAT(report, HasSubstr("deadlock: worker 0 waits for itself\n"));
}

// Two branches, neither of which waits for the other in Skerry: all that there is are the locks.
void lock_both(std::mutex& first, std::mutex& second, std::atomic<int>& begun) {
    const std::lock_guard held(first);
    begun.fetch_add(1);
    while (begun < 2) {
        std::this_thread::yield();
    }
    expect_line(__LINE__ + 1);
    const std::lock_guard wanted(second);
}

TEST(Watchdog, NamesACircleOfLocksWithoutAWait) {
    const std::string report =
        report_of(2,
                  [] {
                      std::mutex m;
                      std::mutex n;
                      std::atomic<int> begun{0};
                      skerry::parallel_invoke([&] { lock_both(m, n, begun); }, [&] { lock_both(n, m, begun); });
                  },
                  {"deadlock: "});
    expect_lines_in(report);
    EXPECT_THAT(report, ContainsRegex("worker 0: [^\n]*wants the lock 0x[0-9a-f]+ that worker 1 holds"));
    EXPECT_THAT(report, ContainsRegex("worker 1: [^\n]*wants the lock 0x[0-9a-f]+ that worker 0 holds"));
    EXPECT_THAT(report, HasSubstr("deadlock: worker 0 waits for worker 1, worker 1 waits for worker 0\n"));
}

// No task at all: the program's own code, inside a runtime.
TEST(Watchdog, NamesALockThatTheProgramTakesTwice) {
    const std::string report = report_of(1,
                                         [] {
                                             std::mutex lock;
                                             const std::lock_guard held(lock);
                                             expect_line(__LINE__ + 1);
                                             const std::lock_guard again(lock);
                                         },
                                         {"deadlock: "});
    expect_lines_in(report);
    EXPECT_THAT(report, HasSubstr("skerry watchdog: a worker has slept in a call of the program longer than 50 ms\n"));
    EXPECT_THAT(report, HasSubstr("deadlock: worker 0 waits for itself\n"));
}

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
        EXPECT_THAT(report, ContainsRegex("in a task that begins at [^\n]*watchdog_test.cpp:[0-9]+\n"));
        EXPECT_THAT(report, Not(HasSubstr("start_thread")));
        EXPECT_THAT(report, Not(HasSubstr("deadlock")));
    }
}

// Nobody waits in Skerry, and nothing is wrong: the report says so once.
TEST(Watchdog, NamesATaskThatRunsForLong) {
    const std::string report = report_of(2,
                                         [] {
                                             std::atomic<bool> begun{false};
                                             skerry::task_group group;
                                             group.run(skerry::named<"long one">([&] {
                                                 expect_line(__LINE__ + 2);
                                                 begun = true;
                                                 for (std::atomic<int> i{0}; begun; ++i) {
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
        EXPECT_THAT(report, ContainsRegex("runs [^\n]*(Watchdog_NamesTheFunction|watchdog_test.cpp)[^\n]*, for"));
        EXPECT_THAT(report, Not(HasSubstr("detail::")));
        EXPECT_THAT(report, ContainsRegex("    at [^\n]*watchdog_test.cpp:[0-9]+ \\("));
        EXPECT_THAT(report, ContainsRegex("in a task that begins at [^\n]*watchdog_test.cpp:[0-9]+\n"));
    }
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
                    const auto got = read(ends[0], &c, 1); // nobody writes
                    dprintf(STDERR_FILENO, "skerry watchdog: the call has ended with %d\n", static_cast<int>(got));
                }
            }).wait();
        },
        {"    near "});
    EXPECT_THAT(report, ContainsRegex("    near [^\n]*watchdog_test.cpp:[0-9]+ "));
    EXPECT_THAT(report, Not(HasSubstr("the call has ended")));
}

TEST(Watchdog, NamesALockThatIsHeldOutside) {
    std::mutex lock;
    const std::string report = report_of(2,
                                         [&] {
                                             std::atomic<bool> held{false};
                                             std::thread outsider([&] {
                                                 lock.lock();
                                                 held = true;
                                                 sleep_for_ever();
                                             });
                                             wait_until(held);
                                             std::atomic<bool> begun{false};
                                             skerry::finish([&](skerry::scope& s) {
                                                 s.async([&] {
                                                     begun = true;
                                                     const std::lock_guard wanted(lock);
                                                 });
                                                 wait_until(begun);
                                             });
                                         },
                                         {"which is no worker"});
    EXPECT_THAT(report, ContainsRegex("wants the lock 0x[0-9a-f]+ that thread [0-9]+ holds, which is no worker"));
    EXPECT_THAT(report, Not(HasSubstr("deadlock")));
}

TEST(Watchdog, NamesFuturesThatWaitForEachOther) {
    const std::string report = report_of(2,
                                         [] {
                                             std::atomic<bool> first_begun{false};
                                             std::atomic<bool> second_begun{false};
                                             skerry::future<void> second;
                                             skerry::future<void> first = skerry::submit([&] {
                                                 first_begun = true;
                                                 wait_until(second_begun);
                                                 expect_line(__LINE__ + 1);
                                                 second.wait();
                                             });
                                             wait_until(first_begun);
                                             second = skerry::submit([&] {
                                                 second_begun = true;
                                                 expect_line(__LINE__ + 1);
                                                 first.wait();
                                             });
                                             second.wait();
                                         },
                                         {"deadlock: "});
    expect_lines_in(report);
    EXPECT_THAT(report, HasSubstr("waits for the task of a future"));
    EXPECT_THAT(report, HasSubstr("deadlock: worker 0 waits for worker 1, worker 1 waits for worker 0\n"));
}

// The two calls wait for a task that no thread is left to run: the worker begins with its newest, the stand-in with the
// oldest.
TEST(Watchdog, NamesBlockingCallsThatUseUpTheirThreads) {
    const std::string report = report_of(
        1,
        [] {
            std::promise<void> never;
            const std::shared_future<void> end = never.get_future().share();
            const auto wait = [end] {
                expect_line(__LINE__ + 1);
                skerry::blocking([&] { end.wait(); });
            };
            skerry::finish([&](skerry::scope& s) {
                s.async(wait);
                s.async([&] { never.set_value(); });
                s.async(wait);
            });
        },
        {"SKERRY_BLOCKING_THREADS"}, 1);
    expect_lines_in(report);
    EXPECT_THAT(report, ContainsRegex("inside blocking\\(\\), for [0-9]+ ms"));
    EXPECT_THAT(report, HasSubstr("2 workers are inside blocking() and 1 threads stand in for them, of at most 1"
                                  ": raise options::blocking_threads or SKERRY_BLOCKING_THREADS\n"));
}

// A process that was forked while another thread was loading a library, as the watchdog does when it reads where a wait
// stands, cannot load one: glibc's loader ends it, or waits for ever.
TEST(Watchdog, AChildForkedDuringAReportMakesItsOwn) {
    const skerry_test::child_result result = skerry_test::run_in_child([] {
        const skerry::runtime watches_forks;
        std::array<const void*, 32> calls{};
        const std::span<const void* const> found(calls.data(), skerry::port::call_stack(calls));
        std::atomic<bool> over{false};
        std::thread reader([&] {
            while (!over) {
                static_cast<void>(skerry::port::place_of_call(found));
                std::this_thread::sleep_for(std::chrono::milliseconds(1)); // for who forks to be next
            }
        });
        int status = 0;
        for (int i = 0; i < 40 && status == 0; ++i) {
            const pid_t child = fork();
            if (child == 0) {
                alarm(20);
                static_cast<void>(skerry::port::place_of_call(found));
                _exit(0);
            }
            status = skerry_test::wait_for(child);
        }
        over = true;
        reader.join();
        return status == 0 ? 0 : 1;
    });
    EXPECT_TRUE(result.exited && result.code == 0) << result.output;
}

} // namespace
