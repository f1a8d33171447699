// SPDX-License-Identifier: Apache-2.0
#include "executors.hpp"

#include <skerry/detail/frontend/algorithm/prefix.hpp>
#include <skerry/detail/frontend/algorithm/reduction.hpp>

#include <rapidcheck/gtest.h>

#include <array>
#include <atomic>
#include <bit>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace algorithm_test {
namespace {

using skerry::grain;

std::vector<double> rough_numbers(std::size_t n) {
    std::mt19937_64 random{n};
    std::uniform_real_distribution<double> exponent{-40, 40};
    std::vector<double> v(n);
    for (double& x : v) x = std::exp2(exponent(random)) * (random() % 2 == 0 ? 1 : -1);
    return v;
}

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

template <class Executor>
class reduction : public testing::Test {
  public:
    static constexpr skerry::detail::parallel_reduce_function<Executor> reduce{};
    static constexpr skerry::detail::parallel_transform_reduce_function<Executor> transform_reduce{};
    static constexpr skerry::detail::parallel_inclusive_scan_function<Executor> inclusive_scan{};
    static constexpr skerry::detail::parallel_exclusive_scan_function<Executor> exclusive_scan{};
};

TYPED_TEST_SUITE(reduction, executors, executor_names);

const std::vector<grain>& some_grains() {
    static const std::vector<grain> all{grain::automatic(), grain::fixed(1),  grain::fixed(2),
                                        grain::fixed(7),    grain::fixed(64), grain::fixed(100000)};
    return all;
}

TYPED_TEST(reduction, has_stds_arguments) {
    setting<TypeParam>::each([&](unsigned) {
        std::vector<int> v(1000);
        std::iota(v.begin(), v.end(), 1);
        EXPECT_EQ(this->reduce(v), 500500);
        EXPECT_EQ(this->reduce(v.begin(), v.end()), 500500);
        EXPECT_EQ(this->reduce(v, 5), 500505);
        EXPECT_EQ(this->reduce(v, 5L, grain::fixed(10)), 500505L);
        EXPECT_EQ(this->reduce(v.begin(), v.end(), 5L), 500505L);
        EXPECT_EQ(this->reduce(v.begin(), v.end(), 5L, grain::fixed(10)), 500505L);
        const auto larger = [](int a, int b) { return std::max(a, b); };
        EXPECT_EQ(this->reduce(v, 0, larger), 1000);
        EXPECT_EQ(this->reduce(v.begin(), v.end(), 2000, larger, grain::fixed(3)), 2000);
        const auto square = [](int x) { return static_cast<long>(x) * x; };
        EXPECT_EQ(this->transform_reduce(v, 0L, std::plus<>{}, square), 333833500L);
        EXPECT_EQ(this->transform_reduce(v.begin(), v.end(), 1L, std::plus<>{}, square, grain::fixed(9)), 333833501L);
        EXPECT_EQ(this->transform_reduce(v, v, 0L), 333833500L);
        EXPECT_EQ(this->transform_reduce(v.begin(), v.end(), v.begin(), 0L, grain::fixed(9)), 333833500L);
        EXPECT_EQ(this->transform_reduce(v, v, 0L, std::plus<>{}, std::minus<>{}), 0L);
        EXPECT_EQ(this->transform_reduce(v.begin(), v.end(), v.begin(), 3L, std::plus<>{}, std::minus<>{}), 3L);
        EXPECT_EQ(this->reduce(std::vector<int>{}, 7), 7);
        EXPECT_EQ(this->reduce(std::vector<int>{}), 0);
        EXPECT_EQ(this->transform_reduce(std::vector<int>{}, 7, std::plus<>{}, square), 7);
    });
}

TYPED_TEST(reduction, takes_an_init_that_is_a_sequence) {
    setting<TypeParam>::each([&](unsigned) {
        const std::vector<int> digits{3, 1, 4, 1, 5, 9};
        const auto text = [](int d) { return std::to_string(d); };
        for (const grain g : some_grains()) {
            EXPECT_EQ(this->transform_reduce(digits, std::string("pi "), std::plus<>{}, text, g), "pi 314159");
        }
        EXPECT_EQ(this->transform_reduce(digits, std::string(), std::plus<>{}, text), "314159");
    });
}

// A result that holds nothing is joined as others are.
TYPED_TEST(reduction, joins_results_of_an_empty_class) {
    struct empty {
        explicit empty(int /*by*/) {}
    };
    setting<TypeParam>::each([&](unsigned) {
        for (const grain g : some_grains()) {
            std::atomic<unsigned> joined = 0;
            const auto join = [&joined](empty x, empty /*y*/) {
                ++joined;
                return x;
            };
            const std::vector<int> v(100);
            this->transform_reduce(v, empty(0), join, [](int i) { return empty(i); }, g);
            EXPECT_EQ(joined, v.size());
        }
    });
}

// Each of half a kilobyte.
TYPED_TEST(reduction, joins_large_results) {
    using large = std::array<long, 64>;
    setting<TypeParam>::each([&](unsigned) {
        for (const grain g : some_grains()) {
            std::vector<long> v(100);
            std::iota(v.begin(), v.end(), 0);
            const auto join = [](large x, const large& y) {
                for (std::size_t i = 0; i < x.size(); ++i) x[i] += y[i];
                return x;
            };
            const large sums = this->transform_reduce(
                v.begin(), v.end(), large{}, join,
                [](long i) {
                    large one{};
                    one[static_cast<std::size_t>(i) % one.size()] = i;
                    return one;
                },
                g);
            EXPECT_EQ(sums[0], 0 + 64);
            EXPECT_EQ(sums[35], 35 + 99);
            EXPECT_EQ(sums[36], 36);
        }
    });
}

// Associative but not commutative.
TYPED_TEST(reduction, keeps_the_order) {
    setting<TypeParam>::each([&](unsigned) {
        for (const std::size_t n : {0UL, 1UL, 2UL, 5UL, 100UL, 999UL}) {
            std::vector<std::string> v;
            std::string expected = "=";
            for (std::size_t i = 0; i < n; ++i) {
                v.push_back(std::to_string(i) + ",");
                expected += v.back();
            }
            for (const grain g : some_grains())
                EXPECT_EQ(this->reduce(v, std::string{"="}, std::plus<>{}, g), expected);
        }
    });
}

TYPED_TEST(reduction, has_the_bits_of_the_serial_elision_for_a_fixed_grain) {
    const skerry::detail::parallel_reduce_function<in_place> serial_reduce{};
    const skerry::detail::parallel_inclusive_scan_function<in_place> serial_scan{};
    for (const std::size_t n : {1UL, 2UL, 63UL, 1000UL, 12345UL}) {
        const std::vector<double> v = rough_numbers(n);
        for (const int length : {1, 2, 3, 10, 1000, 1000000}) {
            const grain g = grain::fixed(length);
            const double expected = serial_reduce(v, 0.0, g);
            std::vector<double> expected_scan(n);
            serial_scan(v, expected_scan.begin(), std::plus<>{}, 0.5, g);
            setting<TypeParam>::each([&](unsigned) {
                EXPECT_EQ(bits(this->reduce(v, 0.0, g)), bits(expected));
                EXPECT_EQ(bits(this->transform_reduce(v, 0.0, std::plus<>{}, std::identity{}, g)), bits(expected));
                std::vector<double> scan(n);
                this->inclusive_scan(v, scan.begin(), std::plus<>{}, 0.5, g);
                for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(bits(scan[i]), bits(expected_scan[i])) << i;
            });
        }
    }
}

// The numbers are rough enough that a different grouping gives different bits: the test above can fail.
TEST(reduction_of_rough_numbers, depends_on_the_grouping) {
    const skerry::detail::parallel_reduce_function<in_place> reduce{};
    const std::vector<double> v = rough_numbers(12345);
    EXPECT_NE(bits(reduce(v, 0.0, grain::fixed(1))), bits(reduce(v, 0.0, grain::fixed(10))));
    EXPECT_NE(bits(reduce(v, 0.0, grain::fixed(1000))), bits(reduce(v, 0.0, grain::fixed(10))));
}

// How the operands of a reduction without a grain are grouped shows in the parentheses.
TEST(reduction_without_a_grain, is_grouped_on_one_worker_as_in_the_elision) {
    const auto grouped = [](const std::string& x, const std::string& y) { return "(" + x + y + ")"; };
    constexpr skerry::detail::parallel_reduce_function<in_place> elision;
    constexpr skerry::detail::parallel_reduce_function<forking> reduce;
    skerry::options o;
    o.workers = 1;
    skerry::runtime one(o);
    for (std::size_t n = 1; n < 300; n += n < 40 ? 1 : 37) {
        std::vector<std::string> v;
        for (std::size_t i = 0; i < n; ++i) v.emplace_back(1, static_cast<char>('a' + i % 26));
        const std::string expected = elision(v, std::string(), grouped);
        EXPECT_EQ(one.run([&] { return reduce(v, std::string(), grouped); }), expected) << n;

        // The same where bodies take so long that there is a look between all of them.
        skerry::detail::loop_pace pace;
        std::uint64_t since = 1; // an age ago
        EXPECT_EQ(pace.after(64, 1000, since), 1U);
        const auto get = [&](std::uint64_t k) { return v[k]; };
        const skerry::detail::typed_fold<std::string, const decltype(grouped), decltype(get)> how(grouped, get);
        alignas(std::string) std::byte room[sizeof(std::string)];
        constexpr const auto& code = skerry::detail::fold_code_of<std::string, const decltype(grouped), decltype(get)>;
        skerry::detail::folded sum(&how, code, room);
        skerry::detail::fold_lazily<in_place>(pace, sum, 0, n);
        EXPECT_EQ(grouped("", *std::launder(reinterpret_cast<std::string*>(room))), expected) << n;
    }
}

struct no_default {
    explicit no_default(long v) : value{std::make_unique<long>(v)} {}
    std::unique_ptr<long> value;
};

TYPED_TEST(reduction, needs_neither_copies_nor_a_default) {
    setting<TypeParam>::each([&](unsigned) {
        std::vector<int> v(500, 2);
        const auto join = [](no_default a, no_default b) { return no_default{*a.value + *b.value}; };
        const auto make = [](int x) { return no_default{x}; };
        for (const grain g : some_grains())
            EXPECT_EQ(*this->transform_reduce(v, no_default{1}, join, make, g).value, 1001);
    });
}

TYPED_TEST(reduction, rethrows_the_leftmost_exception) {
    setting<TypeParam>::each([&](unsigned) {
        std::vector<int> v(1000);
        std::iota(v.begin(), v.end(), 0);
        const auto fail = [](int x) -> int { return x % 300 == 299 ? throw x : x; };
        for (const grain g : {grain::automatic(), grain::fixed(1), grain::fixed(50)}) {
            int caught = -1;
            try {
                this->transform_reduce(v, 0, std::plus<>{}, fail, g);
            } catch (int x) {
                caught = x;
            }
            EXPECT_EQ(caught, 299);
        }
    });
}

// Larger than what new and a stack align by themselves.
struct alignas(256) counted_sum {
    static inline std::atomic<int> alive = 0;
    static inline std::atomic<int> crooked = 0;

    explicit counted_sum(long v) : value(v) { begin(); }
    counted_sum(counted_sum&& other) noexcept : value(other.value) { begin(); }
    counted_sum& operator=(counted_sum&& other) noexcept {
        value = other.value;
        return *this;
    }
    ~counted_sum() { --alive; }

    long value;

  private:
    void begin() {
        ++alive;
        if (reinterpret_cast<std::uintptr_t>(this) % alignof(counted_sum) != 0) ++crooked;
    }
};

TYPED_TEST(reduction, ends_each_sum_once_whatever_throws) {
    constexpr long n = 1000;
    std::vector<long> v(n);
    std::iota(v.begin(), v.end(), 0);
    const auto reduced = [&](long bad_element, long bad_sum, auto... g) {
        const auto make = [=](long x) { return x == bad_element ? throw std::string{"element"} : counted_sum(x); };
        const auto add = [=](counted_sum a, counted_sum b) {
            return a.value + b.value >= bad_sum ? throw std::string{"sum"} : counted_sum(a.value + b.value);
        };
        return this->transform_reduce(v, counted_sum(0), add, make, g...).value;
    };
    constexpr long all = n * (n - 1) / 2;
    setting<TypeParam>::each([&](unsigned) {
        EXPECT_EQ(reduced(n, all + 1), all);
        EXPECT_EQ(reduced(n, all + 1, grain::automatic()), all);
        EXPECT_EQ(reduced(n, all + 1, grain::fixed(10)), all);
        for (const long bad : {0L, 1L, 63L, 500L, n - 1}) {
            EXPECT_THROW(reduced(bad, all + 1), std::string);
            EXPECT_THROW(reduced(bad, all + 1, grain::fixed(1)), std::string);
        }
        for (const long bad : {1L, 100L, all / 2, all}) EXPECT_THROW(reduced(n, bad), std::string);
        EXPECT_EQ(counted_sum::alive, 0);
        EXPECT_EQ(counted_sum::crooked, 0);
    });
}

TYPED_TEST(reduction, scans_as_std) {
    setting<TypeParam>::each([&](unsigned) {
        EXPECT_TRUE(rc::check("inclusive and exclusive scans equal std's", [&](const std::vector<std::int16_t>& v) {
            const auto length = *rc::gen::inRange(0, 20);
            const grain g = length == 0 ? grain::automatic() : grain::fixed(length);
            // Not commutative: keep the first of two, add its length.
            const auto op = [](long a, long b) { return a * 31 + b; };
            std::vector<long> expected(v.size());
            std::vector<long> got(v.size());
            std::inclusive_scan(v.begin(), v.end(), expected.begin(), std::plus<>{}, 7L);
            RC_ASSERT(this->inclusive_scan(v, got.begin(), std::plus<>{}, 7L, g) == got.end());
            RC_ASSERT(got == expected);
            std::exclusive_scan(v.begin(), v.end(), expected.begin(), 7L);
            RC_ASSERT(this->exclusive_scan(v.begin(), v.end(), got.begin(), 7L, g) == got.end());
            RC_ASSERT(got == expected);
            (void)op;
        }));
    });
}

TYPED_TEST(reduction, scans_in_order_and_in_place) {
    setting<TypeParam>::each([&](unsigned) {
        for (const grain g : some_grains()) {
            std::vector<std::string> v;
            std::vector<std::string> inclusive;
            std::vector<std::string> exclusive;
            std::string so_far;
            for (int i = 0; i < 400; ++i) {
                v.push_back(std::string(1, static_cast<char>('a' + i % 26)));
                exclusive.push_back("<" + so_far);
                so_far += v.back();
                inclusive.push_back(so_far);
            }
            auto a = v;
            this->inclusive_scan(a, a.begin(), g);
            EXPECT_EQ(a, inclusive);
            auto b = v;
            this->exclusive_scan(b, b.begin(), std::string{"<"}, std::plus<>{}, g);
            EXPECT_EQ(b, exclusive);
        }
        std::vector<int> none;
        EXPECT_EQ(this->inclusive_scan(none, none.begin()), none.begin());
        EXPECT_EQ(this->exclusive_scan(none, none.begin(), 1), none.begin());
    });
}

// Leaves hold copies of small closures, but not of one that counts.
TEST(ReductionInOrder, AClosureThatChangesItselfStaysOne) {
    constexpr skerry::detail::parallel_transform_reduce_function<in_place> transform_reduce{};
    const std::vector<int> v(1000, 1);
    const auto numbered = [n = 0](int x) mutable { return x * n++; };
    for (const grain g : some_grains()) EXPECT_EQ(transform_reduce(v, 0, std::plus<>{}, numbered, g), 999 * 1000 / 2);
}

TYPED_TEST(reduction, lets_a_scan_fail) {
    setting<TypeParam>::each([&](unsigned) {
        std::vector<int> v(1000, 1);
        std::vector<int> out(1000);
        const auto fail = [](int a, int b) -> int { return a + b > 60 ? throw std::string{"sum"} : a + b; };
        EXPECT_THROW(this->inclusive_scan(v, out.begin(), fail), std::string);
        EXPECT_THROW(this->exclusive_scan(v, out.begin(), 0, fail, grain::fixed(10)), std::string);
    });
}

} // namespace
} // namespace algorithm_test
