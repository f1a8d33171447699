// SPDX-License-Identifier: Apache-2.0
// Elements, iterators and functions whose comma and unary & are operators of the program: no header uses them. With
// SERIAL, the same of the serial elision.
#include <gtest/gtest.h>

#include <skerry/serial.hpp>
#include <skerry/skerry.hpp>

#include <algorithm>
#include <compare>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <list>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#ifdef SERIAL
namespace sk = skerry::serial;
#else
namespace sk = skerry;
#endif

namespace algorithm_test {
namespace {

// The base of what has neither: the comma below is found by it.
struct touchy {
    void operator&() const = delete;
    friend auto operator<=>(const touchy&, const touchy&) = default;
};
template <class T>
concept is_touchy = std::derived_from<std::remove_cvref_t<T>, touchy>;
template <class A, class B>
    requires(is_touchy<A> || is_touchy<B>)
void operator,(A&&, B&&) = delete;

// Of a char: what sorts copy bitwise; of a string: what they move.
template <class Rest>
struct element : touchy {
    element() = default;
    explicit element(int x) : value(x) {}

    friend auto operator<=>(const element&, const element&) = default;
    friend element operator+(const element& a, const element& b) { return element(a.value + b.value); }
    friend element operator*(const element& a, const element& b) { return element(a.value * b.value); }

    int value = 0;
    Rest rest{};
};

template <class T>
struct cursor : touchy {
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = T*;
    using reference = T&;
    using iterator_category = std::random_access_iterator_tag;

    cursor() = default;
    explicit cursor(T* place) : at(place) {}

    T& operator*() const { return *at; }
    T* operator->() const { return at; }
    T& operator[](std::ptrdiff_t n) const { return at[n]; }
    cursor& operator++() { return *this += 1; }
    cursor operator++(int) { return cursor(at++); }
    cursor& operator--() { return *this -= 1; }
    cursor operator--(int) { return cursor(at--); }
    cursor& operator+=(std::ptrdiff_t n) {
        at += n;
        return *this;
    }
    cursor& operator-=(std::ptrdiff_t n) { return *this += -n; }
    friend cursor operator+(cursor c, std::ptrdiff_t n) { return c += n; }
    friend cursor operator+(std::ptrdiff_t n, cursor c) { return c += n; }
    friend cursor operator-(cursor c, std::ptrdiff_t n) { return c -= n; }
    friend std::ptrdiff_t operator-(const cursor& a, const cursor& b) { return a.at - b.at; }
    friend auto operator<=>(const cursor& a, const cursor& b) { return a.at <=> b.at; }
    friend bool operator==(const cursor& a, const cursor& b) { return a.at == b.at; }

    T* at = nullptr;
};

template <class F>
struct function : touchy, F {
    explicit function(F f) : F(std::move(f)) {}
};

// Gives the elements of an array.
template <class T>
struct source : touchy {
    source(T* first, T* last) : at(first), end(last) {}
    T* operator()() { return at == end ? nullptr : at++; }
    T* at;
    T* end;
};

// The numbers below n in some order; a prime does not divide n.
template <class T>
std::vector<T> shuffled(int n) {
    std::vector<T> all;
    for (int i = 0; i < n; ++i) all.emplace_back(static_cast<int>(i * 7919L % n));
    return all;
}

template <class T>
class odd_operators : public ::testing::Test {};
using elements = ::testing::Types<element<char>, element<std::string>>;
TYPED_TEST_SUITE(odd_operators, elements);

TYPED_TEST(odd_operators, of_what_is_sorted) {
    const function less([](const TypeParam& a, const TypeParam& b) { return a.value < b.value; });
    const function greater([](int a, int b) { return a > b; });
    const function value([](const TypeParam& x) { return x.value; });
    // Networks, merges, samples, digits.
    for (const int n : {2, 3, 5, 8, 9, 40, 200, 3'000, 100'000}) {
        const auto all = shuffled<TypeParam>(n);
        const auto ascending = [](const std::vector<TypeParam>& v) { return std::ranges::is_sorted(v); };
        for (const auto& sort : {std::function<void(std::vector<TypeParam>&)>([](auto& v) { sk::parallel_sort(v); }),
                                 {[](auto& v) { sk::parallel_stable_sort(v); }},
                                 {[&](auto& v) { sk::parallel_sort(v, less); }},
                                 {[&](auto& v) { sk::parallel_stable_sort(v, less); }},
                                 {[&](auto& v) { sk::parallel_stable_sort(v, std::less<>(), value); }},
                                 {[](auto& v) {
                                     const cursor<TypeParam> first(v.data());
                                     sk::parallel_sort(first, first + std::ssize(v));
                                     sk::parallel_stable_sort(first, first + std::ssize(v));
                                 }},
                                 {[&](auto& v) {
                                     sk::parallel_sort(v, greater, value);
                                     std::ranges::reverse(v);
                                 }}}) {
            auto v = all;
            sort(v);
            EXPECT_TRUE(ascending(v)) << n;
        }
    }
}

TYPED_TEST(odd_operators, of_what_is_mapped_folded_and_found) {
    constexpr int n = 5'000;
    auto v = shuffled<TypeParam>(n);
    auto w = v;
    const cursor<TypeParam> first(v.data());
    const cursor<TypeParam> last = first + n;
    const cursor<TypeParam> out(w.data());
    const function negate([](const TypeParam& x) { return TypeParam(-x.value); });
    const function add([](const TypeParam& a, const TypeParam& b) { return a + b; });
    const function add_to_each([](TypeParam& x) { x.value += 2; });
    const function odd([](const TypeParam& x) { return x.value % 2 != 0; });
    const int sum = n * (n - 1) / 2;

    sk::parallel_for(first, last, add_to_each);
    sk::parallel_for_each(first, last, add_to_each, sk::grain::fixed(7));
    sk::parallel_for(v, function([](TypeParam& x) { x.value -= 4; }));
    sk::parallel_for(0, n, function([&](int i) { v[static_cast<std::size_t>(i)].value += 0; }));
    sk::parallel_for(sk::box<2>{{0, 0}, {4, 4}}, function([](int i, int j) { return i + j; }));
    EXPECT_EQ(sk::parallel_reduce(first, last).value, sum);
    EXPECT_EQ(sk::parallel_reduce(v, TypeParam(1), add).value, sum + 1);
    EXPECT_EQ(sk::parallel_transform_reduce(first, last, TypeParam(), add, negate).value, -sum);
    EXPECT_EQ(sk::parallel_transform_reduce(first, last, out, TypeParam(), add, add).value, 2 * sum);
    EXPECT_EQ(sk::parallel_transform(first, last, out, negate).at, (out + n).at);
    EXPECT_EQ(w.back().value, -v.back().value);
    EXPECT_EQ(sk::parallel_transform(first, last, out, out, add).at, (out + n).at);
    EXPECT_EQ(w.back().value, 0);
    EXPECT_EQ(sk::parallel_inclusive_scan(first, last, out, add).at, (out + n).at);
    EXPECT_EQ(w.back().value, sum);
    EXPECT_EQ(sk::parallel_exclusive_scan(first, last, out, TypeParam(1), add, sk::grain::fixed(7)).at, (out + n).at);
    EXPECT_EQ(w.back().value, sum + 1 - v.back().value);
    EXPECT_EQ(sk::parallel_copy_if(first, last, out, odd).at, (out + n / 2).at);
    EXPECT_EQ(sk::parallel_copy_if(first, first + 9, out, odd).at, (out + std::count_if(first, first + 9, odd)).at);
    EXPECT_EQ(sk::parallel_find_if(first, last, odd).at, std::find_if(first, last, odd).at);
    EXPECT_TRUE(sk::parallel_any_of(first, last, odd));
    EXPECT_FALSE(sk::parallel_all_of(v, odd));

    std::list<TypeParam> list(v.begin(), v.end());
    sk::parallel_for_each(list, add_to_each);
    EXPECT_EQ(sk::parallel_reduce(list, TypeParam(), add).value, sum + 2 * n);
    const source<TypeParam> each(v.data(), v.data() + n);
    sk::parallel_for_each(each, odd);
    EXPECT_EQ(sk::parallel_reduce(each, TypeParam(), add).value, sum);
    EXPECT_EQ(sk::parallel_transform_reduce(each, TypeParam(), add, negate).value, -sum);
}

TYPED_TEST(odd_operators, of_functions_and_results_of_tasks) {
    const function one([] { return TypeParam(1); });
    const auto [a, b] = sk::parallel_invoke(one, one);
    const auto [c, d, e] = sk::parallel_invoke(one, [] { return TypeParam(2); }, one);
    EXPECT_EQ(a.value + b.value + c.value + d.value + e.value, 6);
    EXPECT_EQ(sk::submit(one).get().value, 1);
    EXPECT_EQ(sk::blocking(one).value, 1);
    sk::task_group g;
    g.run(one);
    g.wait();
    const TypeParam finished = sk::finish([&](sk::scope& s) {
        s.async(one);
        return TypeParam(3);
    });
    EXPECT_EQ(finished.value, 3);
    sk::worker_local<TypeParam> local(TypeParam(4));
    static_cast<void>(local.local());
    for (TypeParam& x : local) EXPECT_EQ(x.value, 4);
    EXPECT_EQ(local.combine(function([](const TypeParam& x, const TypeParam& y) { return x + y; })).value, 4);

    TypeParam x(1);
    std::vector<TypeParam> several(3, TypeParam(1));
    const function add([](TypeParam& to, const TypeParam& what) { to.value += what.value; });
    sk::spawn(add, skerry::inout(x), TypeParam(2));
    sk::spawn(add, skerry::inout(x), skerry::in(several[0]));
    sk::spawn(function([](std::vector<TypeParam>& all, const TypeParam& what) { all[1].value = what.value; }),
              skerry::inout(several), skerry::in(x));
    sk::taskwait_on(skerry::in(x));
    EXPECT_EQ(x.value, 4);
    const auto parts = skerry::partition(several, 1);
    sk::spawn(function([](std::span<TypeParam> part) { part[0].value += 1; }), skerry::inout(parts(1)));
    sk::taskwait();
    EXPECT_EQ(several[1].value, 5);
    sk::region r = sk::root_region().create();
    TypeParam* const made = r.make<TypeParam>(6);
    EXPECT_EQ(made->value + r.make_array<TypeParam>(2)[1].value, 6);
    r.destroy(made);
    r.destroy_all();
}

} // namespace
} // namespace algorithm_test
