// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/port/poison.hpp"
#include "sched/spare_blocks.hpp"

namespace {

using skerry::detail::spare_blocks;

void* filled(spare_blocks* mine, std::size_t bytes) {
    void* const memory = spare_blocks::take(mine, bytes);
    std::memset(memory, 0xa5, bytes);
    return memory;
}

TEST(SpareBlocks, WhatIsGivenBackIsTakenNext) {
    spare_blocks mine;
    void* const a = filled(&mine, 200);
    void* const b = filled(&mine, 200);
    EXPECT_NE(a, b);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a) % __STDCPP_DEFAULT_NEW_ALIGNMENT__, 0U);
    spare_blocks::give(&mine, a, 200);
    spare_blocks::give(&mine, b, 200);
    EXPECT_EQ(spare_blocks::take(&mine, 177), b) << "another size of the same class";
    EXPECT_EQ(spare_blocks::take(&mine, 240), a);
    void* const c = filled(&mine, 176);
    EXPECT_TRUE(c != a && c != b) << "a smaller class";
    spare_blocks::give(&mine, a, 240);
    spare_blocks::give(&mine, b, 177);
    spare_blocks::give(&mine, c, 176);
}

TEST(SpareBlocks, EveryBlockStandsInItsLinesInTheSameWay) {
    const auto place = [](const void* memory) {
        return reinterpret_cast<std::uintptr_t>(memory) % skerry::detail::cache_line;
    };
    spare_blocks mine;
    std::vector<void*> blocks;
    for (std::size_t bytes = 1; bytes < 1500; bytes += 7) {
        blocks.push_back(spare_blocks::take(bytes % 5 == 0 ? nullptr : &mine, bytes));
        EXPECT_EQ(place(blocks.back()), place(blocks[0])) << bytes << " bytes";
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        spare_blocks::give(&mine, blocks[i], 1 + 7 * i);
    }
}

TEST(SpareBlocks, NoBlockReachesIntoAnother) {
    const auto mark = [](std::size_t bytes) { return static_cast<char>(bytes * 7); };
    spare_blocks mine;
    for (int round = 0; round < 2; ++round) { // the second time from what was given back
        std::vector<void*> blocks;
        for (std::size_t bytes = 1; bytes < 1500; ++bytes) {
            blocks.push_back(spare_blocks::take(bytes % 5 == 0 ? nullptr : &mine, bytes));
            std::memset(blocks.back(), mark(bytes), bytes);
        }
        for (std::size_t bytes = 1; bytes < 1500; ++bytes) {
            const std::string_view held(static_cast<const char*>(blocks[bytes - 1]), bytes);
            ASSERT_EQ(held.find_first_not_of(mark(bytes)), std::string_view::npos) << bytes << " bytes";
            spare_blocks::give(bytes % 3 == 0 ? nullptr : &mine, blocks[bytes - 1], bytes);
        }
    }
}

TEST(SpareBlocks, ABlockGoesBackToItsOwner) {
    spare_blocks mine;
    spare_blocks others;
    void* const a = filled(&mine, 100);
    void* const b = filled(&mine, 100);
    spare_blocks::give(&others, a, 100);
    spare_blocks::give(nullptr, b, 100);
    void* const c = filled(&others, 100);
    EXPECT_TRUE(c != a && c != b);
    EXPECT_EQ(spare_blocks::take(&mine, 100), b);
    EXPECT_EQ(spare_blocks::take(&mine, 100), a);
    spare_blocks::give(&mine, a, 100);
    spare_blocks::give(&others, b, 100);
    spare_blocks::give(&others, c, 100);
}

// One worker makes, others end: no block is lost or handed out twice.
TEST(SpareBlocks, OthersMayGiveBackMeanwhile) {
    constexpr std::size_t threads = 3;
    constexpr int rounds = 2000;
    spare_blocks mine;
    std::set<void*> seen;
    std::vector<std::thread> takers;
    struct mailbox {
        std::atomic<void*> slot{nullptr};
    };
    std::vector<mailbox> boxes(threads);
    for (std::size_t t = 0; t < threads; ++t) {
        takers.emplace_back([&boxes, t] {
            spare_blocks own;
            for (int i = 0; i < rounds; ++i) {
                void* got = nullptr;
                while ((got = boxes[t].slot.exchange(nullptr)) == nullptr) {
                    std::this_thread::yield();
                }
                for (std::size_t at = 0; at < 300; ++at) {
                    EXPECT_EQ(static_cast<unsigned char*>(got)[at], static_cast<unsigned char>(t))
                        << "handed out twice";
                }
                spare_blocks::give(&own, got, 300);
            }
        });
    }
    for (int i = 0; i < rounds; ++i) {
        for (std::size_t t = 0; t < threads; ++t) {
            while (boxes[t].slot.load() != nullptr) {
                std::this_thread::yield();
            }
            void* const fresh = spare_blocks::take(&mine, 300);
            std::memset(fresh, static_cast<int>(t), 300);
            seen.insert(fresh);
            boxes[t].slot.store(fresh);
        }
    }
    for (std::thread& t : takers) {
        t.join();
    }
    EXPECT_LE(seen.size(), 4 * threads) << "blocks that were given back were not used";
}

// The address sanitizer tells who uses what he gave back; else nobody touches it there.
TEST(SpareBlocks, WhatIsGivenBackLiesUntouched) {
    spare_blocks mine;
    auto* const a = static_cast<volatile unsigned char*>(filled(&mine, 100));
    spare_blocks::give(&mine, const_cast<unsigned char*>(a), 100);
    if constexpr (skerry::port::poisons) {
        EXPECT_DEATH(a[0] = 1, "use-after-poison");
    } else {
        EXPECT_EQ(std::count(a, a + 100, 0xa5), 100);
    }
}

} // namespace
