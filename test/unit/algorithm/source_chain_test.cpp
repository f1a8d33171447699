// SPDX-License-Identifier: Apache-2.0

// Chains over what a source gives (source_chain.hpp): what thieves take out of them, and what sources, operations and
// assignments leave behind that throw, or begin tasks.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include <skerry/algorithm.hpp>
#include <skerry/task_group.hpp>

#include "../until.hpp"
#include "sources.hpp"
#include "taken_rest.hpp"
#include "two_workers.hpp"

namespace {

using algorithm_test::below;
using taken_rest::sum_below;

// A source of a few words goes along as these; others are copied for the rest.
template <class Room>
struct with_room {
    decltype(below(0)) source;
    Room room{};

    auto operator()() { return source(); }
};
constexpr auto sum = [](std::size_t n, const auto& leaf) {
    return skerry::parallel_transform_reduce(below(n), std::uint64_t{0}, std::plus<>(), leaf);
};
template <class Room>
constexpr auto sum_with = [](std::size_t n, const auto& leaf) {
    return skerry::parallel_transform_reduce(with_room<Room>{below(n)}, std::uint64_t{0}, std::plus<>(), leaf);
};

class SourceChain : public OnTwoWorkers {
  protected:
    template <class F>
    void with_each_sum(const F& f) {
        in([&f] {
            f(sum);
            f(sum_with<std::vector<int>>);
            f(sum_with<std::array<int, 100>>);
        });
    }
};

TEST_P(SourceChain, AThiefTakesTheRest) {
    for (const std::size_t n : {std::size_t{2}, std::size_t{3}, std::size_t{8}, std::size_t{1000}}) {
        with_each_sum([n](const auto& of) { taken_rest::is_taken(of, n); });
    }
}
TEST_P(SourceChain, WhoWaitsForTheRestTakesOfItBack) {
    with_each_sum([](const auto& of) { taken_rest::is_taken_back_in_part(of, 20); });
}
TEST_P(SourceChain, ATheftInTheMiddle) {
    with_each_sum([](const auto& of) { taken_rest::is_taken_in_the_middle(of, 16); });
}
TEST_P(SourceChain, AThiefTakesAnEmptyRest) {
    const auto count = [this] { return steals(); };
    with_each_sum([&](const auto& of) { EXPECT_EQ(taken_rest::is_taken_though_empty(of, 1, count), 20U); });
}
TEST_P(SourceChain, TheExceptionOfATakenRestArrives) {
    with_each_sum([](const auto& of) { taken_rest::throws(of, 16); });
}
TEST_P(SourceChain, LeavesMaySpawn) {
    with_each_sum([](const auto& of) { taken_rest::lies_below_what_leaves_begin(of, 64); });
}
TEST_P(SourceChain, ChainsGrowTheDeque) {
    with_each_sum([](const auto& of) { taken_rest::lies_in_a_deque_that_grows(of); });
}
TEST(SourceChainOnOneWorker, AnExceptionLeavesOutWhatHasNotBegun) {
    skerry::options o;
    o.workers = 1;
    skerry::runtime(o).run([] { taken_rest::is_left_out(sum, 16); });
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
        std::atomic<bool> last_ran = false;
        skerry::parallel_for_each(all, [&](element& e) {
            e.begun = true;
            if (&e == &list.front()) {
                until(last_ran);
            }
            last_ran = last_ran || &e == &list.back();
        });
        EXPECT_EQ(late, 0);
        EXPECT_TRUE(std::ranges::all_of(list, [](const element& e) { return e.begun.load(); }));
    });
}

// The owner's element stays what it is while a thief goes on.
template <class Room>
void look_at_elements_in_their_source() {
    constexpr int n = 20;
    struct source {
        Room room{};
        int at = -1;
        const int* operator()() { return ++at != n ? &at : nullptr; }
    };
    std::atomic<bool> last_ran = false;
    std::atomic<int> total = 0;
    skerry::parallel_for_each(source(), [&](const int& i) {
        const int was = i;
        if (was == 0) {
            until(last_ran);
        } else if (was == n - 1) {
            last_ran = true;
        }
        EXPECT_EQ(i, was);
        total += was;
    });
    EXPECT_EQ(total, n * (n - 1) / 2);
}
TEST_P(SourceChain, ElementsMayLieInTheirSource) {
    in([] {
        look_at_elements_in_their_source<int>();
        look_at_elements_in_their_source<std::vector<int>>();
        look_at_elements_in_their_source<std::array<int, 100>>();
    });
}

// A source whose copies count, and of which one throws.
class source_of_which_a_copy_throws {
  public:
    struct copies {
        std::atomic<int> until_one_throws;
        std::atomic<int> alive = 0;
    };

    explicit source_of_which_a_copy_throws(copies& c) : copies_(c) { ++copies_.alive; }
    source_of_which_a_copy_throws(const source_of_which_a_copy_throws& other) : copies_(other.copies_), at_(other.at_) {
        if (copies_.until_one_throws-- == 0) {
            throw std::runtime_error("copy");
        }
        ++copies_.alive;
    }
    source_of_which_a_copy_throws& operator=(const source_of_which_a_copy_throws&) = delete;
    ~source_of_which_a_copy_throws() { --copies_.alive; }

    std::optional<int> operator()() { return at_ != 10 ? std::optional(at_++) : std::nullopt; }

  private:
    copies& copies_;
    int at_ = 0;
};

TEST_P(SourceChain, ACopyThrows) {
    in([] {
        int thrown = 0;
        for (int n = 0; n != 40; ++n) { // one worker makes about twenty
            source_of_which_a_copy_throws::copies copies{n};
            try {
                const auto itself = [](int i) { return i; };
                EXPECT_EQ(
                    skerry::parallel_transform_reduce(source_of_which_a_copy_throws(copies), 0, std::plus<>(), itself),
                    45);
            } catch (const std::runtime_error& e) {
                EXPECT_STREQ(e.what(), "copy");
                ++thrown;
            }
            EXPECT_EQ(copies.alive, 0) << "the copy that threw: " << n;
        }
        EXPECT_GE(thrown, 10);
    });
}

UNDER_BOTH_PROTOCOLS(SourceChain);

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

TEST(SourceFromOutside, AThreadWithoutASlotGetsOne) {
    EXPECT_EQ(sum(30, [](std::size_t i) { return i; }), sum_below(30));
}

} // namespace
