// SPDX-License-Identifier: Apache-2.0
// A comparison that throws, at whatever place: the exception arrives and no element is lost or doubled.
#include "sort_inputs.hpp"

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace algorithm_test {
namespace {

struct refused {};

// A comparison that throws at its call number `at`. One object for all workers: some later calls throw too.
class failing_less {
  public:
    explicit failing_less(std::int64_t at) : left_{std::make_shared<std::atomic<std::int64_t>>(at)} {}

    template <class T>
    bool operator()(const T& a, const T& b) const {
        if (left_->fetch_sub(1) <= 0) throw refused{};
        return a < b;
    }
    [[nodiscard]] std::int64_t left() const { return left_->load(); }

  private:
    std::shared_ptr<std::atomic<std::int64_t>> left_;
};

template <class Executor>
class sort_errors : public testing::Test {
  public:
    static constexpr skerry::detail::parallel_sort_function<Executor, false> sort{};
    static constexpr skerry::detail::parallel_sort_function<Executor, true> stable_sort{};

    // Sorts copies of v with an exception at about `places` places spread over all comparisons.
    template <class Sort, class Sequence>
    static void check(const Sort& function, const Sequence& v, int places) {
        constexpr std::int64_t plenty = std::int64_t{1} << 40;
        const failing_less counter{plenty};
        auto all = v;
        function(all, counter);
        ASSERT_TRUE(std::ranges::is_sorted(all));
        if (slow_build) places = (places + 7) / 8;
        const std::int64_t calls = plenty - counter.left();
        for (int place = 0; place < places; ++place) {
            auto a = v;
            // Fewer than all calls even where the sample, or the order of the branches, varies.
            const std::int64_t at = calls * 9 / 10 * place / places;
            EXPECT_THROW(function(a, failing_less{at}), refused) << "of " << calls << " calls, " << at;
            std::ranges::sort(a);
            ASSERT_EQ(a, all) << "of " << calls << " calls, " << at;
        }
    }
};

TYPED_TEST_SUITE(sort_errors, executors, executor_names);

TYPED_TEST(sort_errors, leave_plain_elements_in_place) {
    setting<TypeParam>::each([&](unsigned) {
        for (const std::size_t n : {2UL, 8UL, 9UL, 40UL, 160UL, 161UL, 3000UL, 60000UL}) {
            if (slow_build && n > 50000) continue;
            const auto inputs = patterns(n);
            for (const std::size_t pattern : {0UL, 2UL, 10UL}) {
                this->check(this->sort, inputs[pattern], n < 50000 ? 40 : 8);
                this->check(this->stable_sort, inputs[pattern], n < 50000 ? 40 : 8);
            }
        }
    });
}

TYPED_TEST(sort_errors, leave_other_elements_in_place) {
    setting<TypeParam>::each([&](unsigned) {
        for (const std::size_t n : {2UL, 21UL, 100UL, 6000UL}) {
            const auto input = patterns(n)[2];
            std::vector<std::string> names;
            for (const auto x : input) names.push_back("a name that needs memory: " + std::to_string(x));
            this->check(this->sort, names, 30);
            this->check(this->stable_sort, names, 30);
            const std::deque<std::uint32_t> d(input.begin(), input.end());
            this->check(this->sort, d, 10);
            this->check(this->stable_sort, d, 10);
        }
    });
}

// Radix sorts call nothing of the caller's but the projection.
TYPED_TEST(sort_errors, of_a_projection_leave_all_elements) {
    setting<TypeParam>::each([&](unsigned workers) {
        if (workers == 3) return;
        for (const std::size_t n : {200UL, 3000UL, 40000UL}) {
            if (slow_build && n > 20000) continue;
            const auto v = records(n);
            std::atomic<std::int64_t> left{std::int64_t{1} << 40};
            const auto key = [&](const record& r) { return left.fetch_sub(1) <= 0 ? throw refused{} : r.wide; };
            auto all = v;
            this->sort(all, std::less<>{}, key);
            const std::int64_t calls = (std::int64_t{1} << 40) - left;
            for (int place = 0; place < 12; ++place) {
                left = calls * 9 / 10 * place / 12;
                auto a = v;
                EXPECT_THROW(this->sort(a, std::less<>{}, key), refused);
                std::ranges::sort(a, {}, &record::number);
                ASSERT_EQ(a, v);
            }
        }
    });
}

// The same where wider digits cut, into buckets that move several times.
TYPED_TEST(sort_errors, of_a_projection_leave_all_elements_of_large_sequences) {
    if (slow_build) return;
    setting<TypeParam>::each([&](unsigned workers) {
        if (TypeParam::parallel && workers != 2) return;
        const std::size_t n = (std::size_t{1} << 24) / sizeof(record) + 1000;
        std::vector<record> v(n);
        std::mt19937_64 random{n};
        for (std::uint32_t i = 0; auto& r : v) r = {0, static_cast<std::int64_t>(random()), i++};
        std::atomic<std::int64_t> left{std::int64_t{1} << 40};
        const auto key = [&](const record& r) { return left.fetch_sub(1) <= 0 ? throw refused{} : r.wide; };
        const auto by_number = [](const auto& sequence) {
            std::vector<record> ordered(sequence.size());
            for (const record& r : sequence) ordered.at(r.number) = r;
            return ordered;
        };
        auto a = v;
        this->sort(a, std::less<>{}, key);
        const std::int64_t calls = (std::int64_t{1} << 40) - left;
        for (int place = 1; place < 6; ++place) {
            left = calls * place / 6;
            a = v;
            EXPECT_THROW(this->sort(a, std::less<>{}, key), refused);
            ASSERT_TRUE(by_number(a) == v) << place;
        }
    });
}

// Moving may throw: merges must not hold elements outside the sequence.
struct fragile {
    std::uint32_t value = 0;
    fragile() = default;
    explicit fragile(std::uint32_t v) : value{v} {}
    fragile(const fragile& other) = default;
    fragile& operator=(const fragile& other) = default;
    fragile(fragile&& other) noexcept(false) : value{other.value} {}
    fragile& operator=(fragile&& other) noexcept(false) {
        value = other.value;
        return *this;
    }
    auto operator<=>(const fragile&) const = default;
};

TYPED_TEST(sort_errors, leave_elements_whose_moves_may_throw) {
    setting<TypeParam>::each([&](unsigned) {
        const auto input = patterns(3000)[2];
        const std::vector<fragile> v(input.begin(), input.end());
        this->check(this->sort, v, 10);
        this->check(this->stable_sort, v, 10);
    });
}

} // namespace
} // namespace algorithm_test
