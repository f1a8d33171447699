// SPDX-License-Identifier: Apache-2.0

// Partitions in programs: what tasks get, in which order they run, and the same programs in the serial elision.

#include "runtimes.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <skerry/partition.hpp>
#include <skerry/region.hpp>
#include <skerry/serial.hpp>

#include "deps/containment.hpp"
#include "partition_programs.hpp"

namespace {

using dataflow_test::barrier;
using dataflow_test::Dataflow;
using partition_test::any_program;
using partition_test::parallel;
using partition_test::serial;
using partition_test::stir;
using partition_test::word;
using skerry::in;
using skerry::inout;
using skerry::out;
using skerry::partition;
using skerry::tile;
using testing::HasSubstr;

template <class E, class F>
std::string text_of(F&& f) {
    try {
        f();
    } catch (const E& e) {
        return e.what();
    }
    return "nothing was thrown";
}

// --- views ----------------------------------------------------------------------------------------------------------

TEST(Partition, PartsAreWhereTheyShouldBe) {
    std::vector<int> v(100);
    std::iota(v.begin(), v.end(), 0);
    const auto blocks = partition(v, 30);
    EXPECT_EQ(blocks.size(), 4U);
    EXPECT_EQ(blocks, partition(std::span(v), 30)); // the same array in the same way
    EXPECT_THAT(std::span<int>(blocks(3)), testing::ElementsAre(90, 91, 92, 93, 94, 95, 96, 97, 98, 99));

    const auto tiles = partition(v, {10, 10}, {4, 3});
    EXPECT_EQ(tiles.count(0), 3U);
    EXPECT_EQ(tiles.count(1), 4U);
    const tile<int, 2> last = tiles(2, 3);
    EXPECT_EQ(last.extent(0), 2U);
    EXPECT_EQ(last.extent(1), 1U);
    EXPECT_EQ(last.stride(0), 10U);
    EXPECT_EQ(last.stride(1), 1U);
    EXPECT_EQ(last.data(), &v[89]);
    EXPECT_EQ(last(1, 0), 99);

    const tile<int, 3> brick = partition(v, {4, 5, 5}, {2, 2, 3})(1, 1, 1);
    EXPECT_EQ(brick.size(), 2U * 2 * 2);
    EXPECT_EQ(brick(0, 0, 0), 2 * 25 + 2 * 5 + 3);
    EXPECT_EQ(brick(1, 1, 1), 3 * 25 + 3 * 5 + 4);

    const tile<const int, 2> inner = partition(tile(&v[11], {4, 5}, {20}), {3, 3})(1, 0); // every other row
    EXPECT_EQ(inner(0, 2), 11 + 3 * 20 + 2);
    EXPECT_TRUE(partition(std::span<int>(), 5).size() == 0 && partition(tile<int, 2>(), {1, 1}).size() == 0);
    EXPECT_EQ(partition(v, 1000), partition(v, 100)); // a tile is no larger than the array
}

TEST(Partition, TasksGetViews) {
    std::vector<int> v(12, 1);
    const std::vector<int>& constant = v;
    const auto p = partition(v, 5);
    const auto q = partition(v, {3, 4}, {2, 2});
    const auto c = partition(constant, {3, 4}, {2, 2});
    static_assert(std::is_same_v<decltype(in(p(0)).get()), std::span<const int>>);
    static_assert(std::is_same_v<decltype(inout(p(0)).get()), std::span<int>>);
    static_assert(std::is_same_v<decltype(in(q(0, 0)).get()), tile<const int, 2>>);
    static_assert(std::is_same_v<decltype(out(q(0, 0)).get()), tile<int, 2>>);
    static_assert(std::is_same_v<decltype(in(c(0, 0)).get()), tile<const int, 2>>);
    static_assert(std::is_same_v<decltype(inout(q(0, 0).view()).get()), tile<int, 2>>); // a view is a part
    static_assert(std::is_trivially_copyable_v<decltype(inout(q(0, 0)))> && std::is_trivially_copyable_v<decltype(q)>);
    EXPECT_EQ(in(p(1)).get().size(), 5U);
    EXPECT_EQ(in(c(1, 1)).get()(0, 1), 1);
}

TEST(Partition, WrongArgumentsAreNamed) {
    std::vector<int> v(100);
    const auto q = partition(v, {10, 10}, {4, 5});
    using std::invalid_argument;
    using std::out_of_range;
    EXPECT_EQ(text_of<invalid_argument>([&] { static_cast<void>(partition(v, 0)); }),
              "skerry: partition: tiles of 0 elements: dimension 0 needs at least 1");
    EXPECT_EQ(text_of<invalid_argument>([&] { static_cast<void>(partition(v, {10, 10}, {4, 0})); }),
              "skerry: partition: tiles of 4 x 0 elements: dimension 1 needs at least 1");
    EXPECT_EQ(text_of<invalid_argument>([&] { static_cast<void>(partition(v, {10, 11}, {4, 1})); }),
              "skerry: partition: 10 x 11 elements are 110, but the array has 100");
    EXPECT_EQ(text_of<out_of_range>([&] { static_cast<void>(q(3, 1)); }),
              "skerry: partition: there is no part 3 in dimension 0, which has 3 parts");
    EXPECT_EQ(text_of<out_of_range>([&] { static_cast<void>(q(2, -1)); }),
              "skerry: partition: there is no part -1 in dimension 1, which has 2 parts");
    EXPECT_EQ(text_of<out_of_range>([&] { static_cast<void>(partition(std::span(v).first(0), 3)(0)); }),
              "skerry: partition: there is no part 0 in dimension 0, which has 0 parts");
    EXPECT_EQ(text_of<invalid_argument>([&] { static_cast<void>(tile(v.data(), {3, 8}, {5})); }),
              "skerry: tile: the stride of dimension 0 is 5, but dimension 1 spans 8 elements: they would overlap");
    EXPECT_EQ(text_of<invalid_argument>([&] { static_cast<void>(tile(v.data(), {2, 3, 8}, {23, 8})); }),
              "skerry: tile: the stride of dimension 0 is 23, but dimension 1 spans 24 elements: they would overlap");
    const std::size_t many = std::size_t{1} << 40U;
    EXPECT_EQ(
        text_of<invalid_argument>([&] { static_cast<void>(tile(v.data(), {many, many})); }),
        "skerry: tile: 1099511627776 x 1099511627776 elements, with these strides, are more than memory can hold");
}

// --- order ----------------------------------------------------------------------------------------------------------

class DataflowPartition : public Dataflow {
  protected:
    // Two tasks run side by side: each waits for the other.
    template <class A, class B>
    void expect_side_by_side(A a, B b) {
        if (alone()) {
            GTEST_SKIP() << "one worker runs one task at a time";
        }
        std::atomic<int> here{0};
        const auto meet = [&here](const auto&) {
            ++here;
            while (here < 2) {
                std::this_thread::yield();
            }
        };
        skerry::spawn(meet, a);
        skerry::spawn(meet, b);
        skerry::taskwait();
        EXPECT_EQ(here, 2);
    }
};

TEST_P(DataflowPartition, PartsRunSideBySide) {
    std::vector<word> v(64);
    const auto q = partition(v, {8, 8}, {3, 3});
    runtime.run([&] { expect_side_by_side(inout(q(0, 0)), inout(q(0, 1))); });
}

// Also after a task over the whole array, and where one reads and the other writes.
TEST_P(DataflowPartition, PartsRunSideBySideAfterTheWhole) {
    std::vector<word> v(64);
    const auto q = partition(v, {8, 8}, {3, 3});
    runtime.run([&] {
        skerry::spawn([](std::span<word> all) { std::ranges::fill(all, 1U); }, out(std::span(v)));
        expect_side_by_side(in(q(0, 0)), inout(q(0, 1)));
        skerry::spawn([](std::vector<word>& all) { std::ranges::fill(all, 2U); }, out(v));
        skerry::spawn([](tile<const word, 2> a, tile<word, 2> b) { b(0, 0) = a(0, 0); }, in(q(1, 1)), out(q(1, 0)));
        expect_side_by_side(inout(q(0, 0)), in(q(2, 2)));
    });
}

TEST_P(DataflowPartition, AnOverlapIsWaitedFor) {
    std::vector<word> v(64, 0);
    const auto q = partition(v, {8, 8}, {3, 3});
    const auto columns = partition(v, {8, 8}, {8, 1});
    barrier gate;
    std::atomic<int> wrong{0};
    runtime.run([&] {
        if (alone()) {
            gate.open();
        }
        skerry::spawn([&gate](tile<word, 2> t) { gate.pass(), t(0, 1) = 5; }, inout(q(0, 1))); // element (0, 4)
        skerry::spawn([&wrong](tile<const word, 2> t) { wrong += t(0, 0) == 5 ? 0 : 1; }, in(columns(0, 4)));
        skerry::spawn([&wrong](const word& x) { wrong += x == 5 ? 0 : 1; }, in(v[4]));
        skerry::spawn([&wrong](std::span<const word> x) { wrong += x[4] == 5 ? 0 : 1; }, in(std::span(v)));
        skerry::taskwait_on(in(columns(0, 2)), in(q(1, 1)), in(v[7])); // none of them is touched, so this does not hang
        gate.open();
        skerry::taskwait_on(in(columns(0, 4)));
        EXPECT_EQ(v[4], 5U);
    });
    EXPECT_EQ(wrong, 0);
}

// --- whole programs, by the elision ---------------------------------------------------------------------------------

TEST_P(DataflowPartition, ProgramsEndAsTheirElision) {
    skerry::serial::runtime in_order;
    for (word seed = 1; seed <= 250; ++seed) {
        ASSERT_EQ(any_program<parallel>(runtime, seed), any_program<serial>(in_order, seed)) << "seed " << seed;
    }
}

// Children access parts of what their parents access.
template <class C>
std::vector<word> nested_program(typename C::runtime& on) {
    std::vector<word> v(30 * 30);
    std::iota(v.begin(), v.end(), 1U);
    on.run([&] {
        const auto tiles = partition(v, {30, 30}, {13, 11});
        for (word round = 0; round < 4; ++round) {
            for (std::size_t i = 0; i < tiles.count(0); ++i) {
                for (std::size_t j = 0; j < tiles.count(1); ++j) {
                    C::spawn(
                        [](tile<word, 2> t, word r) {
                            const auto small = partition(t, {4, 5});
                            for (std::size_t k = 0; k < small.count(0); ++k) {
                                for (std::size_t l = 0; l < small.count(1); ++l) {
                                    C::spawn(stir{r + k + l}, inout(small(k, l)));
                                }
                            }
                            C::spawn(stir{r}, inout(t)); // what the parent has
                            C::spawn(stir{r + 7}, inout(std::span(&t(0, 2), 3)));
                            C::spawn(stir{r + 9}, inout(small(0, 0)));
                        },
                        inout(tiles(i, j)), round);
                }
            }
            C::spawn(
                [](std::span<word> all, word r) {
                    const auto rows = partition(all, {30, 30}, {1, 30});
                    for (std::size_t i = 0; i < rows.count(0); ++i) {
                        C::spawn(stir{r}, inout(rows(i, 0)));
                    }
                },
                inout(std::span(v)), round);
        }
    });
    return v;
}

TEST_P(DataflowPartition, NestedPartsEndAsTheirElision) {
    skerry::serial::runtime in_order;
    EXPECT_EQ(nested_program<parallel>(runtime), nested_program<serial>(in_order));
}

// Tasks that would read what a failed one has not written are skipped, those on other parts are not.
template <class C>
std::pair<std::string, std::vector<word>> failing_program(typename C::runtime& on) {
    std::vector<word> v(36, 1);
    std::string text;
    on.run([&] {
        const auto tiles = partition(v, {6, 6}, {3, 3});
        C::spawn([](tile<word, 2>) { throw std::runtime_error("no tile"); }, inout(tiles(0, 1)));
        C::spawn([](tile<const word, 2>, tile<word, 2> to) { to(0, 0) = 50; }, in(tiles(0, 1)), inout(tiles(1, 0)));
        C::spawn([](tile<word, 2> t) { t(1, 1) = 60; }, inout(tiles(1, 0))); // skipped, as the one before
        C::spawn([](tile<word, 2> t) { t(0, 0) = 70; }, inout(tiles(0, 0)));
        C::spawn([](tile<word, 2> t) { t(0, 0) = 80; }, out(tiles(0, 1))); // it is whole again
        C::spawn([](tile<const word, 2> from, tile<word, 2> to) { to(2, 2) = from(0, 0); }, in(tiles(0, 1)),
                 inout(tiles(1, 1)));
        text = text_of<std::runtime_error>([] { C::taskwait(); });
    });
    return {text, v};
}

TEST_P(DataflowPartition, AFailedPartSkipsAsInTheElision) {
    skerry::serial::runtime in_order;
    const auto expected = failing_program<serial>(in_order);
    EXPECT_EQ(failing_program<parallel>(runtime), expected);
    EXPECT_EQ(expected.first, "no tile");
    EXPECT_EQ(expected.second[35], 80U);
    EXPECT_EQ(expected.second[18], 1U);
}

TEST_P(DataflowPartition, ArraysOfRegions) {
    skerry::region home = skerry::root_region().create();
    const std::span<word> array = home.make_array<word>(100);
    std::atomic<int> wrong{0};
    runtime.run([&] {
        const auto tiles = partition(array, {10, 10}, {4, 4});
        for (word round = 1; round <= 20; ++round) {
            for (std::size_t i = 0; i < 9; ++i) {
                skerry::spawn([](tile<word, 2> t) { ++t(0, 0); }, inout(tiles(i / 3, i % 3)));
            }
            skerry::spawn(
                [array, round, &wrong](const skerry::region&) {
                    wrong += std::accumulate(array.begin(), array.end(), word{0}) == 9 * round ? 0 : 1;
                },
                in(home));
        }
    });
    EXPECT_EQ(wrong, 0);
    home.destroy_all();
}

TEST_P(DataflowPartition, WhatLiesOutsideTheParentsPartIsAnError) {
    if (!skerry::detail::containment_is_checked) {
        GTEST_SKIP() << "only debug builds look";
    }
    auto v = std::make_unique<std::array<word, 64>>();
    const auto tiles = partition(*v, {8, 8}, {4, 4});
    runtime.run([&] {
        skerry::spawn(
            skerry::task_options{.name = "outer"},
            [&tiles](tile<word, 2> t) {
                skerry::spawn(stir{1}, inout(partition(t, {2, 2})(1, 1)));
                EXPECT_THAT(text_of<std::logic_error>([&] { skerry::spawn(stir{1}, inout(tiles(0, 1))); }),
                            testing::MatchesRegex("skerry: a task without a name accesses inout 128 bytes in 4 rows "
                                                  "from 0x[0-9a-f]+ on, which its parent, task 'outer', does not; that "
                                                  "has inout 128 bytes in 4 rows from 0x[0-9a-f]+ on."));
                EXPECT_THAT(text_of<std::logic_error>([&] { skerry::spawn(stir{1}, inout(std::span(&t(0, 2), 3))); }),
                            HasSubstr("accesses inout 24 bytes at 0x"));
            },
            inout(tiles(0, 0)));
    });
}

INSTANTIATE_TEST_SUITE_P(Workers, DataflowPartition, testing::Values(1U, 2U, 7U));

} // namespace
