// SPDX-License-Identifier: Apache-2.0

// A runtime and the process around it: fork(), plugins, static storage, stacks, the watchdog.

#include <sys/wait.h>
#include <unistd.h>

#include <dlfcn.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skerry/finish.hpp>
#include <skerry/forkjoin.hpp>
#include <skerry/region.hpp>
#include <skerry/runtime.hpp>

namespace {

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

// Before main: static storage is still being made.
const long made_before_main = fib(12);

// After main: destructors of static storage use Skerry; the process must still end with its own status.
struct uses_skerry_at_exit {
    ~uses_skerry_at_exit() {
        if (fib(12) != 144) {
            std::_Exit(99);
        }
    }
};
const uses_skerry_at_exit at_exit;

TEST(StaticStorage, UsableBeforeMain) { EXPECT_EQ(made_before_main, 144); }

// Runs body in a forked child and returns its wait status; a child that hangs is ended by an alarm.
template <class Body>
int in_child(Body&& body) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        body();
        _exit(0);
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return status;
}

TEST(Fork, TheChildRebuildsTheDefaultRuntime) {
    EXPECT_EQ(fib(15), 610);
    const int status = in_child([] { _exit(fib(15) == 610 ? 7 : 8); });
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 7);
    EXPECT_EQ(fib(15), 610);
}

TEST(Fork, TheChildRebuildsARuntimeOfItsOwn) {
    std::optional<skerry::runtime> rt(std::in_place, with(3));
    EXPECT_EQ(rt->run([] { return fib(15); }), 610);
    const int status = in_child([&] {
        const bool right = rt->run([] { return fib(16); }) == 987;
        rt.reset();
        _exit(right ? 7 : 8);
    });
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 7);
    EXPECT_EQ(rt->run([] { return fib(15); }), 610);
}

// Threads of the child that come at the same time find one new engine, in which they all have slots.
TEST(Fork, TheChildsThreadsRebuildARuntimeOnce) {
    skerry::runtime rt(with(2));
    EXPECT_EQ(rt.run([] { return fib(10); }), 55);
    const skerry::region root = rt.root_region();
    for (int i = 0; i < 40; ++i) {
        const int status = in_child([&] {
            constexpr int threads = 4;
            std::atomic<int> outside{threads};
            std::atomic<int> inside{0};
            std::atomic<int> right{0};
            std::vector<std::thread> all;
            for (int k = 0; k < threads; ++k) {
                all.emplace_back([&, k] {
                    --outside;
                    while (outside != 0) {
                        std::this_thread::yield();
                    }
                    std::this_thread::sleep_for(std::chrono::microseconds(5 * k * i)); // while another one builds
                    const bool before = rt.workers() == 2 && rt.root_region() == root;
                    const bool together = rt.run([&] {
                        ++inside;
                        while (inside != threads) {
                            std::this_thread::yield();
                        }
                        return skerry::current_statistics().slots_high_water > threads && fib(10) == 55;
                    });
                    right += before && together && rt.root_region() == root ? 1 : 0;
                });
            }
            for (std::thread& t : all) {
                t.join();
            }
            _exit(right == threads ? 7 : 8);
        });
        ASSERT_TRUE(WIFEXITED(status)) << WTERMSIG(status);
        ASSERT_EQ(WEXITSTATUS(status), 7) << i;
    }
}

TEST(Fork, GrandchildrenToo) {
    EXPECT_EQ(fib(10), 55);
    const int status = in_child([] {
        fib(10);
        const int inner = in_child([] { _exit(fib(15) == 610 ? 7 : 8); });
        _exit(WIFEXITED(inner) ? WEXITSTATUS(inner) : 9);
    });
    EXPECT_EQ(WEXITSTATUS(status), 7);
}

// exec and _exit in the child of a task are what programs do; they must work.
TEST(Fork, InsideATaskTheChildMayLeave) {
    skerry::runtime rt(with(2));
    rt.run([] {
        skerry::parallel_invoke(
            [] {
                const int status = in_child([] { _exit(3); });
                EXPECT_EQ(WEXITSTATUS(status), 3);
            },
            [] { fib(10); });
    });
}

using ProcessDeathTest = testing::Test;

TEST(ProcessDeathTest, AChildThatGoesOnWithItsTaskIsToldSo) {
    EXPECT_DEATH(
        {
            skerry::runtime rt(with(2));
            rt.run([] {
                skerry::parallel_invoke(
                    [] {
                        if (fork() != 0) {
                            int status = 0;
                            wait(&status);
                            std::abort();
                        }
                    },
                    [] { fib(10); });
            });
        },
        "fork\\(\\) was called inside a task");
}

TEST(ProcessDeathTest, AChildThatBeginsALooseTaskIsToldSo) {
    const std::string file = testing::TempDir() + "skerry_loose_" + std::to_string(getpid());
    for (const bool traced : {false, true}) {
        EXPECT_DEATH(
            {
                skerry::options o = with(1);
                o.trace = traced ? file : "";
                skerry::runtime rt(o);
                rt.run([] {
                    skerry::finish([](skerry::scope& s) {
                        if (fork() != 0) {
                            int status = 0;
                            wait(&status);
                            std::abort();
                        }
                        s.async([] {});
                        _exit(0); // before the end of the finish, which would tell it as well
                    });
                });
            },
            "fork\\(\\) was called inside a task");
    }
    std::remove(file.c_str());
}

TEST(ProcessDeathTest, AStackOverflowInAWorkerIsReported) {
    const auto overflow = [] {
        skerry::options o = with(2);
        o.stack_size = std::size_t{256} << 10;
        skerry::runtime rt(o);
        rt.run([] {
            std::atomic<bool> begun{false};
            skerry::parallel_invoke(
                [&] {
                    while (!begun) {
                        std::this_thread::yield();
                    }
                },
                [&] {
                    begun = true;
                    const auto deep = [](auto&& self, int n) -> int {
                        char frame[4096];
                        std::memset(frame, n, sizeof frame);
                        asm volatile("" : : "r"(frame) : "memory");
                        return n == 0 ? 0 : self(self, n - 1) + frame[n % 4096];
                    };
                    EXPECT_EQ(deep(deep, 1000), -1);
                });
        });
    };
    EXPECT_DEATH(overflow(), "stack overflow in .*SKERRY_STACK_SIZE");
}

TEST(ProcessDeathTest, DestroyedByItsOwnTask) {
    EXPECT_DEATH(
        {
            std::optional<skerry::runtime> rt(std::in_place, with(1));
            rt->run([&] { rt.reset(); });
        },
        "destroyed by a task that runs in it");
}

TEST(ProcessDeathTest, TheWatchdogNamesTheWait) {
    const auto wait_long = [] {
        skerry::options o = with(2);
        o.watchdog_seconds = 0.05;
        skerry::runtime rt(o);
        rt.run([] {
            std::atomic<bool> begun{false};
            skerry::parallel_invoke(
                [&] {
                    while (!begun) {
                        std::this_thread::yield();
                    }
                },
                [&] {
                    begun = true;
                    std::this_thread::sleep_for(std::chrono::milliseconds(400)); // what the watchdog is to find
                });
        });
        std::exit(5);
    };
    EXPECT_EXIT(wait_long(), testing::ExitedWithCode(5), "lasted longer than 50 ms(.|\n)*waits for join of a stolen");
}

TEST(Plugin, MayBeClosedAfterUse) {
    for (int round = 0; round < 3; ++round) {
        void* const plugin = dlopen(SKERRY_TEST_PLUGIN, RTLD_NOW | RTLD_LOCAL);
        ASSERT_NE(plugin, nullptr) << dlerror();
        const auto work = reinterpret_cast<long (*)(int)>(dlsym(plugin, "plugin_fib"));
        ASSERT_NE(work, nullptr);
        EXPECT_EQ(work(15), 610);
        EXPECT_EQ(dlclose(plugin), 0);
    }
    EXPECT_EQ(fib(15), 610);
}

} // namespace
