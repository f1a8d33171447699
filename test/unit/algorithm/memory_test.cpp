// SPDX-License-Identifier: Apache-2.0
// What algorithms do when operator new has nothing to give.
#include "executors.hpp"

#include <skerry/serial.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace {

// Requests between these fail while they are set; below are the test's own and the runtime's.
std::atomic<std::size_t> most{~std::size_t{0}};
std::atomic<std::size_t> least_beyond{~std::size_t{0}};
std::atomic<int> refusals{0};

void* give(std::size_t size, std::size_t alignment) noexcept {
    if (size > most.load() && size < least_beyond.load()) {
        ++refusals;
        return nullptr;
    }
    return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

// Not inlined: gcc would see free() meet a pointer from operator new.
[[gnu::noinline]] void take(void* p) noexcept { std::free(p); }

} // namespace

// All forms that this program uses end in give() and take().
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    return give(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    if (void* const p = give(size, static_cast<std::size_t>(alignment))) return p;
    throw std::bad_alloc{};
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return give(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size) {
    if (void* const p = give(size, alignof(std::max_align_t))) return p;
    throw std::bad_alloc{};
}
void operator delete(void* p) noexcept { take(p); }
void operator delete(void* p, std::size_t) noexcept { take(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { take(p); }
void operator delete(void* p, std::align_val_t) noexcept { take(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { take(p); }
void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept { take(p); }

namespace algorithm_test {
namespace {

using skerry::grain;

class shortage {
  public:
    // Nothing larger than `largest`, but for what is at least `beyond`.
    explicit shortage(std::size_t largest, std::size_t beyond = ~std::size_t{0}) {
        refusals = 0;
        least_beyond = beyond;
        most = largest;
    }
    ~shortage() { most = ~std::size_t{0}; }
    shortage(const shortage&) = delete;
    shortage& operator=(const shortage&) = delete;
};

template <class Executor>
class memory : public testing::Test {};

TYPED_TEST_SUITE(memory, executors, executor_names);

struct record {
    int key;
    int number;
    bool operator==(const record&) const = default;
};

TYPED_TEST(memory, sorts_without) {
    const skerry::detail::parallel_sort_function<TypeParam, false> sort{};
    const skerry::detail::parallel_sort_function<TypeParam, true> stable_sort{};
    setting<TypeParam>::each([&](unsigned) {
        const std::size_t n = 40000;
        std::minstd_rand random{1};
        std::vector<record> v(n);
        for (int i = 0; record & r : v) r = {static_cast<int>(random() % 5000), i++};
        auto expected = v;
        std::ranges::sort(expected, {}, [](const record& r) { return std::pair(r.key, r.number); });
        std::vector<std::string> names(n);
        std::ranges::transform(v, names.begin(), [](const record& r) { return std::to_string(r.key); });
        const auto less = [](const record& a, const record& b) { return a.key < b.key; };
        // 100,000: the second array is refused, or it is had and the places of the buckets are refused.
        for (const std::size_t largest : {10000UL, 100000UL}) {
            auto a = v;
            auto b = v;
            auto c = v;
            auto d = v;
            auto e = names;
            {
                const shortage now{largest};
                sort(a, less);
                sort(b, {}, &record::key);
                stable_sort(c, less);
                stable_sort(d, {}, &record::key);
                stable_sort(e);
            }
            EXPECT_GE(refusals, 5);
            EXPECT_TRUE(std::ranges::is_sorted(a, less));
            EXPECT_TRUE(std::ranges::is_sorted(b, less));
            EXPECT_EQ(c, expected);
            EXPECT_EQ(d, expected);
            EXPECT_TRUE(std::ranges::is_sorted(e));
        }
    });
}

// The second array is there, the counts of the parallel round are not.
TYPED_TEST(memory, sorts_without_counts) {
    const skerry::detail::parallel_sort_function<TypeParam, false> sort{};
    setting<TypeParam>::each([&](unsigned workers) {
        std::vector<std::uint8_t> v(70000);
        std::minstd_rand random{1};
        for (auto& x : v) x = static_cast<std::uint8_t>(random() / 64);
        auto a = v;
        auto b = v;
        {
            const shortage now{150000};
            sort(a, [](std::uint8_t x, std::uint8_t y) { return x < y; });
            sort(b);
        }
        EXPECT_TRUE(std::ranges::is_sorted(a));
        EXPECT_TRUE(std::ranges::is_sorted(b));
        if (TypeParam::parallel && workers == 8) {
            EXPECT_GE(refusals, 1);
        }
    });
}

// The same for digits of a round: one chunk and a narrower digit are left.
TYPED_TEST(memory, sorts_by_digits_without_counts) {
    const skerry::detail::parallel_sort_function<TypeParam, true> stable_sort{};
    setting<TypeParam>::each([&](unsigned workers) {
        if (TypeParam::parallel && workers != 2) return;
        const std::size_t n = std::size_t{1} << 21;
        std::vector<record> v(n);
        std::minstd_rand random{1};
        for (int i = 0; record & r : v) r = {static_cast<int>(random() - (1U << 30)), i++};
        {
            const shortage now{4096, n};
            stable_sort(v, {}, &record::key);
        }
        EXPECT_GE(refusals, 1);
        EXPECT_TRUE(std::ranges::is_sorted(v, {}, [](const record& r) { return std::pair(r.key, r.number); }));
    });
}

TYPED_TEST(memory, copies_without) {
    const skerry::detail::parallel_copy_if_function<TypeParam> copy_if{};
    setting<TypeParam>::each([&](unsigned) {
        std::vector<int> v(100000);
        std::iota(v.begin(), v.end(), 0);
        std::vector<int> out(v.size());
        std::ptrdiff_t n = 0;
        {
            const shortage now{1000};
            n = copy_if(v, out.begin(), [](int x) { return x % 2 == 0; }) - out.begin();
        }
        EXPECT_EQ(n, 50000);
        EXPECT_EQ(out[40000], 80000);
    });
}

TYPED_TEST(memory, a_scan_throws_before_it_writes) {
    const skerry::detail::parallel_inclusive_scan_function<TypeParam> scan{};
    setting<TypeParam>::each([&](unsigned) {
        std::vector<int> v(1000, 1);
        bool thrown = false;
        {
            const shortage now{1000};
            try {
                scan(v, v.begin(), std::plus<>{}, 0, grain::fixed(1));
            } catch (const std::bad_alloc&) {
                thrown = true;
            }
        }
        EXPECT_TRUE(thrown);
        EXPECT_EQ(v, std::vector<int>(1000, 1));
    });
}

} // namespace
} // namespace algorithm_test
