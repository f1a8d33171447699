// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <atomic>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <skerry/finish.hpp>
#include <skerry/future.hpp>
#include <skerry/parallel_invoke.hpp>
#include <skerry/task_group.hpp>

#include "workers.hpp"

namespace {

using skerry::future;
using skerry::submit;

class Future : public OnWorkers {};
ON_ALL_WORKERS(Future);

TEST_P(Future, Values) {
    int x = 1;
    in([&x] {
        EXPECT_EQ(submit([] { return 5; }).get(), 5);
        EXPECT_EQ(&submit([&x]() -> int& { return x; }).get(), &x);
        EXPECT_EQ(*submit([] { return std::make_unique<int>(7); }).get(), 7);
        EXPECT_EQ(submit([p = std::make_unique<int>(8)] { return *p; }).get(), 8);
        submit([&x] { ++x; }).get();
        EXPECT_EQ(submit([] { return std::string(100, 'a'); }).get(), std::string(100, 'a'));
    });
    EXPECT_EQ(x, 2);
}

TEST_P(Future, ExceptionsArriveAtGet) {
    in([] {
        future<int> f = submit([]() -> int { throw std::runtime_error("task"); });
        f.wait();
        EXPECT_TRUE(f.valid());
        EXPECT_THROW(static_cast<void>(f.get()), std::runtime_error);
        EXPECT_FALSE(f.valid());
        future<void> g = submit([] { throw std::runtime_error("task"); });
        EXPECT_THROW(g.get(), std::runtime_error);
    });
}

TEST_P(Future, OnceOnly) {
    in([] {
        future<int> f = submit([] { return 1; });
        future<int> moved = std::move(f);
        EXPECT_FALSE(f.valid()); // NOLINT(bugprone-use-after-move): what is tested
        EXPECT_TRUE(moved.valid());
        EXPECT_THROW(static_cast<void>(f.get()), std::logic_error);
        EXPECT_EQ(moved.get(), 1);
        EXPECT_THROW(static_cast<void>(moved.get()), std::logic_error);
        EXPECT_THROW(moved.wait(), std::logic_error);
        EXPECT_THROW(static_cast<void>(moved.ready()), std::logic_error);
    });
}

TEST_P(Future, AnyOrderOfManyGets) {
    in([] {
        for (int order = 0; order < 3; ++order) {
            std::vector<std::pair<int, future<int>>> all;
            for (int i = 0; i < 3000; ++i) {
                all.emplace_back(i, submit([i] { return 2 * i; }));
            }
            if (order == 1) {
                std::reverse(all.begin(), all.end());
            } else if (order == 2) {
                std::shuffle(all.begin(), all.end(), std::minstd_rand(1));
            }
            for (auto& [i, f] : all) {
                ASSERT_EQ(f.get(), 2 * i);
            }
        }
    });
}

long fib(int n) {
    if (n < 2) {
        return n;
    }
    future<long> a = submit([n] { return fib(n - 1); });
    const long b = fib(n - 2);
    return a.get() + b;
}

TEST_P(Future, RecursiveTree) {
    in([] { EXPECT_EQ(fib(18), 2584); });
}

TEST_P(Future, WaitedForByATaskThatSomebodyElseBegan) {
    in([] {
        for (int round = 0; round < 50; ++round) {
            future<int> first = submit([] { return 1; });
            future<int> second = submit([&first] { return first.get() + 1; });
            future<int> third = submit([&second] { return second.get() + 1; });
            int fourth = 0;
            skerry::parallel_invoke([] {}, [&] { fourth = third.get() + 1; });
            EXPECT_EQ(fourth, 4);
        }
    });
}

TEST_P(Future, WaitOfATaskForItselfIsAnError) {
    in([] {
        future<void> f;
        std::atomic<bool> set = false;
        std::error_code seen;
        std::string text;
        f = submit([&] {
            while (!set) {
                std::this_thread::yield();
            }
            try {
                f.wait();
            } catch (const std::system_error& e) {
                seen = e.code();
                text = e.what();
            }
        });
        set = true;
        f.get();
        EXPECT_EQ(seen, std::errc::resource_deadlock_would_occur);
        EXPECT_NE(text.find("skerry: a task waits for its own future"), std::string::npos) << text;
    });
}

// Also where a thief runs that part of the task: with workers to spare, a branch waits until the other has begun.
TEST_P(Future, WaitOfABranchForItsTaskIsAnError) {
    const auto code_of_wait = [](future<void>& f) {
        try {
            f.wait();
        } catch (const std::system_error& e) {
            return e.code();
        }
        return std::error_code();
    };
    in([&] {
        future<void> f;
        std::atomic<bool> set = false;
        std::error_code direct;
        std::error_code scoped;
        f = submit([&] {
            while (!set) {
                std::this_thread::yield();
            }
            std::atomic<bool> begun = false;
            skerry::parallel_invoke(
                [&] {
                    while (!begun && GetParam() > 1) {
                        std::this_thread::yield();
                    }
                },
                [&] {
                    begun = true;
                    direct = code_of_wait(f);
                });
            skerry::finish([&](auto& s) { s.async([&] { scoped = code_of_wait(f); }); });
        });
        set = true;
        f.get();
        EXPECT_EQ(direct, std::errc::resource_deadlock_would_occur);
        EXPECT_EQ(scoped, std::errc::resource_deadlock_would_occur);
    });
}

TEST_P(Future, ResultsNobodyFetchesAreDestroyed) {
    auto held = std::make_shared<int>(1);
    in([&held] {
        for (int i = 0; i < 50; ++i) {
            static_cast<void>(submit([held]() mutable { return held; }));
            static_cast<void>(submit([held]() -> int { throw std::shared_ptr<int>(held); }));
            const future<std::shared_ptr<int>> ready = submit([held]() mutable { return held; });
            ready.wait();
        }
    });
    EXPECT_EQ(held.use_count(), 1);
}

TEST_P(Future, FromThreadsOutsideAllAtOnce) {
    std::vector<std::thread> threads;
    std::atomic<int> sum = 0;
    for (int t = 0; t < 8; ++t) {
        threads.emplace_back([this, &sum] {
            for (int i = 0; i < 20; ++i) {
                future<int> default_runtime = submit([] { return 1; });
                future<int> own = in([] { return submit([] { return 1; }); });
                sum += default_runtime.get() + own.get();
                future<int> not_begun;
                in([&] {
                    not_begun = submit([] { return 1; }); // waited for by run(), not by get()
                });
                sum += not_begun.get();
            }
        });
    }
    for (std::thread& t : threads) {
        t.join();
    }
    EXPECT_EQ(sum, 8 * 20 * 3);
}

TEST_P(Future, OfAnotherRuntime) {
    skerry::runtime other(with(2));
    std::atomic<bool> go = false;
    const auto when_told = [&go] {
        while (!go) {
            std::this_thread::yield();
        }
        return 1;
    };
    future<int> here;
    future<int> queued = submit(when_told);
    std::atomic<bool> begun = false;
    std::thread holder([&] {
        in([&] {
            here = submit(when_told);
            begun = true;
        });
    });
    while (!begun) {
        std::this_thread::yield();
    }
    other.run([&] {
        go = true;
        EXPECT_EQ(here.get(), 1);
        EXPECT_EQ(queued.get(), 1);
    });
    holder.join();
}

// One worker begins nothing by itself, so the place of a task is known.
TEST(FutureAlone, GetRunsATaskThatHasNotBegunInPlace) {
    skerry::runtime rt(OnWorkers::with(1));
    int ran = 0;
    rt.run([&ran] {
        future<std::thread::id> f = submit([] { return std::this_thread::get_id(); });
        EXPECT_FALSE(f.ready());
        EXPECT_EQ(f.get(), std::this_thread::get_id());
        static_cast<void>(submit([&ran] { ++ran; }));
        EXPECT_EQ(ran, 0); // the destructor did not wait
    });
    EXPECT_EQ(ran, 1); // run() did
}

// SKERRY_WORKERS is 1 in this test: the default runtime has no thread of its own until something comes from outside.
TEST(FutureAlone, ATaskFromOutsideRunsThoughNobodyWaits) {
    future<int> f = submit([] { return 1; });
    while (!f.ready()) {
        std::this_thread::yield();
    }
    EXPECT_EQ(f.get(), 1);
    static_cast<void>(submit([] {})); // run at the latest by the reserve thread
}

TEST(FutureAlone, AllSlotsTaken) {
    skerry::options o = OnWorkers::with(1);
    o.max_slots = 1;
    skerry::runtime rt(o);
    future<int> f;
    std::atomic<bool> begun = false;
    std::atomic<bool> waiting = false;
    std::thread holder([&] {
        rt.run([&] {
            f = submit([] { return 1; });
            begun = true;
            while (!waiting) {
                std::this_thread::yield();
            }
        });
    });
    while (!begun) {
        std::this_thread::yield();
    }
    waiting = true;
    EXPECT_EQ(f.get(), 1); // without a slot it cannot help, and sleeps
    holder.join();
}

} // namespace
