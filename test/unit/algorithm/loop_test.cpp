// SPDX-License-Identifier: Apache-2.0
#include "executors.hpp"

#include <skerry/detail/frontend/algorithm/loop.hpp>

#include <algorithm>
#include <atomic>
#include <deque>
#include <limits>
#include <map>
#include <mutex>
#include <ranges>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace algorithm_test {
namespace {

using skerry::box;
using skerry::grain;
using skerry::schedule;

template <class Executor>
class loop : public testing::Test {
  public:
    static constexpr skerry::detail::parallel_for_function<Executor> parallel_for{};

    // How often each value was passed.
    template <class... A>
    static std::map<long long, int> visits(A... a) {
        std::mutex m;
        std::map<long long, int> seen;
        parallel_for(
            a...,
            [&](auto i) {
                const std::lock_guard lock{m};
                ++seen[static_cast<long long>(i)];
            },
            grains);
        return seen;
    }
    static inline grain grains = grain::automatic();

    template <class I, class S>
    static void expect_indices(I first, S last, long long from, unsigned long long n) {
        setting<Executor>::each([&](unsigned) {
            for (const grain g : {grain::automatic(), grain::fixed(1), grain::fixed(3), grain::fixed(1000)}) {
                grains = g;
                const auto seen = visits(first, last);
                ASSERT_EQ(seen.size(), n);
                auto value = from;
                for (const auto& [index, times] : seen) {
                    EXPECT_EQ(index, value++);
                    EXPECT_EQ(times, 1);
                }
            }
        });
    }
};

TYPED_TEST_SUITE(loop, executors, executor_names);

TYPED_TEST(loop, visits_each_index_once) {
    for (const int n : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 63, 64, 65, 100, 1000})
        this->expect_indices(0, n, 0, static_cast<unsigned long long>(n));
}

TYPED_TEST(loop, takes_integers_of_unequal_types) {
    this->expect_indices(0, 10UL, 0, 10);
    this->expect_indices(0UL, 10, 0, 10);
    this->expect_indices(-5, 10U, -5, 15);
    this->expect_indices(short{-5}, 10ULL, -5, 15);
    this->expect_indices(static_cast<signed char>(-128), static_cast<unsigned char>(255), -128, 383);
    this->expect_indices('a', 'f', 'a', 5);
    this->expect_indices(3U, short{7}, 3, 4);
}

TYPED_TEST(loop, is_empty_when_first_is_not_below_last_as_numbers) {
    this->expect_indices(5, 5, 0, 0);
    this->expect_indices(6, 5, 0, 0);
    this->expect_indices(0U, -1, 0, 0); // -1 as unsigned would be the largest number
    this->expect_indices(7UL, -3L, 0, 0);
    this->expect_indices(std::numeric_limits<long>::max(), std::numeric_limits<long>::min(), 0, 0);
    this->expect_indices(~0UL, 0, 0, 0);
}

TYPED_TEST(loop, reaches_the_ends_of_the_types) {
    using signed_limits = std::numeric_limits<std::int64_t>;
    this->expect_indices(signed_limits::max() - 20, signed_limits::max(), signed_limits::max() - 20, 20);
    this->expect_indices(signed_limits::min(), signed_limits::min() + 20, signed_limits::min(), 20);
    this->expect_indices(~0UL - 20, ~0UL, -21, 20); // as a signed number
    this->expect_indices(std::int8_t{-128}, std::int8_t{127}, -128, 255);
    this->expect_indices(std::uint8_t{0}, std::uint8_t{255}, 0, 255);
}

// More iterations than 64 bits can count: it cannot finish, but it can begin and be left.
TYPED_TEST(loop, can_be_left_by_an_exception_however_long_it_is) {
    if (std::is_same_v<TypeParam, shuffled>) GTEST_SKIP() << "it may run everything to the right of an exception";
    struct enough {};
    setting<TypeParam>::each([&](unsigned) {
        const auto leave = [](auto) { throw enough{}; };
        EXPECT_THROW(this->parallel_for(std::numeric_limits<std::int64_t>::min(), ~0UL, leave), enough);
        EXPECT_THROW(this->parallel_for(0, ~0UL, leave, grain::fixed(1)), enough);
        EXPECT_THROW(this->parallel_for(0, ~0UL, leave, grain::fixed(~0UL)), enough);
        EXPECT_THROW(this->parallel_for(box<3>{{0, 0, 0}, {~0UL, ~0UL, ~0UL}}, [](auto...) { throw enough{}; }),
                     enough);
    });
}

TYPED_TEST(loop, counts_in_the_type_that_holds_all_indices) {
    this->parallel_for(0, 1, [](auto i) { static_assert(std::same_as<decltype(i), int>); });
    this->parallel_for(0, 1UL, [](auto i) { static_assert(std::same_as<decltype(i), unsigned long>); });
    this->parallel_for(0, 1U, [](auto i) { static_assert(std::same_as<decltype(i), std::int64_t>); });
    this->parallel_for(0U, 1, [](auto i) { static_assert(std::same_as<decltype(i), unsigned>); });
    this->parallel_for(short{0}, short{1}, [](auto i) { static_assert(std::same_as<decltype(i), short>); });
}

TYPED_TEST(loop, takes_ranges_and_iterators) {
    setting<TypeParam>::each([&](unsigned) {
        std::vector<int> v(1000);
        this->parallel_for(v, [](int& x) { ++x; });
        this->parallel_for(v.begin(), v.end(), [](int& x) { ++x; }, grain::fixed(7));
        this->parallel_for(std::span{v}, [](int& x) { ++x; }, grain::fixed(1));
        EXPECT_EQ(v, std::vector<int>(1000, 3));
        int array[50] = {};
        this->parallel_for(array, [](int& x) { ++x; });
        EXPECT_TRUE(std::ranges::all_of(array, [](int x) { return x == 1; }));
        std::deque<std::atomic<int>> d(300);
        this->parallel_for(std::views::iota(0, 300), [&](int i) { ++d[static_cast<std::size_t>(i)]; });
        this->parallel_for(d, [](std::atomic<int>& x) { ++x; });
        EXPECT_TRUE(std::ranges::all_of(d, [](const auto& x) { return x == 2; }));
        this->parallel_for(std::vector<int>{}, [](int) { FAIL(); });
    });
}

TYPED_TEST(loop, passes_each_point_of_a_box_once) {
    setting<TypeParam>::each([&](unsigned) {
        for (const schedule order : {schedule::recursive, schedule::chunked}) {
            for (const grain g : {grain::automatic(), grain::fixed(1), grain::fixed(5), grain::fixed(100000)}) {
                const std::size_t rows = 13;
                const int columns = 29;
                std::mutex m;
                std::multiset<std::tuple<long, long, long>> seen;
                const auto see = [&](long i, long j, long k) {
                    const std::lock_guard lock{m};
                    seen.emplace(i, j, k);
                };
                this->parallel_for(box<1>{{-3}, {rows}}, [&](int i) { see(i, 0, 0); }, g, order);
                EXPECT_EQ(seen.size(), 16U);
                this->parallel_for(box<2>{{1, 2}, {rows, columns}}, [&](int i, long j) { see(i, j, 0); }, g, order);
                EXPECT_EQ(seen.size(), 16U + 12U * 27U);
                seen.clear();
                this->parallel_for(box<3>{{0, -1, 5}, {7, 3U, columns}}, see, g, order);
                std::multiset<std::tuple<long, long, long>> expected;
                for (long i = 0; i < 7; ++i)
                    for (long j = -1; j < 3; ++j)
                        for (long k = 5; k < columns; ++k) expected.emplace(i, j, k);
                EXPECT_EQ(seen, expected);
                this->parallel_for(box<2>{{0, 5}, {10, 5}}, [](int, int) { FAIL(); }, g, order);
                this->parallel_for(box<3>{{0, 0, 9}, {10, 5, 1}}, [](int, int, int) { FAIL(); }, g, order);
                seen.clear();
                this->parallel_for(box<2>{{0, 0}, {1, 500}}, [&](int i, int j) { see(i, j, 0); }, g, order);
                this->parallel_for(box<2>{{0, 0}, {500, 1}}, [&](int i, int j) { see(i, j, 1); }, g, order);
                EXPECT_EQ(seen.size(), 1000U);
            }
        }
        int calls = 0;
        this->parallel_for(box<2>{{0, 0}, {1, 1}}, [&](int, int) { ++calls; }, schedule::chunked);
        EXPECT_EQ(calls, 1);
    });
}

TYPED_TEST(loop, rethrows_the_leftmost_exception) {
    setting<TypeParam>::each([&](unsigned) {
        for (const grain g : {grain::automatic(), grain::fixed(1), grain::fixed(10)}) {
            int caught = -1;
            try {
                this->parallel_for(
                    0, 1000,
                    [](int i) {
                        if (i % 100 == 77) throw i;
                    },
                    g);
            } catch (int i) {
                caught = i;
            }
            EXPECT_EQ(caught, 77);
        }
    });
}

TEST(loop_in_place, keeps_program_order) {
    const skerry::detail::parallel_for_function<in_place> parallel_for{};
    std::string order;
    parallel_for(0, 5, [&](int i) { order += std::to_string(i); }, grain::fixed(1));
    parallel_for(box<2>{{0, 0}, {2, 3}}, [&](int i, int j) { order += static_cast<char>('a' + 3 * i + j); });
    EXPECT_EQ(order, "01234abcdef");
}

TEST(loop_on_workers, gives_pieces_to_an_idle_worker_while_an_iteration_lasts) {
    skerry::options o;
    o.workers = 2;
    skerry::runtime two{o};
    std::atomic<int> done{0};
    // The first iteration lasts until all others but those of its own leaf are done: only a thief can do them.
    two.run([&] {
        skerry::detail::parallel_for_function<forking>{}(0, 32, [&](int i) {
            if (i == 0) {
                while (done.load() < 31) std::this_thread::yield();
            } else {
                ++done;
            }
        });
    });
    EXPECT_EQ(done, 31);
}

TEST(grain, rejects_numbers_below_one) {
    EXPECT_THROW((void)grain::fixed(0), skerry::bad_grain);
    EXPECT_THROW((void)grain::fixed(-1), skerry::bad_grain);
    EXPECT_THROW((void)grain::fixed(0U), skerry::bad_grain);
    try {
        (void)grain::fixed(0);
    } catch (const std::exception& e) {
        EXPECT_STREQ(e.what(), "skerry: grain::fixed(n): n must be at least 1");
    }
    EXPECT_EQ(grain::fixed(std::uint8_t{200}).iterations(), 200U);
    EXPECT_TRUE(grain::automatic().is_automatic());
}

TEST(box, bounds_beyond_a_coordinate_become_its_largest_value) {
    const box<1> b{{~0UL}, {-1}};
    EXPECT_EQ(b.first[0], std::numeric_limits<std::ptrdiff_t>::max());
    EXPECT_EQ(b.last[0], -1);
}

} // namespace
} // namespace algorithm_test
