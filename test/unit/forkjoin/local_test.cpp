// SPDX-License-Identifier: Apache-2.0

// What tasks keep, read and are called: worker_local, may_be_stale, named.

#include <atomic>
#include <cstdint>
#include <memory>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <skerry/finish.hpp>
#include <skerry/forkjoin.hpp>
#include <skerry/named.hpp>
#include <skerry/stale.hpp>
#include <skerry/worker_local.hpp>

#include "workers.hpp"

namespace {

using skerry::worker_local;

class WorkerLocal : public OnWorkers {};
ON_ALL_WORKERS(WorkerLocal);

TEST_P(WorkerLocal, SumsUp) {
    worker_local<long> sums;
    in([&sums] { skerry::parallel_for(0, 10'000, [&sums](int i) { sums.local() += i; }); });
    EXPECT_EQ(sums.combine([](long a, long b) { return a + b; }), 10'000L * 9'999 / 2);
    EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), 0L), 10'000L * 9'999 / 2);
    sums.clear();
    EXPECT_EQ(sums.begin(), sums.end());
    EXPECT_EQ(sums.combine([](long a, long b) { return a + b; }), 0);
    in([&sums] { sums.local() = 3; });
    EXPECT_EQ(sums.combine([](long a, long b) { return a + b; }), 3);
}

TEST_P(WorkerLocal, OneObjectPerSlotOfEachRuntimeAndPerThreadOutside) {
    skerry::runtime other(with(2));
    worker_local<std::vector<int>> seen;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < 100; ++i) {
                const auto note = [&](int n) { seen.local().push_back(n); };
                switch (t) {
                case 0: in([&] { skerry::parallel_for(0, 10, note); }); break;
                case 1: other.run([&] { skerry::parallel_for(0, 10, note); }); break;
                case 2: skerry::parallel_for(0, 10, note); break;
                default:
                    for (int n = 0; n < 10; ++n) {
                        note(n);
                    }
                }
            }
        });
    }
    for (std::thread& t : threads) {
        t.join();
    }
    std::size_t total = 0;
    for (const std::vector<int>& v : std::as_const(seen)) {
        total += v.size();
    }
    EXPECT_EQ(total, 4000U);
}

TEST(WorkerLocalObjects, AreMadeByTheFactoryAndDestroyed) {
    const auto held = std::make_shared<int>(1);
    {
        int made = 0;
        worker_local<std::shared_ptr<int>> w([&] {
            if (++made == 1) {
                throw std::runtime_error("first time");
            }
            return held;
        });
        EXPECT_THROW(static_cast<void>(w.local()), std::runtime_error);
        EXPECT_EQ(w.begin(), w.end());
        EXPECT_EQ(w.local(), held);
        EXPECT_EQ(w.local(), held);
        EXPECT_EQ(made, 2);
        EXPECT_EQ(held.use_count(), 2);
        w.clear();
        EXPECT_EQ(held.use_count(), 1);
        EXPECT_EQ(w.local(), held);
    }
    EXPECT_EQ(held.use_count(), 1);
    worker_local<std::string> copies(std::string("first"));
    EXPECT_EQ(copies.local(), "first");
    EXPECT_EQ(copies.begin()->size(), 5U);
}

TEST(WorkerLocalObjects, DoNotShareCacheLines) {
    struct alignas(256) wide {
        char c = 0;
    };
    worker_local<wide> wides;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&wides.local()) % 256, 0U);
    worker_local<char> chars;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&chars.local()) % 64, 0U);
}

TEST(WorkerLocalObjects, AFactoryMayUseTheSameObject) {
    std::unique_ptr<worker_local<int>> w;
    int depth = 0;
    w = std::make_unique<worker_local<int>>([&]() -> int { return ++depth == 1 ? w->local() + 1 : 10; });
    EXPECT_EQ(w->local(), 10); // the inner call made the object of this slot
    EXPECT_EQ(w->local(), 10);
}

TEST(MayBeStale, SeesAValueThatWasThere) {
    struct large {
        long a[4];
    };
    static_assert(skerry::detail::loads_at_once<int>());
    static_assert(skerry::detail::loads_at_once<double>());
    static_assert(skerry::detail::loads_at_once<const char*>());
    static_assert(!skerry::detail::loads_at_once<large>());
    static_assert(!skerry::detail::loads_at_once<std::string>());
    const large l{{1, 2, 3, 4}};
    EXPECT_EQ(skerry::may_be_stale(l).a[3], 4);
    EXPECT_EQ(skerry::may_be_stale(std::string("text")), "text");

    std::uint64_t x = 0; // both halves always equal
    std::atomic<bool> bad = false;
    skerry::parallel_invoke(
        [&x] {
            for (std::uint64_t i = 1; i <= 10'000; ++i) {
                std::atomic_ref(x).store(i << 32 | i, std::memory_order_relaxed);
            }
        },
        [&x, &bad] {
            for (int i = 0; i < 10'000; ++i) {
                const std::uint64_t v = skerry::may_be_stale(x);
                bad = bad || v >> 32 != (v & 0xffffffffU);
            }
        });
    EXPECT_FALSE(bad);
    EXPECT_EQ(skerry::may_be_stale(x), 10'000ULL << 32 | 10'000ULL);
}

TEST(Named, CostsNothing) {
    int x = 1;
    const auto plain = [&x] { return ++x; };
    auto with_name = skerry::named<"increment">(plain);
    static_assert(sizeof(with_name) == sizeof(plain));
    static_assert(std::is_trivially_copyable_v<decltype(with_name)>);
    static_assert(skerry::task_name<decltype(with_name)> == "increment");
    static_assert(skerry::task_name<decltype(plain)>.empty());
    EXPECT_EQ(with_name(), 2);
    const auto [a, b] = skerry::parallel_invoke(with_name, skerry::named<"right">([] { return 5; }));
    EXPECT_EQ(a, 3);
    EXPECT_EQ(b, 5);
    std::atomic<int> sum = 0;
    skerry::parallel_for(0, 10, skerry::named<"body">([&sum](int i) { sum += i; }));
    skerry::finish([&sum](skerry::scope& s) {
        s.async(skerry::named<"task">([&sum, p = std::make_unique<int>(5)] { sum += *p; }));
    });
    EXPECT_EQ(sum, 50);
}

} // namespace
