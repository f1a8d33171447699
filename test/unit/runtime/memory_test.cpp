// SPDX-License-Identifier: Apache-2.0

// Every allocation of the runtime fails once: the result is an exception, or a slower program with the right answer.

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <system_error>
#include <thread>

#include <gtest/gtest.h>

#include <skerry/blocking.hpp>
#include <skerry/dataflow.hpp>
#include <skerry/forkjoin.hpp>
#include <skerry/future.hpp>
#include <skerry/reduce.hpp>
#include <skerry/runtime.hpp>
#include <skerry/task_group.hpp>

#include "base/port/memory.hpp"

#include "../failing_allocator.hpp"
#include "../until.hpp"

namespace {

using skerry::test::fail_after;
using skerry::test::live;
using skerry::test::made;
using skerry::test::never;
using skerry::test::without_memory;

skerry::options with(unsigned workers) {
    skerry::options o;
    o.workers = workers;
    return o;
}

int deep(int n) {
    if (n == 0) {
        return 0;
    }
    const auto [a, b] = skerry::parallel_invoke([n] { return deep(n - 1); }, [] { return 1; });
    return a + b;
}

// The same, of chains of two elements.
int deep_chain(int n) {
    if (n == 0) {
        return 0;
    }
    const auto source = [i = 0]() mutable { return i != 2 ? std::optional(i++) : std::nullopt; };
    return skerry::parallel_transform_reduce(source, 0, std::plus<>(),
                                             [n](int i) { return i == 0 ? deep_chain(n - 1) : 1; });
}

// The tasks that find a deque full and no memory are run in order.
void in_a_deque_that_cannot_grow(int (*deep)(int)) {
    for (const unsigned workers : {1U, 2U, 4U}) {
        for (const int grown_before : {0, 1}) { // it has to grow twice
            skerry::runtime rt(with(workers));
            const auto run = [&](int n) { return rt.run([deep, n] { return deep(n); }); };
            EXPECT_EQ(run(10), 10);
            skerry::port::fail_memory_after(grown_before);
            EXPECT_EQ(run(4000), 4000);
            EXPECT_EQ(run(4000), 4000);
            skerry::port::fail_memory_after(-1);
            EXPECT_EQ(run(4000), 4000);
        }
    }
}
TEST(Memory, ADequeThatCannotGrowRunsInOrder) { in_a_deque_that_cannot_grow(deep); }
TEST(Memory, ADequeThatCannotGrowRunsChainsInOrder) { in_a_deque_that_cannot_grow(deep_chain); }

// More tasks at once than are worth keeping memory for: it goes back to the heap when the thread that began them leaves
// its slot, and when a worker that began them has nothing to do.
TEST(Memory, ABurstOfTasksGivesItsMemoryBack) {
    static constexpr long tasks = 100'000;
    std::atomic<bool> begun = false;
    const auto burst = [&begun] {
        std::atomic<long> ran = 0;
        skerry::task_group group;
        for (long i = 0; i != tasks; ++i) {
            group.run([&ran] { ++ran; });
        }
        EXPECT_GE(live, tasks) << "the tasks do not lie on the heap at the same time";
        begun = true;
        group.wait();
        EXPECT_EQ(ran, tasks);
    };
    {
        skerry::runtime rt(with(1));
        rt.run([] { EXPECT_EQ(deep(10), 10); });
        const long before = live;
        rt.run(burst);
        EXPECT_LT(live, before + 1000);
    }
    skerry::runtime rt(with(2));
    rt.run([] { EXPECT_EQ(deep(10), 10); });
    const long before = live;
    begun = false;
    rt.run([&] {
        static_cast<void>(skerry::submit(burst));
        until(begun); // by the other worker
    });
    while (live >= before + 1000) { // the test's time limit ends this
        std::this_thread::yield();
    }
}

// Room for a deque's slots (less is enough), the memory in it, stacks.
TEST(Memory, EachMappingOfARuntimeMayFail) {
    { // what is mapped once per process
        skerry::runtime rt(with(3));
        rt.run([] { EXPECT_EQ(deep(10), 10); });
    }
    int failed = 0;
    int started = 0;
    for (int n = 0; n < 10; ++n) {
        skerry::port::fail_memory_after(n);
        try {
            skerry::runtime rt(with(3));
            skerry::port::fail_memory_after(-1);
            EXPECT_EQ(rt.run([] { return deep(3000); }), 3000);
            ++started;
        } catch (const std::bad_alloc&) {
            ++failed;
        } catch (const std::system_error&) {
            ++failed;
        }
        skerry::port::fail_memory_after(-1);
    }
    EXPECT_GT(failed, 0);
    EXPECT_GT(started, 0);
}

void chain(int rounds) {
    skerry::runtime rt(with(3));
    long sum = 0;
    const std::array<long, 2> steps{1, 2};
    for (int round = 0; round < rounds; ++round) {
        rt.run([&] {
            for (int i = 0; i < 1000; ++i) {
                skerry::spawn([](long& s) { ++s; }, skerry::inout(sum));
                skerry::spawn([](long a, long b, long& s) { s += a + b; }, skerry::in(steps[0]), skerry::in(steps[1]),
                              skerry::inout(sum));
            }
        });
    }
    EXPECT_EQ(sum, rounds * 4000);
}

// Tasks of a worker leave their memory to its next ones, whoever has run them; all of it goes with the runtime.
TEST(Memory, TasksLeaveTheirMemoryToTheNext) {
    chain(1); // and what is allocated once per process
    const long before = live;
    const long first = made;
    chain(1);
    const long one = made - first;
    chain(20);
    EXPECT_GT(one, 0);
    EXPECT_LT(made - first - one, 20 * 2000 / 2);
    EXPECT_EQ(live, before);
}

// What depends on the failed task is skipped: without its error nobody would know.
TEST(Memory, TheErrorOfATaskIsKeptWithoutMemory) {
    skerry::runtime rt(with(1));
    int value = 0;
    EXPECT_THROW(rt.run([&value] {
        skerry::spawn(
            [](int&) {
                fail_after = 0; // the next allocation
                throw 7;
            },
            skerry::out(value));
        fail_after = never;
        skerry::spawn([](int& v) { ++v; }, skerry::inout(value));
        skerry::taskwait();
    }),
                 int);
    EXPECT_EQ(value, 0);
}

// Its destructor enters like any thread from outside, and can be refused no slot: also where stand-ins have one.
TEST(Memory, ARuntimeEndsWithoutMemory) {
    for (const unsigned workers : {1U, 2U, 3U}) {
        for (const bool lends : {false, true}) {
            skerry::options o = with(workers);
            o.blocking_threads = 2;
            {
                const std::unique_ptr<skerry::runtime, void (*)(skerry::runtime*)> rt(
                    new skerry::runtime(o), [](skerry::runtime* r) {
                        without_memory = true;
                        skerry::port::fail_memory_after(0);
                        delete r;
                        without_memory = false;
                        skerry::port::fail_memory_after(-1);
                    });
                if (lends) {
                    rt->run([] { skerry::blocking([] {}); });
                }
            }
        }
    }
}

TEST(Memory, EachAllocationOfARuntimeMayFail) {
    { // what is allocated once per process
        skerry::runtime rt(with(3));
        rt.run([] { EXPECT_EQ(deep(10), 10); });
    }
    const long before = live;
    long failed = 0;
    bool went_through = false;
    for (long n = 0; !went_through && n < 10000; ++n) {
        fail_after = n;
        try {
            skerry::runtime rt(with(3));
            EXPECT_EQ(rt.run([] { return deep(3000); }), 3000);
            went_through = fail_after != never && fail_after >= 0;
        } catch (const std::bad_alloc&) {
            ++failed;
        } catch (const std::system_error&) {
            ++failed;
        }
        fail_after = never;
        ASSERT_EQ(live, before) << "leak when allocation " << n << " fails";
    }
    EXPECT_TRUE(went_through);
    EXPECT_GT(failed, 5);
}

} // namespace
