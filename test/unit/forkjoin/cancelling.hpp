// SPDX-License-Identifier: Apache-2.0
#pragma once

// What tests of cancelled groups have in common.

#include <atomic>
#include <latch>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include <skerry/skerry.hpp>

namespace cancelling {

inline constexpr int many = 400;

// On 1, 2 and 4 workers, with each of the two protocols.
class Cancelling : public testing::TestWithParam<std::pair<unsigned, skerry::steal_mode>> {
  protected:
    // Runs body(group, count) as a task of a group, and everything that it leaves behind; the group was cancelled.
    // Returns how often the body has counted.
    template <class F>
    int counted(F body) {
        std::atomic<int> count = 0;
        rt_.run([&] {
            skerry::task_group g;
            g.run([&] { body(g, count); });
            EXPECT_EQ(g.wait(), skerry::group_status::cancelled);
        });
        return count;
    }
    // The same, where the group is cancelled before the body begins what it is about.
    template <class F>
    int counted_when_cancelled(F body) {
        return counted([&body](skerry::task_group& g, std::atomic<int>& count) {
            g.cancel();
            body(count);
        });
    }
    // Whether stop_requested() is true in what begin(body) begins as a task and is running when the group is cancelled.
    // It needs a second worker.
    template <class F>
    void expect_seen_while_running(F begin) {
        if (GetParam().first == 1) {
            return;
        }
        bool before = true;
        bool seen = false;
        rt_.run([&] {
            skerry::task_group g;
            std::latch begun(1);
            std::latch asked(1);
            g.run([&] {
                begin([&] {
                    before = skerry::stop_requested();
                    begun.count_down();
                    asked.wait();
                    seen = skerry::stop_requested();
                });
            });
            std::thread outside([&] {
                begun.wait();
                g.cancel();
                asked.count_down();
            });
            g.wait();
            outside.join();
        });
        EXPECT_FALSE(before);
        EXPECT_TRUE(seen);
    }

    skerry::runtime rt_{[] {
        skerry::options o;
        o.workers = GetParam().first;
        o.steal = GetParam().second;
        return o;
    }()};
};

inline const auto workers =
    testing::Values(std::pair(1U, skerry::steal_mode::automatic), std::pair(2U, skerry::steal_mode::automatic),
                    std::pair(4U, skerry::steal_mode::automatic), std::pair(1U, skerry::steal_mode::locked),
                    std::pair(4U, skerry::steal_mode::locked));

inline std::string name_of(const testing::TestParamInfo<Cancelling::ParamType>& given) {
    return std::to_string(given.param.first) + (given.param.second == skerry::steal_mode::locked ? "locked" : "");
}

} // namespace cancelling
