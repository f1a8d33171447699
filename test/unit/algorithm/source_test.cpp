// SPDX-License-Identifier: Apache-2.0

// Algorithms over what has no random access, forward iterators and sources, on every executor; and what is a source.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <skerry/algorithm.hpp>
#include <skerry/serial.hpp>

#include "executors.hpp"
#include "sources.hpp"
#include "taken_rest.hpp"

namespace {

using namespace algorithm_test;
using taken_rest::sum_below;

template <class Executor>
constexpr skerry::detail::parallel_for_each_function<Executor> for_each{};
template <class Executor>
constexpr skerry::detail::parallel_reduce_function<Executor> reduce{};
template <class Executor>
constexpr skerry::detail::parallel_transform_reduce_function<Executor> transform_reduce{};

const std::array<std::uint16_t, 17> lengths{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 63, 64, 65, 1000};

template <class Executor>
class Source : public testing::Test {};
TYPED_TEST_SUITE(Source, executors, executor_names);

TYPED_TEST(Source, EachElementOnce) {
    setting<TypeParam>::each([](unsigned) {
        for (const std::size_t n : lengths) {
            std::vector<std::atomic<int>> times(n);
            for_each<TypeParam>(below(n), [&](std::size_t i) { ++times[i]; });
            EXPECT_TRUE(std::ranges::all_of(times, [](const auto& t) { return t == 1; })) << n;
            EXPECT_EQ(reduce<TypeParam>(below(n), std::uint64_t{7}), 7 + sum_below(n));
        }
    });
}

// The operation is not commutative, and its values are of class type.
TYPED_TEST(Source, ElementsKeepTheirOrder) {
    setting<TypeParam>::each([](unsigned) {
        for (const int n : lengths) {
            const auto digits = [](int i) { return std::to_string(i) + ' '; };
            std::string expected = "begin ";
            std::list<int> list;
            for (int i = 0; i != n; ++i) {
                expected += digits(i);
                list.push_back(i);
            }
            const std::string begin = "begin ";
            const auto source = [i = 0, n]() mutable { return i != n ? std::optional(i++) : std::nullopt; };
            EXPECT_EQ(transform_reduce<TypeParam>(source, begin, std::plus<>(), digits), expected);
            EXPECT_EQ(transform_reduce<TypeParam>(list, begin, std::plus<>(), digits), expected);
            EXPECT_EQ(transform_reduce<TypeParam>(list.begin(), list.end(), begin, std::plus<>(), digits), expected);
        }
    });
}

TYPED_TEST(Source, ResultsMayBeMoveOnly) {
    using number = std::unique_ptr<std::uint64_t>;
    setting<TypeParam>::each([](unsigned) {
        const auto sum = transform_reduce<TypeParam>(
            below(100), std::make_unique<std::uint64_t>(3),
            [](number a, number b) {
                *a += *b;
                return a;
            },
            [](std::size_t i) { return std::make_unique<std::uint64_t>(i); });
        EXPECT_EQ(*sum, 3 + sum_below(100));
    });
}

TYPED_TEST(Source, ContainersAndViews) {
    setting<TypeParam>::each([](unsigned) {
        std::list<int> list(100, 1);
        for_each<TypeParam>(list, [](int& x) { x += 2; });
        for_each<TypeParam>(list.begin(), std::next(list.begin(), 10), [](int& x) { x = 0; });
        EXPECT_EQ(reduce<TypeParam>(list, 0), 90 * 3);
        EXPECT_EQ(reduce<TypeParam>(list.begin(), std::next(list.begin(), 11), 1, std::plus<>()), 4);

        std::map<int, std::string> map{{1, "one"}, {2, "two"}, {3, "three"}};
        for_each<TypeParam>(map, [](auto& entry) { entry.second += '!'; });
        EXPECT_EQ(map[3], "three!");

        const std::forward_list<int> forward{3, 1, 2};
        EXPECT_EQ(reduce<TypeParam>(forward, 0, [](int a, int b) { return std::max(a, b); }), 3);
        EXPECT_EQ(reduce<TypeParam>(std::set<std::string>{"b", "a", "c"}, std::string()), "abc");

        auto odd = std::views::iota(0, 100) | std::views::filter([](int i) { return i % 2 == 1; });
        EXPECT_EQ(reduce<TypeParam>(odd, 0), 50 * 50);
        EXPECT_EQ(reduce<TypeParam>(std::list<int>(), 5), 5);
    });
}

// Pointers, as a linked structure has them, and elements that a function may change.
TYPED_TEST(Source, PointersEndWithNull) {
    struct link {
        int value;
        link* next;
    };
    std::array<link, 50> chain{};
    for (std::size_t i = 0; i != chain.size(); ++i) {
        chain[i] = {static_cast<int>(i), i + 1 != chain.size() ? &chain[i + 1] : nullptr};
    }
    const auto links = [at = chain.data()]() mutable { return at != nullptr ? std::exchange(at, at->next) : nullptr; };
    setting<TypeParam>::each([&](unsigned) {
        for_each<TypeParam>(links, [](link& l) { ++l.value; });
        const auto value = [](const link& l) { return l.value; };
        const int sum = transform_reduce<TypeParam>(links, 0, std::plus<>(), value);
        for_each<TypeParam>(links, [](link& l) { --l.value; });
        EXPECT_EQ(sum, 25 * 51);
    });
}

// Each copy of a source, of an operation and of a function is gone afterwards, also after an exception of any of them.
class counted {
  public:
    explicit counted(std::atomic<int>& live) : live_(&live) { ++*live_; }
    counted(const counted& other) : live_(other.live_) { ++*live_; }
    counted& operator=(const counted&) = default;
    ~counted() { --*live_; }

  private:
    std::atomic<int>* live_;
};
TYPED_TEST(Source, CopiesDoNotOutliveTheCall) {
    setting<TypeParam>::each([](unsigned) {
        for (const std::size_t throws_at : {std::size_t{100}, std::size_t{0}, std::size_t{30}, std::size_t{63}}) {
            for (const bool of_source : {false, true}) {
                std::atomic<int> live{0};
                const auto throw_at = [throws_at](std::size_t i) {
                    if (i == throws_at) {
                        throw std::runtime_error("30");
                    }
                };
                const auto source = [c = counted(live), i = std::size_t{0}, of_source,
                                     throw_at]() mutable -> std::optional<std::size_t> {
                    if (of_source) {
                        throw_at(i);
                    }
                    return i != 64 ? std::optional(i++) : std::nullopt;
                };
                const auto leaf = [c = counted(live), of_source, throw_at](std::size_t i) {
                    if (!of_source) {
                        throw_at(i);
                    }
                    return std::vector<std::size_t>{i};
                };
                const auto join = [c = counted(live)](std::vector<std::size_t> a, const std::vector<std::size_t>& b) {
                    a.insert(a.end(), b.begin(), b.end());
                    return a;
                };
                const int before = live;
                const auto run = [&] {
                    return transform_reduce<TypeParam>(source, std::vector<std::size_t>(), join, leaf).size();
                };
                if (throws_at == 100) {
                    EXPECT_EQ(run(), 64U);
                } else {
                    EXPECT_THROW(run(), std::runtime_error);
                }
                EXPECT_EQ(live, before);
            }
        }
    });
}

TYPED_TEST(Source, TheLeftmostExceptionArrives) {
    setting<TypeParam>::each([](unsigned) {
        for (int first = 0; first != 20; ++first) {
            try {
                for_each<TypeParam>([i = 0]() mutable { return i != 40 ? std::optional(i++) : std::nullopt; },
                                    [first](int i) {
                                        if (i >= first) {
                                            throw i;
                                        }
                                    });
                ADD_FAILURE() << "nothing was thrown";
            } catch (int i) {
                EXPECT_EQ(i, first);
            }
        }
    });
}

// Counts how deep forks are nested.
struct counting : in_place {
    static inline int depth = 0;
    static inline int deepest = 0;

    template <class F, class G>
    static auto fork_values(F&& f, G&& g) {
        deepest = std::max(deepest, ++depth);
        auto both = in_place::fork_values(f, g);
        --depth;
        return both;
    }
    template <class T, class Source, class Fold>
    static T fold_source(T sum, Source source, const Fold& how) {
        using parts = skerry::detail::fold_in_parts<counting, Source, Fold>;
        return parts::joined(how, std::move(sum), parts::fold(how, source));
    }
};
TEST(SourceParts, ForksAreNestedByTheLogarithm) {
    EXPECT_EQ(reduce<counting>(below(100'000), std::uint64_t{0}), sum_below(100'000));
    EXPECT_LE(counting::deepest, 2 * 17);
    EXPECT_GE(counting::deepest, 17);
}

// A sequence is no source, also where it can be called.
TEST(SourceForms, ASequenceThatCanBeCalledIsASequence) {
    struct both : std::vector<int> {
        using std::vector<int>::vector;
        int* operator()() { return nullptr; }
    };
    both sequence{1, 2, 3};
    EXPECT_EQ(skerry::parallel_reduce(sequence, 0), 6);
    skerry::parallel_for_each(sequence, [](int& i) { ++i; });
    EXPECT_EQ(sequence, (both{2, 3, 4}));
}

// Its elements have to be lvalues: a function may take them by reference.
TEST(SourceForms, WhatASourceMayReturn) {
    using skerry::detail::element_source;
    struct proxy {
        explicit operator bool() const { return true; }
        int operator*() const { return 1; }
    };
    EXPECT_TRUE((element_source<std::optional<int> (*)()>));
    EXPECT_TRUE((element_source<const std::optional<int>& (*)()>));
    EXPECT_TRUE((element_source<int* (*)()>));
    EXPECT_TRUE((element_source<std::unique_ptr<int> (*)()>));
    EXPECT_FALSE((element_source<proxy (*)()>));
    EXPECT_FALSE((element_source<int (*)()>));
    EXPECT_FALSE((element_source<void (*)()>));
}

TEST(SourceForms, AResultThatMustNotBeIgnoredMayBe) {
    struct [[nodiscard]] result {};
    std::list<int> list{1, 2, 3};
    int sum = 0;
    skerry::serial::parallel_for_each(list, [&sum](int i) {
        sum += i;
        return result();
    });
    EXPECT_EQ(sum, 6);
}

// Else it might look at one that is changing: in walk(), at the element behind the one that is given.
TEST(SourceForms, AnIteratorLooksAtNoElementBeforeItIsAskedForIt) {
    const std::vector<int> numbers{0, 1, 2, 3};
    std::vector<int> looked_at;
    auto all = numbers | std::views::filter([&looked_at](int i) {
                   looked_at.push_back(i);
                   return true;
               });
    skerry::detail::walk source(all.begin(), all.end());
    ASSERT_TRUE(source());
    EXPECT_EQ(looked_at, std::vector<int>{0});
    auto copy = source;
    ASSERT_TRUE(copy());
    EXPECT_EQ(looked_at, (std::vector<int>{0, 1}));
}

TEST(SourceElision, HasTheSameForms) {
    std::list<int> list{1, 2, 3};
    skerry::serial::parallel_for_each(list, [](int& x) { x *= 2; });
    EXPECT_EQ(skerry::serial::parallel_reduce(list, 0), 12);
    EXPECT_EQ(skerry::serial::parallel_transform_reduce(below(4), std::size_t{0}, std::plus<>(), std::identity()), 6U);
}

} // namespace
