// SPDX-License-Identifier: Apache-2.0

// What the branches of parallel_invoke hand to its caller, also from a thief.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include <gtest/gtest.h>

#include <skerry/finish.hpp>
#include <skerry/parallel_invoke.hpp>
#include <skerry/runtime.hpp>

#include "../until.hpp"
#include "workers.hpp"

namespace {

using skerry::parallel_invoke;

// Counts those that have not ended.
struct failure {
    explicit failure(int& n) : alive(&n) { ++*alive; }
    failure(const failure& other) : alive(other.alive) { ++*alive; }
    failure& operator=(const failure&) = delete;
    ~failure() { --*alive; }
    int* alive;
};

TEST(ParallelInvoke, AReferenceStaysAReferenceInEachPlace) {
    int x = 1;
    const std::string y = "y";
    const auto first = [&x]() -> int& { return x; };
    const auto second = [&y]() -> const std::string& { return y; };
    auto forth = parallel_invoke(first, second);
    auto back = parallel_invoke(second, first);
    auto three = parallel_invoke(second, first, second);
    static_assert(std::is_same_v<decltype(forth), std::tuple<int&, const std::string&>>);
    static_assert(std::is_same_v<decltype(back), std::tuple<const std::string&, int&>>);
    static_assert(std::is_same_v<decltype(three), std::tuple<const std::string&, int&, const std::string&>>);
    EXPECT_EQ(&std::get<0>(forth), &x);
    EXPECT_EQ(&std::get<1>(forth), &y);
    EXPECT_EQ(&std::get<0>(back), &y);
    EXPECT_EQ(&std::get<1>(back), &x);
    EXPECT_EQ(&std::get<0>(three), &y);
    EXPECT_EQ(&std::get<1>(three), &x);
    EXPECT_EQ(&std::get<2>(three), &y);
}

TEST(ParallelInvoke, ABranchWithoutResultBesideOneWithIsAMonostate) {
    const auto nothing = [] {};
    const auto number = [] { return 2; };
    static_assert(std::is_same_v<decltype(parallel_invoke(nothing, number)), std::tuple<std::monostate, int>>);
    static_assert(std::is_same_v<decltype(parallel_invoke(number, nothing)), std::tuple<int, std::monostate>>);
    static_assert(std::is_void_v<decltype(parallel_invoke(nothing, nothing))>);
    static_assert(std::is_void_v<decltype(parallel_invoke(nothing, nothing, nothing))>);
    EXPECT_EQ(std::get<1>(parallel_invoke(nothing, number)), 2);
}

// Calls each with closures of every size and alignment, which capture by value and by reference.
template <class Each>
void with_closures_of_every_size(const Each& each) {
    struct alignas(32) wide {
        std::size_t value;
    };
    std::size_t a = 1;
    std::size_t b = 2;
    const std::string c = "c";
    each([] { return std::size_t{10}; }, [x = 'x'] { return x == 'x' ? std::size_t{11} : 0; },
         [x = std::size_t{13}] { return x; }, [&a] { return 11 + a; }, [&b, x = 'x'] { return x == 'x' ? 11 + b : 0; },
         [x = std::size_t{5}, y = std::size_t{6}] { return 3 * x + y; }, [&a, &c] { return 12 + a + c.size(); },
         [&a, &b, &c] { return 11 + a + b + c.size(); },
         [&a, x = a, y = b, z = 3] { return a + x + y + static_cast<std::size_t>(z); },
         [a, b, c, x = 12] { return static_cast<std::size_t>(x) + a + b + c.size(); },
         [x = wide{7}] { return reinterpret_cast<std::uintptr_t>(&x) % 32 == 0 ? x.value : 0; });
}

// A fork passes closures on in registers if they fit there, and the owner calls some of them from the task.
TEST(ParallelInvoke, ClosuresOfEverySizeArriveWhole) {
    with_closures_of_every_size([](const auto&... first) {
        const auto beside_each = [](const auto& f) {
            with_closures_of_every_size([&f](const auto&... second) {
                const auto both = [&f](const auto& g) {
                    const std::tuple expected(f(), g());
                    auto f1 = f;
                    auto g1 = g;
                    EXPECT_EQ(parallel_invoke(f, g), expected);
                    EXPECT_EQ(parallel_invoke(std::move(f1), std::move(g1)), expected);
                };
                (..., both(second));
            });
        };
        (..., beside_each(first));
    });
}

TEST(ParallelInvoke, AThiefGetsClosuresOfEverySizeWhole) {
    static std::atomic<bool> taken;
    const auto waits = [] { until(taken); };
    skerry::runtime rt(OnWorkers::with(2));
    rt.run([&] {
        with_closures_of_every_size([&](const auto&... second) {
            const auto stolen = [&](const auto& g) {
                struct tells : std::remove_cvref_t<decltype(g)> {
                    auto operator()() {
                        const auto result = std::remove_cvref_t<decltype(g)>::operator()();
                        taken = true;
                        return result;
                    }
                };
                taken = false;
                EXPECT_EQ(std::get<1>(parallel_invoke(waits, tells{g})), g());
            };
            (..., stolen(second));
        });
    });
}

// Such a class can be trivially copyable, and be no more than a few words.
TEST(ParallelInvoke, ClosuresThatOnlyMove) {
    struct once {
        explicit once(int n) : n_(n) {}
        once(const once&) = delete;
        once(once&&) = default;
        int operator()() { return n_; }
        int n_;
    };
    static_assert(std::is_trivially_copyable_v<once>);
    EXPECT_EQ(parallel_invoke(once{1}, once{2}), std::tuple(1, 2));
    EXPECT_EQ(parallel_invoke([] { return 1; }, once{2}, [a = once{3}]() mutable { return a(); }), std::tuple(1, 2, 3));
    EXPECT_EQ(parallel_invoke([p = std::make_unique<int>(4)] { return *p; }, once{2}), std::tuple(4, 2));
}

TEST(ParallelInvoke, AThiefMayChangeAClosureWhileItsOwnerWaits) {
    static std::atomic<bool> taken;
    skerry::runtime rt(OnWorkers::with(2));
    rt.run([&] {
        for (int i = 0; i < 100; ++i) {
            taken = false;
            int result = 0;
            parallel_invoke([] { until(taken); },
                            [&result, n = 0]() mutable {
                                taken = true;
                                for (int k = 0; k < 1000; ++k) ++n;
                                result = n;
                            });
            EXPECT_EQ(result, 1000);
        }
    });
}

// The owner calls a copy of a closure of a few words. It is called once, wherever it lies.
TEST(ParallelInvoke, AClosureThatChangesItselfIsCalledOnce) {
    int calls = 0;
    int* const counter = &calls;
    for (int i = 1; i <= 3; ++i) {
        const auto results = parallel_invoke([x = 1]() mutable { return ++x; },
                                             [counter, x = 1]() mutable {
                                                 ++*counter;
                                                 return ++x;
                                             });
        EXPECT_EQ(results, std::tuple(2, 2));
        EXPECT_EQ(calls, i);
    }
    auto kept = [counter, x = 1]() mutable {
        ++*counter;
        return ++x;
    };
    EXPECT_EQ(std::get<1>(parallel_invoke([] {}, kept)), 2);
    EXPECT_EQ(std::get<1>(parallel_invoke([] {}, kept)), 3); // an object of the caller's: no copy
    EXPECT_EQ(calls, 5);
}

// What a fork takes to be a closure with references, on which its speed depends and nothing else.
TEST(ParallelInvoke, ClosuresThatReferAreToldFromThoseThatHold) {
    long n = 1;
    const auto by_reference = [&n] { return n; };
    const auto all_by_reference = [&] { return n + 1; };
    const auto mixed = [n, &m = n] { return n + m; };
    const auto by_value = [n] { return n; };
    const auto address = [p = &n] { return *p; };
    const auto nothing = [] {};
    using skerry::detail::refers;
    EXPECT_TRUE(refers<decltype(by_reference)> && refers<decltype(all_by_reference)&> && refers<decltype(mixed)>);
    EXPECT_FALSE(refers<decltype(by_value)> || refers<decltype(address)> || refers<decltype(nothing)>);
    parallel_invoke(by_reference, all_by_reference, mixed, by_value, address, nothing);
}

TEST(ParallelInvoke, AThiefHandsOverResultReferenceAndException) {
    skerry::runtime rt(OnWorkers::with(2));
    rt.run([] {
        std::atomic<bool> taken = false;
        const auto wait = [&taken] {
            until(taken);
            taken = false;
        };
        const auto text = parallel_invoke(wait, [&taken] {
            taken = true;
            return std::string(100, 'x');
        });
        EXPECT_EQ(std::get<1>(text), std::string(100, 'x'));

        int x = 1;
        const auto reference = parallel_invoke(wait, [&]() -> int& {
            taken = true;
            return x;
        });
        EXPECT_EQ(&std::get<1>(reference), &x);

        int alive = 0;
        bool caught = false;
        try {
            parallel_invoke(wait, [&] {
                taken = true;
                throw failure(alive);
            });
        } catch (const failure&) {
            caught = true;
            EXPECT_EQ(alive, 1);
        }
        EXPECT_TRUE(caught);
        EXPECT_EQ(alive, 0);
    });
}

TEST(ParallelInvoke, WhatAThiefLeavesBehindALeftExceptionIsDropped) {
    skerry::runtime rt(OnWorkers::with(2));
    rt.run([] {
        std::atomic<bool> taken = false;
        int alive = 0;
        const auto left = [&taken] {
            until(taken);
            taken = false;
            throw 1;
        };
        EXPECT_THROW(parallel_invoke(left,
                                     [&] {
                                         taken = true;
                                         throw failure(alive);
                                     }),
                     int);
        EXPECT_EQ(alive, 0);
        EXPECT_THROW(parallel_invoke(left,
                                     [&] {
                                         taken = true;
                                         return failure(alive);
                                     }),
                     int);
        EXPECT_EQ(alive, 0);
    });
}

TEST(ParallelInvoke, WhatAThiefLeavesBehindAResultThatCannotBeCopiedIsDropped) {
    struct never_copied {
        never_copied() = default;
        never_copied(const never_copied&) { throw 1; }
    };
    skerry::runtime rt(OnWorkers::with(2));
    rt.run([] {
        std::atomic<bool> taken = false;
        int alive = 0;
        const auto left = [&taken] {
            until(taken);
            return never_copied();
        };
        const auto right = [&] {
            taken = true;
            return failure(alive);
        };
        EXPECT_THROW(parallel_invoke(left, right), int);
        EXPECT_EQ(alive, 0);
    });
}

// A recursion whose branches have one word each, so that an optimising compiler may make a loop of the second and keep
// the worker's page and the deque's end for all its turns: each turn has to find both as it left them.
namespace turns {
skerry::runtime* other;                     // which first branches enter
std::atomic<unsigned> wrong;                // times that somebody was in another runtime than he should be
constexpr unsigned here = 2, elsewhere = 3; // workers, by which one tells them apart

void look(unsigned expected) { wrong += skerry::detail::concurrency() != expected ? 1U : 0U; }

unsigned forks_elsewhere(unsigned n) {
    return other->run([n] {
        const auto [x, y] = parallel_invoke([] { return 1U; }, [n] { return n; });
        look(elsewhere);
        return x + y;
    });
}

unsigned sum(unsigned n) {
    if (n == 0) return 0;
    const auto [first, rest] = parallel_invoke(
        [n] {
            look(here);
            return forks_elsewhere(n);
        },
        [n] {
            look(here);
            return sum(n - 1);
        });
    return first + rest;
}

unsigned fib(unsigned n) {
    if (n < 2) return n;
    const auto [x, y] = parallel_invoke([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
    return x + y;
}

// The same with branches that refer to the caller's frame, and with results of class type.
unsigned captured_fib(unsigned n) {
    if (n < 2) return n;
    const auto [x, y] = parallel_invoke([&] { return captured_fib(n - 1); }, [&] { return captured_fib(n - 2); });
    return x + y;
}

unsigned stored_fib(unsigned n) {
    if (n < 2) return n;
    unsigned x = 0;
    unsigned y = 0;
    parallel_invoke([&] { x = stored_fib(n - 1); }, [&] { y = stored_fib(n - 2); });
    return x + y;
}

std::string spelled_fib(unsigned n) { // in ones
    if (n < 2) return std::string(n, '1');
    const auto [x, y] = parallel_invoke([&] { return spelled_fib(n - 1); }, [&] { return spelled_fib(n - 2); });
    return x + y;
}
unsigned length_of_spelled_fib(unsigned n) { return static_cast<unsigned>(spelled_fib(n).size()); }
} // namespace turns

TEST(ParallelInvoke, EveryTurnOfARecursionThroughTheSecondBranchIsInItsOwnRuntime) {
    skerry::runtime rt(OnWorkers::with(turns::here));
    skerry::runtime other(OnWorkers::with(turns::elsewhere));
    turns::other = &other;
    turns::wrong = 0;
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(rt.run([] { return turns::sum(100); }), 100U + 100U * 101U / 2U);
    }
    EXPECT_EQ(turns::wrong, 0U);
}

TEST(ParallelInvoke, EveryTurnOfARecursionThroughTheSecondBranchForksWhereThePopLeftTheDeque) {
    for (const auto fib : {turns::fib, turns::captured_fib, turns::stored_fib, turns::length_of_spelled_fib}) {
        for (const unsigned workers : {1U, 2U, 8U}) {
            skerry::runtime rt(OnWorkers::with(workers));
            rt.run([fib] {
                // Deeper and shallower, with a loose task above now and then: pops that are certain and pops that are
                // not.
                for (unsigned n = 0; n < 18; ++n) {
                    unsigned got = 0;
                    skerry::finish([&](auto& f) {
                        f.async([fib, n] { fib(n); });
                        got = fib(n);
                    });
                    unsigned expected = 0;
                    for (unsigned a = 1, k = 0; k < n; ++k) expected = std::exchange(a, a + expected);
                    EXPECT_EQ(got, expected);
                }
            });
        }
    }
}

} // namespace
