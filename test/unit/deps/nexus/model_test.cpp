// SPDX-License-Identifier: Apache-2.0

// The golden model, rule by rule. The rules stand in src/deps/nexus/README.md; random programs are in random_test.cpp.

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "deps/nexus/fits.hpp"
#include "deps/nexus/model.hpp"

namespace {

using namespace skerry::detail;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t for_ever = ~std::uint64_t{0};

struct use {
    std::uint64_t address;
    nexus_mode mode;
};
use in(std::uint64_t a) { return {a, nexus_mode::in}; }
use out(std::uint64_t a) { return {a, nexus_mode::out}; }
use inout(std::uint64_t a) { return {a, nexus_mode::inout}; }

// A model whose tasks are numbers: what they are handed back as is their function pointer.
class board {
  public:
    explicit board(const nexus_sizes& sizes = {}) : model(sizes) {}

    void task(std::uint64_t number, std::initializer_list<use> uses) {
        header(number, uses.size());
        for (const use& u : uses) access(u);
        settle();
    }
    void header(std::uint64_t number, std::size_t accesses) {
        model.write(nexus_register::new_task,
                    nexus_header_word{.function = number, .accesses = static_cast<std::uint16_t>(accesses)}.pack());
    }
    void access(const use& u) {
        model.write(nexus_register::new_task, nexus_access_word{.address = u.address, .mode = u.mode}.pack());
    }
    // What has become ready, in order.
    std::vector<std::uint64_t> ready() {
        std::vector<std::uint64_t> numbers;
        settle();
        while (status(nexus_register::ready_status).occupancy != 0) {
            const auto word = nexus_ready_word::unpack(model.read(nexus_register::ready_task));
            numbers.push_back(word.function);
            running.push_back(word);
            settle();
        }
        return numbers;
    }
    void finish(std::uint64_t number) {
        for (auto r = running.begin(); r != running.end(); ++r) {
            if (r->function != number) continue;
            model.write(nexus_register::finished_task, nexus_finished_word{.id = r->id}.pack());
            running.erase(r);
            return settle();
        }
        FAIL() << number << " does not run";
    }
    void settle() {
        model.advance(for_ever);
        const char* const broken = model.broken();
        ASSERT_EQ(broken, nullptr) << broken;
    }
    nexus_status_word status(nexus_register r) { return nexus_status_word::unpack(model.read(r)); }
    nexus_shape_word shape() { return nexus_shape_word::unpack(model.read(nexus_register::shape)); }
    std::uint16_t waiting_words() { return status(nexus_register::new_status).occupancy; }

    nexus_model model;
    std::vector<nexus_ready_word> running;
};

TEST(NexusModel, ATaskWithoutAccessesIsReadyAtOnce) {
    board b;
    b.task(0xfedcba987654, {});
    EXPECT_THAT(b.ready(), ElementsAre(0xfedcba987654));
    b.finish(0xfedcba987654);
    EXPECT_TRUE(b.model.empty());
}

TEST(NexusModel, WritersOfOneAddressRunInOrder) {
    board b;
    b.task(1, {out(8)});
    b.task(2, {inout(8)});
    b.task(3, {out(8)});
    EXPECT_THAT(b.ready(), ElementsAre(1));
    b.finish(1);
    EXPECT_THAT(b.ready(), ElementsAre(2));
    b.finish(2);
    EXPECT_THAT(b.ready(), ElementsAre(3));
    b.finish(3);
    EXPECT_TRUE(b.model.empty());
}

TEST(NexusModel, ReadersRunTogetherAndTheNextWriterWaitsForAll) {
    board b;
    b.task(1, {out(8)});
    b.task(2, {in(8)});
    b.task(3, {in(8)});
    b.task(4, {out(8)});
    EXPECT_THAT(b.ready(), ElementsAre(1));
    b.finish(1);
    EXPECT_THAT(b.ready(), ElementsAre(2, 3));
    b.finish(3);
    EXPECT_THAT(b.ready(), IsEmpty());
    b.finish(2);
    EXPECT_THAT(b.ready(), ElementsAre(4));
}

TEST(NexusModel, AReaderDoesNotPassAWriterThatWaits) {
    board b;
    b.task(1, {in(8)});
    b.task(2, {out(8)});
    b.task(3, {in(8)});
    EXPECT_THAT(b.ready(), ElementsAre(1));
    b.finish(1);
    EXPECT_THAT(b.ready(), ElementsAre(2));
    b.finish(2);
    EXPECT_THAT(b.ready(), ElementsAre(3));
}

TEST(NexusModel, ATaskWaitsForAllItsAddresses) {
    board b;
    b.task(1, {out(8)});
    b.task(2, {out(16)});
    b.task(3, {in(8), in(16), out(24)});
    b.task(4, {in(24)});
    EXPECT_THAT(b.ready(), ElementsAre(1, 2));
    b.finish(2);
    EXPECT_THAT(b.ready(), IsEmpty());
    b.finish(1);
    EXPECT_THAT(b.ready(), ElementsAre(3));
    b.finish(3);
    EXPECT_THAT(b.ready(), ElementsAre(4));
}

TEST(NexusModel, AnAddressTwiceCountsOnceInItsStrongestMode) {
    board b;
    // At the border of a picture a block is its own neighbour.
    b.task(1, {in(8), in(8), inout(8)});
    b.task(2, {out(8), in(8)});
    b.task(3, {in(8), in(8)});
    b.task(4, {in(8)});
    EXPECT_THAT(b.ready(), ElementsAre(1));
    b.finish(1);
    EXPECT_THAT(b.ready(), ElementsAre(2));
    b.finish(2);
    EXPECT_THAT(b.ready(), ElementsAre(3, 4));
}

TEST(NexusModel, AReaderThatWritesLaterInItsTaskWaitsForOtherReaders) {
    board b;
    b.task(1, {in(8)});
    b.task(2, {in(8), out(16), inout(8)});
    EXPECT_THAT(b.ready(), ElementsAre(1));
    b.finish(1);
    EXPECT_THAT(b.ready(), ElementsAre(2));
}

TEST(NexusModel, MoreAccessesThanAnEntryHasTakeMoreEntries) {
    board b({.pool = 8});
    b.header(1, 20);
    for (std::uint64_t i = 0; i < 20; ++i) b.access(out(i));
    b.task(2, {in(0)});
    b.task(3, {in(19)});
    EXPECT_THAT(b.ready(), ElementsAre(1));
    b.finish(1);
    EXPECT_THAT(b.ready(), ElementsAre(2, 3));
    // Its three entries are free again: eight tasks are inside at once.
    for (std::uint64_t i = 4; i < 10; ++i) b.task(i, {});
    EXPECT_THAT(b.ready(), ElementsAre(4, 5, 6, 7, 8, 9));
}

TEST(NexusModel, ALongTaskWakesOnceWhereverItsAccessesLie) {
    board b({.pool = 8});
    b.task(1, {out(0)});
    b.task(2, {out(19)});
    b.header(3, 20);
    for (std::uint64_t i = 0; i < 20; ++i) b.access(in(i));
    EXPECT_THAT(b.ready(), ElementsAre(1, 2));
    b.finish(1);
    EXPECT_THAT(b.ready(), IsEmpty());
    b.finish(2);
    EXPECT_THAT(b.ready(), ElementsAre(3));
    b.finish(3);
    EXPECT_TRUE(b.model.empty());
}

TEST(NexusModel, AFullPoolHoldsTheNextTaskBackUntilOneEnds) {
    board b({.pool = 2});
    b.task(1, {});
    b.task(2, {});
    b.task(3, {out(8)});
    EXPECT_THAT(b.ready(), ElementsAre(1, 2));
    EXPECT_EQ(b.waiting_words(), 2);
    b.finish(2);
    EXPECT_THAT(b.ready(), ElementsAre(3));
    EXPECT_EQ(b.waiting_words(), 0);
}

TEST(NexusModel, AFullSetHoldsATaskBackInItsMiddleAndEndsAreTakenMeanwhile) {
    board b({.pool = 8, .sets = 1, .ways = 2});
    b.task(1, {out(8), out(16)});
    b.task(2, {in(8), out(24)});
    EXPECT_THAT(b.ready(), ElementsAre(1));
    EXPECT_EQ(b.waiting_words(), 1);
    b.finish(1);
    EXPECT_THAT(b.ready(), ElementsAre(2));
    b.finish(2);
    EXPECT_TRUE(b.model.empty());
}

TEST(NexusModel, EndsAreTakenWhileATaskWaitsForItsWords) {
    board b;
    b.task(1, {out(8)});
    EXPECT_THAT(b.ready(), ElementsAre(1));
    b.header(2, 2);
    b.access(in(8));
    b.settle();
    b.finish(1);
    EXPECT_EQ(b.status(nexus_register::finished_status).occupancy, 0);
    EXPECT_THAT(b.ready(), IsEmpty());
    b.access(in(16));
    EXPECT_THAT(b.ready(), ElementsAre(2));
}

TEST(NexusModel, TheOrderOfAnAddressIsTheOrderOfSubmission) {
    board b;
    std::vector<std::uint64_t> all;
    b.task(0, {out(8)});
    for (std::uint64_t i = 1; i <= 20; ++i) {
        b.task(i, {i % 3 == 0 ? out(8) : in(8)});
        all.push_back(i);
    }
    std::vector<std::uint64_t> order;
    EXPECT_THAT(b.ready(), ElementsAre(0));
    b.finish(0);
    for (auto ready = b.ready(); !ready.empty(); ready = b.ready()) {
        for (const std::uint64_t r : ready) {
            order.push_back(r);
            b.finish(r);
        }
    }
    EXPECT_EQ(order, all);
}

TEST(NexusModel, ManyReadersAreCounted) {
    board b;
    for (std::uint64_t i = 0; i < 1000; ++i) b.task(i, {in(8)});
    b.task(1000, {out(8)});
    EXPECT_EQ(b.ready().size(), 1000U);
    for (std::uint64_t i = 0; i < 999; ++i) b.finish(i);
    EXPECT_THAT(b.ready(), IsEmpty());
    b.finish(999);
    EXPECT_THAT(b.ready(), ElementsAre(1000));
}

TEST(NexusModel, NobodyReadsReadyWordsAndEndsAreTakenAllTheSame) {
    board b({.pool = 8, .ready_depth = 1, .finished_depth = 8});
    for (std::uint64_t i = 0; i < 8; ++i) b.task(i, {out(8 * i)});
    const auto first = nexus_ready_word::unpack(b.model.read(nexus_register::ready_task));
    b.settle();
    EXPECT_EQ(b.status(nexus_register::ready_status).occupancy, 1);
    b.task(8, {in(0)});
    b.model.write(nexus_register::finished_task, nexus_finished_word{.id = first.id}.pack());
    b.settle();
    EXPECT_EQ(b.status(nexus_register::finished_status).occupancy, 0);
    EXPECT_EQ(b.waiting_words(), 0);
    EXPECT_THAT(b.ready(), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

TEST(NexusModel, StatusWordsCountAndSayWhenNothingIsUnderWay) {
    board b({.new_depth = 3, .ready_depth = 2, .finished_depth = 5});
    const auto is = [&](nexus_register r, unsigned occupancy, unsigned depth, bool quiet) {
        const auto s = b.status(r);
        return s.occupancy == occupancy && s.depth == depth && s.quiet == quiet;
    };
    EXPECT_TRUE(is(nexus_register::new_status, 0, 3, true));
    EXPECT_TRUE(is(nexus_register::ready_status, 0, 2, true));
    EXPECT_TRUE(is(nexus_register::finished_status, 0, 5, true));
    b.header(1, 0);
    EXPECT_TRUE(is(nexus_register::new_status, 1, 3, false));
    EXPECT_EQ(b.model.advance(1), 1U);
    EXPECT_TRUE(is(nexus_register::new_status, 0, 3, false));
    EXPECT_EQ(b.model.advance(for_ever), 1U);
    EXPECT_TRUE(is(nexus_register::ready_status, 1, 2, true));
    EXPECT_EQ(b.model.advance(for_ever), 0U);
    EXPECT_THAT(b.ready(), ElementsAre(1));
}

TEST(NexusModel, ItsShapeIsWhatItWasGiven) {
    board small({.pool = 8, .sets = 4, .ways = 2});
    EXPECT_EQ(small.shape(), (nexus_shape_word{.pool = 8, .sets = 4, .ways = 2, .accesses = 64}));
    board usual;
    EXPECT_EQ(usual.shape(), (nexus_shape_word{.pool = 1024, .sets = 256, .ways = 8, .accesses = 4095}));
}

TEST(NexusModel, TheSameWordsGiveTheSameWords) {
    const auto run = [] {
        board b({.pool = 4, .sets = 2, .ways = 2});
        std::vector<std::uint64_t> words;
        for (std::uint64_t i = 0; i < 50; ++i) {
            b.task(i, {inout(i % 3), in(i % 5)});
            for (const std::uint64_t r : b.ready()) {
                words.push_back(b.running.back().pack());
                b.finish(r);
            }
        }
        return words;
    };
    const auto first = run();
    EXPECT_EQ(first.size(), 50U);
    EXPECT_EQ(first, run());
}

TEST(NexusModelDeathTest, ABrokenContractIsNamed) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    board b({.pool = 2, .new_depth = 1, .finished_depth = 1});
    EXPECT_DEATH(static_cast<void>(b.model.read(nexus_register::ready_task)),
                 "the Ready FIFO is read, and has no word");
    EXPECT_DEATH(static_cast<void>(b.model.read(nexus_register::new_task)), "register 0 cannot be read");
    EXPECT_DEATH(b.model.write(nexus_register::shape, 0), "register 48 cannot be written");
    EXPECT_DEATH((b.header(1, 0), b.header(2, 0)), "its FIFO is full");
    EXPECT_DEATH(
        {
            b.model.write(nexus_register::finished_task, 1);
            b.settle();
        },
        "names 1, which is no running task");
    EXPECT_DEATH(
        {
            b.header(1, 17);
            b.settle();
        },
        "a task with 17 accesses does not fit");
    EXPECT_DEATH(
        {
            b.model.write(nexus_register::new_task, nexus_header_word{.taskwait_on = true}.pack());
            b.settle();
        },
        "taskwait_on is reserved");
    EXPECT_DEATH(nexus_model({.sets = 3}), "its sets are no power of two");
    EXPECT_DEATH(nexus_model({.pool = 0}), "a size of the model is 0");
}

std::vector<std::uint64_t> words(std::initializer_list<std::uint64_t> addresses) {
    std::vector<std::uint64_t> packed;
    for (const std::uint64_t a : addresses) packed.push_back(nexus_access_word{.address = a}.pack());
    return packed;
}

TEST(NexusFits, ATaskFitsIfItsAddressesFindRoomInTheirSets) {
    const nexus_shape_word one_set{.pool = 8, .sets = 1, .ways = 2, .accesses = 8};
    EXPECT_TRUE(fits(one_set, words({})));
    EXPECT_TRUE(fits(one_set, words({8, 16})));
    EXPECT_FALSE(fits(one_set, words({8, 16, 24})));
    EXPECT_TRUE(fits(one_set, words({8, 16, 8, 16, 8, 8})));
    EXPECT_FALSE(fits(one_set, words({8, 8, 8, 16, 24})));
    const nexus_shape_word two_sets{.pool = 8, .sets = 2, .ways = 2, .accesses = 8};
    EXPECT_FALSE(fits(two_sets, words({0, 2, 1, 4})));
    EXPECT_EQ(nexus_set(1, 2), 1U);
    EXPECT_EQ(nexus_set(2, 2), 1U);
    EXPECT_EQ(nexus_set(3, 2), 0U);
    EXPECT_TRUE(fits(two_sets, words({1, 2, 3, 0})));
    EXPECT_FALSE(fits(two_sets, words({1, 2, 4})));
}

TEST(NexusFits, ATaskFitsIfThePoolAndItsEntriesHaveRoomForItsWords) {
    const nexus_shape_word entry{.pool = 8, .sets = 256, .ways = 8, .accesses = 8};
    EXPECT_TRUE(fits(entry, std::vector<std::uint64_t>(8, 8)));
    EXPECT_FALSE(fits(entry, std::vector<std::uint64_t>(9, 8)));
    const nexus_shape_word chained{.pool = 2, .sets = 256, .ways = 8, .accesses = 4095};
    EXPECT_TRUE(fits(chained, std::vector<std::uint64_t>(16, 8)));
    EXPECT_FALSE(fits(chained, std::vector<std::uint64_t>(17, 8)));
}

TEST(NexusFits, NeighboursAndLargeStridesAreSpreadOverTheSets) {
    for (const std::uint64_t stride : {4U, 8U, 64U, 256U, 4096U, 65536U}) {
        std::vector<unsigned> in_set(256);
        for (std::uint64_t i = 0; i < 1024; ++i) ++in_set[nexus_set(0x7f3a12000000U + i * stride, 256)];
        for (const unsigned n : in_set) EXPECT_LE(n, 8U) << stride;
    }
}

TEST(NexusWords, FieldsStandWhereTheSpecificationHasThem) {
    EXPECT_EQ((nexus_header_word{.function = 0x123456789abc, .accesses = 0xdef, .taskwait_on = true}.pack()),
              0x1def123456789abcU);
    EXPECT_EQ((nexus_access_word{.address = 0x123456789abc, .mode = nexus_mode::inout}.pack()), 0x0003123456789abcU);
    EXPECT_EQ((nexus_ready_word{.function = 0x123456789abc, .id = 0xfedc}.pack()), 0xfedc123456789abcU);
    EXPECT_EQ(nexus_finished_word{.id = 0xfedc}.pack(), 0xfedcU);
    EXPECT_EQ((nexus_status_word{.occupancy = 3, .depth = 16, .quiet = true}.pack()), 0x8000000000100003U);
    for (const std::uint64_t word : {0x1def123456789abcU, 0x0fff000000000000U}) {
        EXPECT_EQ(nexus_header_word::unpack(word).pack(), word);
    }
}

} // namespace
