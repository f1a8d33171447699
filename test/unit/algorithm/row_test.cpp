// SPDX-License-Identifier: Apache-2.0

// Rows of leaves (leaf_row.hpp): what thieves take out of them, and what exceptions leave behind.

#include <array>
#include <atomic>
#include <cstddef>
#include <stdexcept>

#include <gtest/gtest.h>

#include <skerry/algorithm.hpp>
#include <skerry/dataflow.hpp>
#include <skerry/finish.hpp>

#include "../until.hpp"
#include "two_workers.hpp"

namespace {

using skerry::grain;

class Row : public OnTwoWorkers {};

constexpr std::size_t row = 8;
constexpr std::size_t block = 64; // a row of rows, in loops that are longer

// Each leaf can be taken while the first one runs, in one row and in a tree of them.
TEST_P(Row, EveryLeafIsATaskOfItsOwn) {
    for (const std::size_t n : {std::size_t{2}, std::size_t{3}, row - 1, row, row + 1, 5 * row + 3, block - 1, block,
                                block + 1, 2 * block, 5 * block + 3}) {
        in([n] {
            std::atomic<bool> last_ran = false;
            std::atomic<std::size_t> ran = 0;
            skerry::parallel_for(
                std::size_t{0}, n,
                [&](std::size_t i) {
                    if (i == 0) {
                        until(last_ran);
                    } else if (i == n - 1) {
                        last_ran = true;
                    }
                    ++ran;
                },
                grain::fixed(1));
            EXPECT_EQ(ran, n);
        });
    }
}

// The thief has the last leaf of the row when a leaf throws: what lies between has not begun, and the thief is awaited.
TEST_P(Row, AnExceptionLeavesOutWhatHasNotBegun) {
    in([] {
        std::atomic<bool> taken = false;
        std::atomic<bool> thrown = false;
        std::array<std::atomic<bool>, row> ran{};
        const auto leaf = [&](std::size_t i) {
            if (i == 0) {
                until(taken);
                thrown = true;
                throw std::runtime_error("first");
            }
            if (i == row - 1) {
                taken = true;
                until(thrown);
            }
            ran[i] = true;
            if (i == row - 1) {
                throw std::runtime_error("last"); // dropped: it is not the leftmost
            }
        };
        try {
            skerry::parallel_for(std::size_t{0}, row, leaf, grain::fixed(1));
            ADD_FAILURE() << "nothing was thrown";
        } catch (const std::runtime_error& e) {
            EXPECT_STREQ(e.what(), "first");
        }
        EXPECT_TRUE(ran[row - 1]) << "the thief was not awaited";
        EXPECT_FALSE(ran[0]);
    });
}

// The thief has taken the second block and then the last row of the first one, when a leaf of its first row throws. (It
// may come back for more before the owner has given up what lies between.)
TEST_P(Row, AnExceptionWaitsForARowThatAThiefHas) {
    in([] {
        std::atomic<bool> taken = false;
        std::atomic<bool> thrown = false;
        std::array<std::atomic<int>, 2 * block> ran{};
        const auto leaf = [&](std::size_t i) {
            if (i == 0) {
                until(taken);
                thrown = true;
                throw std::runtime_error("first");
            }
            if (i >= block - row && i < block) {
                taken = true;
                until(thrown);
            }
            ++ran[i];
        };
        EXPECT_THROW(skerry::parallel_for(std::size_t{0}, ran.size(), leaf, grain::fixed(1)), std::runtime_error);
        EXPECT_EQ(ran[0], 0);
        for (std::size_t i = 1; i != ran.size(); ++i) {
            EXPECT_LE(ran[i], 1) << "leaf " << i;
        }
        for (std::size_t i = block - row; i != block; ++i) {
            EXPECT_EQ(ran[i], 1) << "the thief was not awaited, leaf " << i;
        }
    });
}

TEST_P(Row, TheExceptionOfATakenRowArrives) {
    in([] {
        std::atomic<bool> taken = false;
        std::array<std::atomic<int>, 2 * block> ran{};
        const auto leaf = [&](std::size_t i) {
            if (i == 0) {
                until(taken);
            } else if (i == block - row) {
                taken = true;
                throw std::runtime_error("taken");
            }
            ++ran[i];
        };
        try {
            skerry::parallel_for(std::size_t{0}, ran.size(), leaf, grain::fixed(1));
            ADD_FAILURE() << "nothing was thrown";
        } catch (const std::runtime_error& e) {
            EXPECT_STREQ(e.what(), "taken");
        }
        for (std::size_t i = 0; i != block - row; ++i) {
            EXPECT_EQ(ran[i], 1) << "leaf " << i;
        }
        EXPECT_EQ(ran[block - row], 0);
    });
}

TEST_P(Row, TheExceptionOfATakenLeafArrives) {
    in([] {
        std::atomic<bool> taken = false;
        std::atomic<std::size_t> ran = 0;
        const auto leaf = [&](std::size_t i) {
            if (i == 0) {
                until(taken);
            } else if (i == row - 1) {
                taken = true;
                throw std::runtime_error("taken");
            }
            ++ran;
        };
        try {
            skerry::parallel_for(std::size_t{0}, row, leaf, grain::fixed(1));
            ADD_FAILURE() << "nothing was thrown";
        } catch (const std::runtime_error& e) {
            EXPECT_STREQ(e.what(), "taken");
        }
        EXPECT_EQ(ran, row - 1);
    });
}

// What a leaf leaves in the deque lies above the rest of its row.
TEST_P(Row, LeavesMaySpawn) {
    in([] {
        std::atomic<std::size_t> spawned = 0;
        skerry::finish([&](skerry::scope& /*all*/) {
            skerry::parallel_for(
                std::size_t{0}, 4 * row,
                [&](std::size_t /*i*/) {
                    skerry::spawn([&spawned] { ++spawned; });
                    skerry::spawn([&spawned] { ++spawned; });
                },
                grain::fixed(1));
        });
        EXPECT_EQ(spawned, 8 * row);
    });
}

// Rows within leaves of rows, of which each takes a piece of the deque: it grows, beyond where a row has room at once.
TEST_P(Row, RowsGrowTheDeque) {
    in([] {
        std::atomic<std::size_t> ran = 0;
        const auto nest = [&ran](const auto& self, unsigned depth) -> void {
            skerry::parallel_for(
                std::size_t{0}, row,
                [&](std::size_t i) {
                    ++ran;
                    if (i == 0 && depth > 0) {
                        self(self, depth - 1);
                    }
                },
                grain::fixed(1));
        };
        nest(nest, 499);
        EXPECT_EQ(ran, 500 * row);
    });
}

UNDER_BOTH_PROTOCOLS(Row);

TEST(RowFromOutside, AThreadWithoutASlotGetsOne) {
    std::atomic<std::size_t> ran = 0;
    skerry::parallel_for(std::size_t{0}, 3 * row, [&](std::size_t /*i*/) { ++ran; }, grain::fixed(1));
    EXPECT_EQ(ran, 3 * row);
}

} // namespace
