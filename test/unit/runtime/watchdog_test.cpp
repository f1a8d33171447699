// SPDX-License-Identifier: Apache-2.0

// What the watchdog says of waits.

#include <array>
#include <atomic>
#include <chrono>
#include <coroutine>
#include <csignal>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skerry/skerry.hpp>

#include "../forkjoin/fire_and_forget.hpp"
#include "base/port/call_stack.hpp"
#include "base/port/lock_wait.hpp"
#include "base/port/thread_stack.hpp"
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
skerry_test::fire_and_forget await(skerry::future<void>& f, std::function<void()> rest) {
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

// While a stack is read a lock is held that the child's own watchdog needs. The thread does not answer: the reader
// waits for a tenth of a second, again and again.
TEST(Watchdog, AChildForkedWhileAStackIsReadCanReadItsOwn) {
    const skerry_test::child_result result = skerry_test::run_in_child([] {
        const skerry::runtime watches_forks;
        std::atomic<std::uint32_t> number{0};
        std::atomic<bool> over{false};
        std::thread deaf([&] {
            sigset_t all;
            sigfillset(&all);
            pthread_sigmask(SIG_BLOCK, &all, nullptr);
            number = skerry::port::thread_number();
            wait_until(over);
        });
        std::thread asks([&] {
            skerry::port::thread_stack_reader reader;
            while (!over) {
                static_cast<void>(reader.read(number));
                std::this_thread::sleep_for(std::chrono::milliseconds(1)); // for who forks to be next
            }
        });
        while (number == 0) {
            std::this_thread::yield();
        }
        int status = 0;
        for (int i = 0; i < 5 && status == 0; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5)); // it asks
            const pid_t child = fork();
            if (child == 0) {
                alarm(5);
                {
                    const std::lock_guard as_its_own_reader_takes_it(skerry::port::thread_stacks_mutex());
                }
                _exit(0);
            }
            status = skerry_test::wait_for(child);
        }
        over = true;
        deaf.join();
        asks.join();
        return status == 0 ? 0 : 1;
    });
    EXPECT_TRUE(result.exited && result.code == 0) << result.output;
}

} // namespace
