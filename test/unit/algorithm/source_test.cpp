// SPDX-License-Identifier: Apache-2.0

// Algorithms over what has no random access: forward iterators, and sources. On every executor; then what thieves take
// out of a chain (source_chain.hpp), and what exceptions and copies leave behind.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <ranges>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <skerry/algorithm.hpp>
#include <skerry/finish.hpp>
#include <skerry/serial.hpp>
#include <skerry/task_group.hpp>

#include "../until.hpp"
#include "executors.hpp"
#include "two_workers.hpp"

namespace {

using namespace algorithm_test;

template <class Executor>
constexpr skerry::detail::parallel_for_each_function<Executor> for_each{};
template <class Executor>
constexpr skerry::detail::parallel_reduce_function<Executor> reduce{};
template <class Executor>
constexpr skerry::detail::parallel_transform_reduce_function<Executor> transform_reduce{};

// 0, 1 ... n - 1
auto below(std::size_t n) {
    return [i = std::size_t{0}, n]() mutable { return i != n ? std::optional(i++) : std::nullopt; };
}
std::uint64_t sum_below(std::uint64_t n) { return n == 0 ? 0 : n * (n - 1) / 2; }

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

class SourceChain : public OnTwoWorkers {};

template <class Leaf>
std::uint64_t sum(std::size_t n, const Leaf& leaf) {
    return skerry::parallel_transform_reduce(below(n), std::uint64_t{0}, std::plus<>(), leaf);
}

// The first leaf ends when the last one has run: it is in the rest that a thief took. All of them, once.
TEST_P(SourceChain, AThiefTakesTheRest) {
    for (const std::size_t n : {std::size_t{2}, std::size_t{3}, std::size_t{8}, std::size_t{1000}}) {
        in([n] {
            std::atomic<bool> last_ran = false;
            const std::uint64_t got = sum(n, [&](std::size_t i) {
                if (i == 0) {
                    until(last_ran);
                } else if (i == n - 1) {
                    last_ran = true;
                }
                return i;
            });
            EXPECT_EQ(got, sum_below(n)) << n;
        });
    }
}

// The thief of the rest stays in its first leaf until the last one has run: whoever began the chain has taken it back.
TEST_P(SourceChain, WhoWaitsForTheRestTakesOfItBack) {
    in([] {
        std::atomic<bool> taken = false;
        std::atomic<bool> last_ran = false;
        const std::uint64_t got = sum(20, [&](std::size_t i) {
            if (i == 0) {
                until(taken);
            } else if (i == 1) {
                taken = true;
                until(last_ran);
            } else if (i == 19) {
                last_ran = true;
            }
            return i;
        });
        EXPECT_EQ(got, sum_below(20));
    });
}

// Taken in the middle: what was folded before is kept, and the rest is what was left then.
TEST_P(SourceChain, ATheftInTheMiddle) {
    in([] {
        for (std::size_t middle = 0; middle != 15; ++middle) {
            std::atomic<bool> next_ran = false;
            const std::uint64_t got = sum(16, [&](std::size_t i) {
                if (i == middle) {
                    until(next_ran);
                } else if (i > middle) {
                    next_ran = true;
                }
                return std::uint64_t{1} << i;
            });
            EXPECT_EQ(got, (std::uint64_t{1} << 16) - 1) << middle;
        }
    });
}

// A thief has the rest when a leaf, or the operation, throws: it is awaited, and its own exception, which is not the
// leftmost, dropped.
TEST_P(SourceChain, AnExceptionBesideATakenRest) {
    for (const bool of_operation : {false, true}) {
        in([of_operation] {
            std::atomic<bool> taken = false;
            std::atomic<bool> thrown = false;
            std::atomic<bool> ended = false;
            const auto throw_first = [&thrown] {
                thrown = true;
                throw std::runtime_error("first");
            };
            const auto leaf = [&](std::size_t i) {
                if (i == 0) {
                    until(taken);
                    if (!of_operation) {
                        throw_first();
                    }
                    return 1;
                }
                taken = true;
                until(thrown);
                ended = true;
                throw std::runtime_error("rest");
            };
            const auto join = [&](int a, int b) {
                throw_first();
                return a + b;
            };
            try {
                skerry::parallel_transform_reduce(below(2), 0, join, leaf);
                ADD_FAILURE() << "nothing was thrown";
            } catch (const std::runtime_error& e) {
                EXPECT_STREQ(e.what(), "first");
            }
            EXPECT_TRUE(ended) << "the thief was not awaited";
        });
    }
}

TEST_P(SourceChain, TheExceptionOfATakenRestArrives) {
    in([] {
        std::atomic<bool> taken = false;
        try {
            sum(16, [&](std::size_t i) -> std::uint64_t {
                if (i == 0) {
                    until(taken);
                } else if (i == 15) {
                    taken = true;
                    throw std::runtime_error("taken");
                }
                return 0;
            });
            ADD_FAILURE() << "nothing was thrown";
        } catch (const std::runtime_error& e) {
            EXPECT_STREQ(e.what(), "taken");
        }
    });
}

// A rest whose source throws as it is walked over by the thief.
TEST_P(SourceChain, TheSourceOfATakenRestThrows) {
    in([] {
        std::atomic<bool> reached = false;
        const auto source = [i = 0, &reached]() mutable -> std::optional<int> {
            if (i == 5) {
                reached = true;
                throw std::runtime_error("source");
            }
            return i++;
        };
        const auto leaf = [&](int i) {
            if (i == 0) {
                until(reached);
            }
        };
        EXPECT_THROW(skerry::parallel_for_each(source, leaf), std::runtime_error);
    });
}

// Copies that share a counter are not independent: what the thief has walked over is not there any more.
TEST_P(SourceChain, ACopyThatGivesLessIsReported) {
    in([] {
        int left = 2;
        std::atomic<bool> walked_over = false;
        const auto shared = [&]() -> std::optional<int> {
            if (left == 0) {
                walked_over = true;
                return std::nullopt;
            }
            return left--;
        };
        try {
            skerry::parallel_for_each(shared, [&](int) { until(walked_over); });
            ADD_FAILURE() << "nothing was thrown";
        } catch (const skerry::bad_source& e) {
            EXPECT_STREQ(e.what(), "skerry: a copy of a source gave fewer elements than the source itself");
        }
    });
}

// An assignment of the result's type that throws while a thief has the rest, or nobody has it.
TEST_P(SourceChain, AnAssignmentThrows) {
    struct number {
        int value;
        explicit number(int v) : value(v) {}
        number(const number&) = default;
        number& operator=(const number& other) {
            if (other.value > 2) {
                throw std::runtime_error("assignment");
            }
            value = other.value;
            return *this;
        }
        ~number() = default;
        number operator+(const number& other) const { return number(value + other.value); }
    };
    in([] {
        for (const bool taken_before : {false, true}) {
            std::atomic<bool> taken = !taken_before;
            const auto leaf = [&taken](std::size_t i) {
                if (i == 0) {
                    until(taken);
                }
                taken = true;
                return number(3);
            };
            EXPECT_THROW(skerry::parallel_transform_reduce(below(5), number(0), std::plus<>(), leaf),
                         std::runtime_error);
            EXPECT_EQ(sum(5, [](std::size_t i) { return i; }), sum_below(5)) << "the deque is not as before";
        }
    });
}

// The deque is not as the chain has left it when a source has begun tasks, or has waited for some.
TEST_P(SourceChain, SourcesMayBeginTasksAndWait) {
    in([] {
        std::atomic<int> ran = 0;
        skerry::task_group group;
        const auto run = [&] { group.run([&ran] { ++ran; }); };
        run();
        skerry::parallel_for_each(
            [&, i = 0]() mutable {
                run();
                if (i == 3) {
                    group.wait();
                }
                return i != 10 ? std::optional(i++) : std::nullopt;
            },
            [](int) {});
        group.wait();
        const int began = ran;
        EXPECT_GE(began, 12); // a thief asks more than once
        run();
        group.wait();
        EXPECT_EQ(ran, began + 1);
    });
}

// Who walks over elements of a view looks at none whose leaf may run: the predicate would see it change.
TEST_P(SourceChain, APredicateSeesNoElementThatChanges) {
    struct element {
        std::atomic<bool> begun = false;
    };
    in([] {
        std::list<element> list(64);
        std::atomic<int> late = 0;
        auto all = list | std::views::filter([&late](const element& e) {
                       late += e.begun ? 1 : 0;
                       return true;
                   });
        skerry::parallel_for_each(all, [](element& e) {
            e.begun = true;
            std::this_thread::sleep_for(std::chrono::microseconds(100));
        });
        EXPECT_EQ(late, 0);
        EXPECT_TRUE(std::ranges::all_of(list, [](const element& e) { return e.begun.load(); }));
    });
}

// What a leaf leaves in the deque lies above the rest of its chain.
TEST_P(SourceChain, LeavesMaySpawn) {
    in([] {
        std::atomic<std::size_t> spawned = 0;
        std::uint64_t got = 0;
        skerry::finish([&](skerry::scope& all) {
            got = sum(64, [&](std::size_t i) {
                all.async([&spawned] { ++spawned; });
                all.async([&spawned] { ++spawned; });
                return i;
            });
        });
        EXPECT_EQ(spawned, 128U);
        EXPECT_EQ(got, sum_below(64));
    });
}

// Chains within leaves of chains: the deque grows under them.
TEST_P(SourceChain, ChainsGrowTheDeque) {
    in([] {
        const auto nest = [](const auto& self, std::size_t depth) -> std::uint64_t {
            return sum(3, [&](std::size_t i) { return i == 0 && depth > 0 ? 1 + self(self, depth - 1) : 1; });
        };
        EXPECT_EQ(nest(nest, 1099), 1100 * 3);
    });
}

UNDER_BOTH_PROTOCOLS(SourceChain);

TEST(SourceChainOnOneWorker, AnExceptionLeavesOutWhatHasNotBegun) {
    skerry::options o;
    o.workers = 1;
    skerry::runtime(o).run([] {
        for (std::size_t at = 0; at != 16; ++at) {
            std::size_t ran = 0;
            const auto leaf = [&](std::size_t i) -> std::uint64_t {
                if (i == at) {
                    throw std::runtime_error("a leaf");
                }
                return ++ran;
            };
            EXPECT_THROW(sum(16, leaf), std::runtime_error);
            EXPECT_EQ(ran, at);
            EXPECT_EQ(sum(16, [](std::size_t i) { return i; }), sum_below(16)) << "the deque is not as before";
        }
    });
}

// Nobody takes anything: elements are asked for once, and run in order.
TEST(SourceChainOnOneWorker, AsksForEachElementOnce) {
    skerry::options o;
    o.workers = 1;
    skerry::runtime(o).run([] {
        int asked = 0;
        std::vector<int> ran;
        skerry::parallel_for_each(
            [&asked, i = 0]() mutable {
                ++asked;
                return i != 10 ? std::optional(i++) : std::nullopt;
            },
            [&ran](int i) { ran.push_back(i); });
        EXPECT_EQ(asked, 11);
        EXPECT_TRUE(std::ranges::equal(ran, std::views::iota(0, 10)));
    });
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

TEST(SourceFromOutside, AThreadWithoutASlotGetsOne) {
    EXPECT_EQ(sum(30, [](std::size_t i) { return i; }), sum_below(30));
}

TEST(SourceElision, HasTheSameForms) {
    std::list<int> list{1, 2, 3};
    skerry::serial::parallel_for_each(list, [](int& x) { x *= 2; });
    EXPECT_EQ(skerry::serial::parallel_reduce(list, 0), 12);
    EXPECT_EQ(skerry::serial::parallel_transform_reduce(below(4), std::size_t{0}, std::plus<>(), std::identity()), 6U);
}

} // namespace
