// SPDX-License-Identifier: Apache-2.0

// What the watchdog says of locks that workers hold and want.

#include <atomic>
#include <mutex>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skerry/skerry.hpp>

#include "hang_report.hpp"

namespace {

using skerry_test::expect_line;
using skerry_test::expect_lines_in;
using skerry_test::report_of;
using skerry_test::sleep_for_ever;
using skerry_test::wait_until;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

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
    EXPECT_THAT(report, HasSubstr("deadlock: worker 0 waits for itself\n"));
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

} // namespace
