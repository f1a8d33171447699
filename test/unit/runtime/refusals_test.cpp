// SPDX-License-Identifier: Apache-2.0

// A system that refuses the membarrier or threads: a clear error, or a slower program with the right result.

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <system_error>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skerry/blocking.hpp>
#include <skerry/finish.hpp>
#include <skerry/forkjoin.hpp>
#include <skerry/future.hpp>
#include <skerry/runtime.hpp>
#include <skerry/task_group.hpp>

#include "../base/child.hpp"
#include "../base/meeting.hpp"
#include "../base/seccomp.hpp"
#include "threads.hpp"

namespace {

using skerry_test::child_result;
using skerry_test::meeting;
using skerry_test::no_filter;
using skerry_test::refuse_membarrier;
using skerry_test::run_in_child;
using testing::ContainsRegex;
using testing::HasSubstr;

long fib(int n) {
    if (n < 2) {
        return n;
    }
    const auto [x, y] = skerry::parallel_invoke([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
    return x + y;
}

skerry::options with(unsigned workers) {
    skerry::options o;
    o.workers = workers;
    return o;
}

// --- membarrier -----------------------------------------------------------------------------------------------------

class MembarrierRefused : public testing::TestWithParam<unsigned> {
  protected:
    // `body` in a child that has a filter from the beginning.
    static void expect_success(const std::function<int()>& body) {
        const child_result child = run_in_child([&] { return refuse_membarrier(GetParam()) ? body() : no_filter; });
        if (child.exited && child.code == no_filter) {
            GTEST_SKIP() << "this kernel forbids seccomp filters here";
        }
        EXPECT_TRUE(child.exited && child.code == 0) << child.code << child.output;
    }
};
INSTANTIATE_TEST_SUITE_P(Errors, MembarrierRefused, testing::Values(EPERM, ENOSYS));

// The owner does not answer while its tasks are taken: without a fence it could not be forced.
TEST_P(MembarrierRefused, StealsAreLocked) {
    expect_success([] {
        skerry::runtime rt(with(2));
        std::atomic<int> done{0};
        const auto spread = [&](auto&& self, int n) -> void {
            if (n == 0) {
                while (done < 12) {
                    std::this_thread::yield();
                }
                return;
            }
            skerry::parallel_invoke([&] { self(self, n - 1); }, [&] { ++done; });
        };
        for (int round = 0; round < 20; ++round) {
            done = 0;
            rt.run([&] { spread(spread, 12); });
        }
        const long result = rt.run([] { return fib(18); });
        const skerry::statistics s = rt.stats();
        std::printf("fib %ld, %llu steals, %llu by force\n", result, static_cast<unsigned long long>(s.steals_granted),
                    static_cast<unsigned long long>(s.steals_asymmetric));
        return result == 2584 && s.steals_granted >= 20 * 12 && s.steals_asymmetric == 0 ? 0 : 1;
    });
}

TEST_P(MembarrierRefused, TheDefaultRuntimeComputes) {
    expect_success([] {
        setenv("SKERRY_WORKERS", "3", 1);
        return fib(18) == 2584 ? 0 : 1;
    });
}

// A sandbox that closes when the program has begun: nothing can be taken by force any more, and asking goes on.
TEST(MembarrierRefusedLater, StealsArePolite) {
    const child_result child = run_in_child([] {
        skerry::runtime rt(with(2));
        rt.run([] { fib(10); });
        if (!refuse_membarrier(EPERM)) {
            return no_filter;
        }
        rt.run([] {
            std::atomic<bool> stolen{false};
            skerry::parallel_invoke(
                [&] {
                    while (!stolen) {
                        fib(3); // a push answers who asks
                    }
                },
                [&] { stolen = true; });
        });
        return rt.run([] { return fib(18); }) == 2584 ? 0 : 1;
    });
    if (child.exited && child.code == no_filter) {
        GTEST_SKIP() << "this kernel forbids seccomp filters here";
    }
    EXPECT_TRUE(child.exited && child.code == 0) << child.code << child.output;
}

// --- threads --------------------------------------------------------------------------------------------------------

int threads() { return static_cast<int>(skerry_test::threads().size()); }

void wait_for_threads(int n) {
    while (threads() != n) {
        std::this_thread::yield();
    }
}

// A sanitizer begins a thread of its own with the first one of the program.
void begin_sanitizers_thread() {
    const int before = threads();
    std::atomic<bool> end{false};
    std::thread first([&end] { end.wait(false); });
    const int own = threads() - before - 1;
    end = true;
    end.notify_one();
    first.join();
    wait_for_threads(before + own);
}

// The system counts all of a user's processes and lets root have its way.
bool become_a_user_of_its_own() {
    const auto nobodys = static_cast<uid_t>(20'000 + getpid() % 40'000);
    return (geteuid() == 0 && setuid(nobodys) == 0) || unshare(CLONE_NEWUSER) == 0;
}

constexpr int unlimited = -1;
// Leaves room for so many threads beside those that are there.
bool limit_threads(int more) {
    rlimit limit{};
    getrlimit(RLIMIT_NPROC, &limit);
    limit.rlim_cur = more == unlimited ? limit.rlim_max : static_cast<rlim_t>(threads() + more);
    return setrlimit(RLIMIT_NPROC, &limit) == 0;
}

constexpr int no_limit = 78;

// `body` in a child that may start so many threads.
child_result with_room_for(int more, const std::function<int()>& body) {
    return run_in_child([&] {
        if (!become_a_user_of_its_own()) {
            return no_limit;
        }
        begin_sanitizers_thread();
        return limit_threads(more) ? body() : no_limit;
    });
}

#define SKIP_WITHOUT_LIMIT(child)                                                                                      \
    if ((child).exited && (child).code == no_limit) {                                                                  \
        GTEST_SKIP() << "this user can have no limit on threads of its own";                                           \
    }

constexpr const char* reason = ": the system has no more threads for this process (RLIMIT_NPROC, the cgroup's pids.max "
                               "or memory); lower options::workers or SKERRY_WORKERS";

// Runs what is to fail; its text is printed. Whether it failed for want of threads, and has left none behind.
template <class Start>
bool fails_without_traces(Start&& start) {
    const int before = threads();
    try {
        start();
    } catch (const std::system_error& e) {
        std::puts(e.what());
        wait_for_threads(before);
        return e.code() == std::errc::resource_unavailable_try_again;
    }
    return false;
}

TEST(ThreadsRefused, ALaterWorker) {
    const child_result child = with_room_for(2, [] {
        if (!fails_without_traces([] { const skerry::runtime rt(with(8)); })) {
            return 1;
        }
        skerry::runtime fewer(with(2));
        return fewer.run([] { return fib(18); }) == 2584 ? 0 : 2;
    });
    SKIP_WITHOUT_LIMIT(child);
    EXPECT_TRUE(child.exited && child.code == 0) << child.code << child.output;
    EXPECT_THAT(child.output, HasSubstr("skerry: cannot start skerry worker 2" + std::string(reason)));
}

TEST(ThreadsRefused, OfTheDefaultRuntime) {
    const child_result child = with_room_for(2, [] {
        setenv("SKERRY_WORKERS", "8", 1);
        for (int i = 0; i < 2; ++i) { // it is made by each construct anew until it stands
            if (!fails_without_traces([] { fib(10); })) {
                return 1;
            }
        }
        setenv("SKERRY_WORKERS", "2", 1);
        return fib(18) == 2584 ? 0 : 2;
    });
    SKIP_WITHOUT_LIMIT(child);
    EXPECT_TRUE(child.exited && child.code == 0) << child.code << child.output;
    EXPECT_THAT(child.output, HasSubstr("skerry: cannot start skerry worker 2" + std::string(reason)));
}

TEST(ThreadsRefused, TheWatchdog) {
    const child_result child = with_room_for(2, [] {
        skerry::options o = with(3);
        o.watchdog_seconds = 1;
        return fails_without_traces([&o] { const skerry::runtime rt(o); }) ? 0 : 1;
    });
    SKIP_WITHOUT_LIMIT(child);
    EXPECT_TRUE(child.exited && child.code == 0) << child.code << child.output;
    EXPECT_THAT(child.output, HasSubstr("skerry: cannot start skerry watchdog" + std::string(reason)));
}

void meet_inside_blocking(int n) {
    meeting m(n);
    skerry::finish([&m, n](skerry::scope& s) {
        for (int i = 0; i < n; ++i) {
            s.async([&m] { skerry::blocking([&m] { m.come(); }); });
        }
    });
}

// Nobody stands in: the workers do the rest when their calls are over. Once threads are to be had, somebody does.
TEST(ThreadsRefused, StandIns) {
    const child_result child = with_room_for(1, [] {
        skerry::runtime rt(with(2));
        std::atomic<int> ran = 0;
        rt.run([&ran] {
            meet_inside_blocking(2); // each asks for one
            skerry::finish([&ran](skerry::scope& s) {
                for (int i = 0; i < 100; ++i) {
                    s.async([&ran] {
                        skerry::blocking([] { std::this_thread::yield(); });
                        ++ran;
                    });
                }
            });
        });
        if (ran != 100 || rt.stats().threads_high_water != 1) {
            return 1;
        }
        if (!limit_threads(unlimited)) {
            return 2;
        }
        rt.run([] { meet_inside_blocking(4); });
        return rt.stats().threads_high_water >= 3 ? 0 : 3;
    });
    SKIP_WITHOUT_LIMIT(child);
    EXPECT_TRUE(child.exited && child.code == 0) << child.code << child.output;
}

// The worker runs what is submitted; it would be the reserve's if the worker were not free.
TEST(ThreadsRefused, TheReserve) {
    const child_result child = with_room_for(1, [] {
        setenv("SKERRY_WORKERS", "2", 1);
        int sum = 0;
        for (int i = 0; i < 10; ++i) {
            sum += skerry::submit([i] { return i; }).get();
        }
        return sum == 45 && skerry::current_statistics().threads_high_water == 1 ? 0 : 1;
    });
    SKIP_WITHOUT_LIMIT(child);
    EXPECT_TRUE(child.exited && child.code == 0) << child.code << child.output;
}

// Workers and the one who comes hold all slots: the worker runs what is submitted.
TEST(SlotsRefused, TheReserve) {
    const child_result child = run_in_child([] {
        setenv("SKERRY_WORKERS", "2", 1);
        setenv("SKERRY_MAX_SLOTS", "2", 1);
        int sum = 0;
        for (int i = 0; i < 10; ++i) {
            sum += skerry::submit([i] { return i; }).get();
        }
        skerry::task_group group;
        group.run([&sum] { ++sum; });
        group.wait();
        return sum == 46 && skerry::current_statistics().threads_high_water == 1 ? 0 : 1;
    });
    EXPECT_TRUE(child.exited && child.code == 0) << child.code << child.output;
}

// Nobody else would run it.
TEST(ThreadsRefused, TheReserveOfOneWorker) {
    const child_result child = with_room_for(0, [] {
        setenv("SKERRY_WORKERS", "1", 1);
        if (fib(10) != 55 || !fails_without_traces([] { skerry::submit([] { return 1; }).get(); })) {
            return 1;
        }
        return limit_threads(unlimited) && skerry::submit([] { return 1; }).get() == 1 ? 0 : 2;
    });
    SKIP_WITHOUT_LIMIT(child);
    EXPECT_TRUE(child.exited && child.code == 0) << child.code << child.output;
    EXPECT_THAT(child.output, ContainsRegex("skerry: cannot start skerry reserve [0-9]+: the system has no more"));
}

} // namespace
