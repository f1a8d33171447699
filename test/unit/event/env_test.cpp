// SPDX-License-Identifier: Apache-2.0

// environment.h in C++: all of it by the program that tests it in C, and between threads.

#include <array>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <event_machine/platform/env/environment.h>

int environment_in_c(); // test/consumer/c/environment.c, compiled as C++

namespace skerry::test {
namespace {

constexpr int threads = 4;

template <class F>
void on_threads(F&& f) {
    std::vector<std::thread> all;
    for (int i = 0; i < threads; ++i) {
        all.emplace_back([&f, i] { f(i); });
    }
    for (std::thread& t : all) {
        t.join();
    }
}

TEST(environment, all_of_it_in_cxx) { EXPECT_EQ(environment_in_c(), 0) << "the line of environment.c"; }

TEST(environment, atomics_lose_nothing) {
    env_atomic32_t a;
    env_atomic64_t b;
    env_atomic32_init(&a);
    env_atomic64_init(&b);
    on_threads([&](int i) {
        for (int k = 0; k < 1000; ++k) {
            env_atomic32_inc(&a);
            env_atomic64_add(&b, 3);
        }
        env_atomic64_set_bits(&b, std::uint64_t{1} << (40 + i));
    });
    EXPECT_EQ(env_atomic32_get(&a), 1000U * threads);
    EXPECT_EQ(env_atomic64_get(&b), 3000U * threads + (std::uint64_t{0xf} << 40));
}

TEST(environment, a_spinlock_lets_one_in) {
    env_spinlock_t lock;
    env_spinlock_init(&lock);
    long count = 0; // no atomic
    on_threads([&](int /*i*/) {
        for (int k = 0; k < 1000; ++k) {
            env_spinlock_lock(&lock);
            ++count;
            env_spinlock_unlock(&lock);
        }
    });
    EXPECT_EQ(count, 1000L * threads);
}

TEST(environment, nobody_passes_a_barrier_before_all_are_there) {
    env_bitmask_t mask;
    env_bitmask_zero(&mask);
    env_bitmask_set_count(threads, &mask);
    env_barrier_t barrier;
    env_barrier_init(&barrier, &mask);
    constexpr int rounds = 200;
    std::vector<std::array<int, threads>> arrived(rounds); // no atomics: the barrier orders
    on_threads([&](int i) {
        for (std::array<int, threads>& round : arrived) {
            round[static_cast<std::size_t>(i)] = 1;
            env_barrier_sync(&barrier);
            for (const int there : round) {
                EXPECT_EQ(there, 1);
            }
        }
    });
}

} // namespace
} // namespace skerry::test
