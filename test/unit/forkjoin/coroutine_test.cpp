// SPDX-License-Identifier: Apache-2.0

#include <atomic>
#include <coroutine>
#include <exception>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <skerry/finish.hpp>
#include <skerry/future.hpp>

#include "fire_and_forget.hpp"
#include "workers.hpp"

namespace {

using skerry::future;
using skerry::submit;
using skerry_test::fire_and_forget;

class Coroutine : public OnWorkers {};
ON_ALL_WORKERS(Coroutine);

fire_and_forget add_up(int n, std::atomic<int>& sum) {
    for (int i = 0; i < n; ++i) {
        future<int> f = submit([] { return 1; });
        sum += co_await f;
    }
}

TEST_P(Coroutine, TheFinishAroundItCoversItsRest) {
    in([] {
        for (int round = 0; round < 20; ++round) {
            std::atomic<int> sum = 0;
            skerry::finish([&](skerry::scope& s) {
                add_up(10, sum);
                s.async([&sum] { add_up(10, sum); });
            });
            EXPECT_EQ(sum, 20);
        }
    });
}

TEST_P(Coroutine, LongLoopsDoNotGrowTheStack) {
    std::atomic<int> sum = 0;
    in([&sum] { add_up(20'000, sum); });
    EXPECT_EQ(sum, 20'000);
}

fire_and_forget catch_it(std::atomic<int>& caught) {
    future<void> f = submit([] { throw std::runtime_error("task"); });
    try {
        co_await f;
    } catch (const std::runtime_error&) {
        ++caught;
    }
    future<int> none;
    try {
        static_cast<void>(co_await none);
    } catch (const std::logic_error&) {
        ++caught;
    }
}

TEST_P(Coroutine, ExceptionsArrive) {
    std::atomic<int> caught = 0;
    in([&caught] { catch_it(caught); });
    EXPECT_EQ(caught, 2);
}

fire_and_forget goes_on(future<int>& f, bool& done) {
    EXPECT_EQ(co_await f, 1);
    done = true;
}

TEST_P(Coroutine, DoesNotSuspendIfTheTaskIsDone) {
    in([] {
        future<int> f = submit([] { return 1; });
        f.wait();
        bool done = false;
        goes_on(f, done);
        EXPECT_TRUE(done);
    });
}

TEST_P(Coroutine, FromThreadsOutside) {
    std::vector<std::thread> threads;
    std::atomic<int> sum = 0;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&sum] { add_up(50, sum); });
    }
    for (std::thread& t : threads) {
        t.join();
    }
    while (sum != 200) { // nothing else waits for what was begun outside
        std::this_thread::yield();
    }
}

fire_and_forget waits(future<int>& f, std::atomic<int>& found) { found = co_await f; }

// The task of the future ends in the default runtime, and hands the coroutine over to one that ends right behind it.
TEST(Coroutines, OfARuntimeThatEndsAtOnce) {
    for (unsigned round = 0; round < 200; ++round) {
        std::atomic<bool> waiting = false;
        std::atomic<int> found = 0;
        future<int> f = submit([&waiting] {
            while (!waiting) {
                std::this_thread::yield();
            }
            return 1;
        });
        {
            skerry::options o = OnWorkers::with(1 + round % 2);
            o.max_slots = round % 4 == 0 ? 1 : o.max_slots; // none for a thread that runs what comes from outside
            skerry::runtime rt(o);
            rt.run([&] {
                waits(f, found);
                waiting = true;
            });
            EXPECT_EQ(found, 1);
        }
    }
}

} // namespace
