// SPDX-License-Identifier: Apache-2.0

#include <malloc.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skerry/forkjoin.hpp>
#include <skerry/runtime.hpp>
#include <skerry/serial.hpp>

#include "threads.hpp"

namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

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

// A variable of the environment, as long as this lives.
class variable {
  public:
    variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
    variable(const variable&) = delete;
    variable& operator=(const variable&) = delete;
    ~variable() { unsetenv(name_); }

  private:
    const char* name_;
};

TEST(Runtime, RunReturnsTheResult) {
    for (const unsigned workers : {1U, 2U, 3U, 8U, 64U}) {
        skerry::runtime rt(with(workers));
        EXPECT_EQ(rt.workers(), workers);
        EXPECT_EQ(rt.run([] { return fib(15); }), 610);
        rt.run([] { EXPECT_EQ(fib(10), 55); });
    }
}

TEST(Runtime, RunRethrows) {
    skerry::runtime rt(with(2));
    EXPECT_THROW(rt.run([]() -> int { throw std::out_of_range("here"); }), std::out_of_range);
    EXPECT_EQ(rt.run([] { return fib(12); }), 144);
}

TEST(Runtime, TheDefaultRuntimeNeedsNoSetup) { EXPECT_EQ(fib(18), 2584); }

TEST(Runtime, Nested) {
    skerry::runtime outer(with(2));
    skerry::runtime inner(with(3));
    const long sum = outer.run([&] {
        const auto [a, b] = skerry::parallel_invoke([&] { return inner.run([] { return fib(14); }); },
                                                    [&] { return inner.run([] { return fib(13); }) + fib(10); });
        return a + b + inner.run([&] { return outer.run([] { return fib(9); }); });
    });
    EXPECT_EQ(sum, 377 + 233 + 55 + 34);
}

TEST(Runtime, TwoAtOnce) {
    skerry::runtime one(with(2));
    skerry::runtime two(with(2));
    long a = 0;
    std::thread other([&] { a = one.run([] { return fib(20); }); });
    const long b = two.run([] { return fib(21); });
    other.join();
    EXPECT_EQ(a, 6765);
    EXPECT_EQ(b, 10946);
}

TEST(Runtime, ItsWorkersAreOneDomain) {
    skerry::runtime two(with(2));
    two.run([] {
        std::atomic<int> begun{0};
        const auto branch = [&] {
            begun.fetch_add(1);
            while (begun.load() < 2) {
                std::this_thread::yield();
            }
        };
        skerry::parallel_invoke(branch, branch);
    });
    const auto executors = two.executors();
    ASSERT_EQ(executors.size(), 1U); // the branch that was not stolen is no task
    EXPECT_THAT(executors[0].name, testing::StartsWith("worker "));
    EXPECT_EQ(executors[0].domain, 0U);
    EXPECT_EQ(executors[0].stolen, 1U);
}

// Within half a minute: the system may take a while to begin a thread, and to bury it.
bool soon(auto&& condition) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!condition() && std::chrono::steady_clock::now() < until) {
        std::this_thread::yield();
    }
    return condition();
}

TEST(Runtime, TakesItsThreadsWithIt) {
    { // a sanitizer begins a thread of its own with the first one
        const skerry::runtime first(with(2));
    }
    const auto before = skerry_test::threads();
    std::set<std::string> own;
    const auto are_there = [&](std::size_t n) {
        own = skerry_test::threads();
        std::erase_if(own, [&](const std::string& id) { return before.contains(id); });
        return own.size() == n;
    };
    {
        skerry::runtime rt(with(4));
        rt.run([] { fib(10); });
        EXPECT_TRUE(soon([&] { return are_there(3); })) << own.size() << " beside the one who calls, of four workers";
    }
    EXPECT_TRUE(soon([&] { return are_there(0); })) << own.size() << " are left";
}

TEST(Runtime, DestroyedWhileIdle) {
    for (int i = 0; i < 200; ++i) {
        skerry::runtime rt(with(4));
        if (i % 2 == 0) {
            rt.run([] { fib(5); });
        }
    }
}

// The leak checker looks at what that leaves behind.
TEST(Runtime, KnowsTheCpusThatItHasSeenBefore) {
    cpu_set_t all;
    ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(skerry::describe_machine().cpus.front(), &one);
    const auto rounds = [&](int n) {
        for (int i = 0; i < n; ++i) {
            for (const cpu_set_t* const set : {&one, &all}) {
                ASSERT_EQ(sched_setaffinity(0, sizeof *set, set), 0);
                skerry::runtime rt(with(2));
                EXPECT_EQ(rt.run([] { return fib(5); }), 5);
            }
        }
    };
    rounds(2);
    const std::size_t before = mallinfo2().uordblks;
    rounds(20);
    EXPECT_LT(mallinfo2().uordblks, before + 2048); // 40 descriptions of a machine, however small
}

TEST(Runtime, SlotsAreDistinctAndBelowTheMaximum) {
    skerry::runtime rt(with(3));
    EXPECT_EQ(skerry::this_worker::slot(), skerry::max_slots());
    std::vector<std::atomic<int>> holders(1024);
    std::atomic<bool> clash{false};
    const auto hold = [&](auto&& self, int depth) -> void {
        if (depth == 0) {
            const unsigned slot = skerry::this_worker::slot();
            if (slot >= skerry::max_slots() || holders[slot].fetch_add(1) != 0) {
                clash = true;
            }
            std::this_thread::yield();
            holders[slot].fetch_sub(1);
            return;
        }
        skerry::parallel_invoke([&] { self(self, depth - 1); }, [&] { self(self, depth - 1); });
    };
    std::vector<std::thread> threads;
    for (int t = 0; t < 5; ++t) {
        threads.emplace_back([&] { rt.run([&] { hold(hold, 8); }); });
    }
    for (std::thread& t : threads) {
        t.join();
    }
    EXPECT_FALSE(clash);
}

TEST(Runtime, MoreThreadsThanSlotsIsAClearError) {
    skerry::options o = with(1);
    o.max_slots = 1;
    skerry::runtime rt(o);
    rt.run([&] {
        std::thread second([&] {
            EXPECT_THAT([&] { rt.run([] {}); },
                        ThrowsMessage<std::system_error>(AllOf(HasSubstr("max_slots"), HasSubstr("SKERRY_MAX_SLOTS"))));
        });
        second.join();
    });
    rt.run([] {});
}

TEST(Runtime, TooFewSlotsForTheWorkers) {
    skerry::options o = with(4);
    o.max_slots = 2;
    EXPECT_THAT([&] { const skerry::runtime rt(o); }, ThrowsMessage<std::invalid_argument>(HasSubstr("max_slots")));
}

TEST(Options, OutOfRangeNamesTheOption) {
    const auto rejects = [](const char* name, auto&& spoil) {
        skerry::options o;
        spoil(o);
        EXPECT_THAT([&] { const skerry::runtime rt(o); },
                    ThrowsMessage<std::invalid_argument>(AllOf(HasSubstr(name), HasSubstr("accepted"))));
    };
    rejects("workers", [](skerry::options& o) { o.workers = 100000; });
    rejects("stack_size", [](skerry::options& o) { o.stack_size = 1; });
    rejects("max_slots", [](skerry::options& o) { o.max_slots = 0; });
    rejects("blocking_threads", [](skerry::options& o) { o.blocking_threads = 1000000; });
    rejects("watchdog_seconds", [](skerry::options& o) { o.watchdog_seconds = -1; });
}

TEST(Options, TheEnvironmentIsRead) {
    const variable a("SKERRY_WORKERS", "3");
    const variable b("SKERRY_PIN", "yes");
    const variable c("SKERRY_STACK_SIZE", "1M");
    const variable d("SKERRY_MAX_SLOTS", "77");
    const variable e("SKERRY_BLOCKING_THREADS", "9");
    const variable f("SKERRY_STEAL", "locked");
    const variable g("SKERRY_WATCHDOG", "2.5");
    const variable h("SKERRY_GUARD_ACCESSES", "off");
    const skerry::options o = skerry::options::from_environment();
    EXPECT_EQ(o.workers, 3U);
    EXPECT_TRUE(o.pin);
    EXPECT_EQ(o.stack_size, std::size_t{1} << 20);
    EXPECT_EQ(o.max_slots, 77U);
    EXPECT_EQ(o.blocking_threads, 9U);
    EXPECT_EQ(o.steal, skerry::steal_mode::locked);
    EXPECT_EQ(o.watchdog_seconds, 2.5);
    EXPECT_FALSE(o.guard_accesses);
}

TEST(Options, MalformedVariablesAreNamed) {
    for (const char* name : {"SKERRY_WORKERS", "SKERRY_PIN", "SKERRY_STACK_SIZE", "SKERRY_MAX_SLOTS",
                             "SKERRY_BLOCKING_THREADS", "SKERRY_STEAL", "SKERRY_GUARD_ACCESSES", "SKERRY_WATCHDOG"}) {
        const variable v(name, "perhaps");
        EXPECT_THAT(
            [] { skerry::options::from_environment(); },
            ThrowsMessage<std::invalid_argument>(AllOf(HasSubstr(name), HasSubstr("perhaps"), HasSubstr("accepted"))));
    }
}

TEST(Options, LockedStealsWork) {
    skerry::options o = with(3);
    o.steal = skerry::steal_mode::locked;
    skerry::runtime rt(o);
    EXPECT_EQ(rt.run([] { return fib(18); }), 2584);
    EXPECT_EQ(rt.stats().steals_asymmetric, 0U);
}

TEST(Options, PinnedWorkersWork) {
    skerry::options o = with(2);
    o.pin = true;
    skerry::runtime rt(o);
    EXPECT_EQ(rt.run([] { return fib(18); }), 2584);
}

// The second branch can only end if somebody else runs it: the first waits for it. Shows that thieves are there.
TEST(Steals, AThiefTakesTheSecondBranch) {
    skerry::runtime rt(with(2));
    std::atomic<bool> second{false};
    rt.run([&] {
        skerry::parallel_invoke(
            [&] {
                while (!second) {
                    std::this_thread::yield();
                }
            },
            [&] { second = true; });
    });
    EXPECT_GE(rt.stats().steals_granted, 1U);
    EXPECT_GE(rt.stats().tasks, 1U);
}

// Three stand in the deque of a worker that waits for all of them, and one thief takes them one by one.
TEST(Steals, AThiefTakesTheOldest) {
    skerry::runtime rt(with(2));
    for (int round = 0; round < 20; ++round) {
        std::vector<int> order; // of the thief alone
        std::atomic<std::size_t> ran{0};
        const auto fork = [&](auto&& self, int depth) -> void {
            if (depth == 3) {
                while (ran < 3) {
                    std::this_thread::yield();
                }
                return;
            }
            skerry::parallel_invoke([&] { self(self, depth + 1); },
                                    [&, depth] {
                                        order.push_back(depth);
                                        ++ran;
                                    });
        };
        rt.run([&] { fork(fork, 0); });
        EXPECT_EQ(order, (std::vector<int>{0, 1, 2}));
    }
}

// An owner deep in a leaf answers nobody. Its private tasks can still be taken.
TEST(Steals, ADeafOwnerHoldsNoHostages) {
    skerry::runtime rt(with(2));
    for (int round = 0; round < 20; ++round) {
        std::atomic<int> done{0};
        const auto spread = [&](auto&& self, int n) -> void {
            if (n == 0) {
                while (done < 12) { // a leaf that does not end before all others have run
                    std::this_thread::yield();
                }
                return;
            }
            skerry::parallel_invoke([&] { self(self, n - 1); }, [&] { ++done; });
        };
        rt.run([&] { spread(spread, 12); });
        EXPECT_EQ(done, 12);
    }
}

// Sleep and wake: every round needs the other worker, which has gone to sleep meanwhile.
TEST(Sleeping, NoLostWakeup) {
    skerry::runtime rt(with(3));
    for (int round = 0; round < 300; ++round) {
        if (round % 10 == 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1)); // gives them time to sleep; decides nothing
        }
        std::atomic<int> met{0};
        const auto meet = [&] {
            ++met;
            while (met < 3) {
                std::this_thread::yield();
            }
        };
        rt.run([&] { skerry::parallel_invoke(meet, meet, meet); });
    }
    EXPECT_GT(rt.stats().sleeps, 0U);
}

// Work that appears while the joiner sleeps on a stolen branch: only that joiner is free to take it.
TEST(Sleeping, AJoinerWakesForWorkOfItsThief) {
    skerry::runtime rt(with(2));
    for (int round = 0; round < 20; ++round) {
        std::atomic<bool> begun{false};
        std::atomic<int> met{0};
        const auto meet = [&] {
            ++met;
            while (met < 2) {
                std::this_thread::yield();
            }
        };
        rt.run([&] {
            skerry::parallel_invoke(
                [&] {
                    while (!begun) {
                        std::this_thread::yield();
                    }
                },
                [&] {
                    begun = true;
                    std::this_thread::sleep_for(std::chrono::milliseconds(1)); // the joiner sleeps by then
                    skerry::parallel_invoke(meet, meet);
                });
        });
        EXPECT_EQ(met, 2);
    }
}

// A lock may be held across a join: nothing unrelated runs on top of the waiting frame, so nothing on this thread asks
// for the lock again.
TEST(Waiting, ALockMayBeHeldAcrossAJoin) {
    skerry::runtime rt(with(4));
    std::mutex mutex;
    std::atomic<int> violations{0};
    thread_local int holding = 0;
    const auto locked_join = [&](int depth) {
        if (holding != 0) {
            ++violations; // try_lock would be undefined, lock() a deadlock
            return;
        }
        const std::lock_guard lock(mutex);
        ++holding;
        const auto work = [&](auto&& self, int n) -> int {
            if (n == 0) {
                return 1;
            }
            const auto [a, b] =
                skerry::parallel_invoke([&] { return self(self, n - 1); }, [&] { return self(self, n - 1); });
            return a + b;
        };
        EXPECT_EQ(work(work, depth), 1 << depth);
        --holding;
    };
    const auto many = [&](auto&& self, int n) -> void {
        if (n == 0) {
            locked_join(7);
            return;
        }
        skerry::parallel_invoke([&] { self(self, n - 1); }, [&] { self(self, n - 1); });
    };
    for (int round = 0; round < 10; ++round) {
        rt.run([&] { many(many, 6); });
    }
    EXPECT_EQ(violations, 0);
}

// The bytes of stack below `from`. The frame's own address: a sanitizer may keep variables elsewhere.
[[gnu::noinline]] std::ptrdiff_t stack_below(const char* from) {
    return from - static_cast<const char*>(__builtin_frame_address(0));
}

// A tree of branches with frames of 256 bytes. `reached(depth)` hears how much stack each branch finds below the
// frame that is the thread's outermost.
template <class Invoke, class Reached>
void descend(const Invoke& invoke, const Reached& reached, int levels) {
    static thread_local const char* outermost_frame = nullptr;
    char room[256];
    asm volatile("" : : "r"(room) : "memory");
    const bool outermost = outermost_frame == nullptr;
    if (outermost) {
        outermost_frame = static_cast<const char*>(__builtin_frame_address(0));
    }
    reached(stack_below(outermost_frame));
    if (levels > 0) {
        invoke([&] { descend(invoke, reached, levels - 1); },
               [&] { descend(invoke, reached, levels > 12 ? 0 : levels - 2); });
    }
    if (outermost) {
        outermost_frame = nullptr;
    }
}

// Stack depth: a waiting worker only takes descendants of what it waits for, so no stack is deeper than the serial
// program's frames plus one waiting frame per level. The bound stated in docs/tuning.md is 4.
TEST(Waiting, StackDepthIsBounded) {
    constexpr int levels = 40;
    std::ptrdiff_t serial = 0;
    descend([](auto f, auto g) { skerry::serial::parallel_invoke(f, g); },
            [&](std::ptrdiff_t depth) { serial = std::max(serial, depth); }, levels);

    skerry::runtime rt(with(8));
    std::atomic<std::ptrdiff_t> deepest{0};
    const auto note = [&](std::ptrdiff_t depth) {
        std::ptrdiff_t seen = deepest;
        while (depth > seen && !deepest.compare_exchange_weak(seen, depth)) {
        }
    };
    for (int round = 0; round < 20; ++round) {
        rt.run([&] { descend([](auto f, auto g) { skerry::parallel_invoke(f, g); }, note, levels); });
    }
    EXPECT_GT(deepest, levels * 256);
    EXPECT_LT(deepest, 4 * serial);
}

TEST(Growth, DequesGrow) {
    skerry::runtime rt(with(2));
    const auto deep = [](auto&& self, int n) -> int {
        if (n == 0) {
            return 0;
        }
        const auto [a, b] = skerry::parallel_invoke([&] { return self(self, n - 1); }, [] { return 1; });
        return a + b;
    };
    EXPECT_EQ(rt.run([&] { return deep(deep, 5000); }), 5000); // five times the first capacity
    EXPECT_EQ(rt.run([&] { return deep(deep, 5000); }), 5000);
}

TEST(Description, TellsWhereTheLimitComesFrom) {
    const skerry::machine_description d = skerry::describe_machine();
    EXPECT_GE(d.workers, 1U);
    EXPECT_FALSE(d.cpus.empty());
    EXPECT_FALSE(d.limits.empty());
    EXPECT_FALSE(d.decided_by.empty());
    EXPECT_LE(d.workers, d.cpus.size());
}

} // namespace
