// SPDX-License-Identifier: Apache-2.0
// The program that mixes events, kernels and tasks that a task manager orders.
#include "program.hpp"

#include "motion/film.hpp"

#include <memory>
#include <regex>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <skerry/runtime.hpp>

namespace {

const apps::program& motion() { return *apps::find_program("motion"); }

apps::options tiny() {
    apps::options o;
    o.size = apps::size::tiny;
    return o;
}

TEST(motion, every_system_has_its_part) {
    const std::unique_ptr<apps::instance> serial = motion().serial(tiny());
    serial->reset();
    serial->run();
    ASSERT_TRUE(serial->check().ok) << serial->check().text;
    for (const std::size_t cores : {1U, 2U, 4U}) {
        for (const char* const devices : {"none", "emulated", "emulated:speed=0.5:latency=20us"}) {
            apps::options o = tiny();
            o.cores = cores;
            o.devices = devices;
            o.workers = 2;
            const std::unique_ptr<apps::instance> parallel = motion().parallel(o);
            EXPECT_FALSE(parallel->check().ok);
            for (int round = 1; round <= 3; ++round) {
                parallel->reset();
                parallel->run();
                const apps::verdict v = parallel->check();
                EXPECT_TRUE(v.ok) << v.text;
                EXPECT_EQ(parallel->digest(), serial->digest());
                EXPECT_EQ(parallel->print(), serial->print());
                std::smatch found;
                ASSERT_TRUE(
                    std::regex_search(v.text, found,
                                      std::regex("^8 pictures; (\\d+) events, (\\d+) iterations on emulated0 and "
                                                 "(\\d+) on workers, (\\d+) tasks ordered by the task manager "
                                                 "and (\\d+) by software$")))
                    << v.text;
                EXPECT_EQ(std::stoi(found[1]), 8 * round);
                EXPECT_GT(std::stoi(found[2]), 0);
                EXPECT_EQ(std::stoi(found[2]) + std::stoi(found[3]), 8 * 64 * round);
                EXPECT_GT(std::stoi(found[4]), 0);
                EXPECT_EQ(std::stoi(found[4]) + std::stoi(found[5]), 8 * 16 * round);
            }
        }
    }
}

TEST(motion, other_blocks_have_the_same_whole) {
    std::vector<std::string> found;
    for (const std::size_t granularity : {1U, 3U, 8U, 100U}) { // 3 is no part of 8, and 100 is more
        apps::options o = tiny();
        o.granularity = granularity;
        const std::unique_ptr<apps::instance> serial = motion().serial(o);
        serial->reset();
        serial->run();
        EXPECT_TRUE(serial->check().ok) << serial->check().text;
        found.push_back(serial->print());
    }
    EXPECT_THAT(found, testing::Each(found.front()));
}

TEST(motion, wrong_sums_are_named) {
    const apps::motion::film film = apps::motion::filmed(1, 1, 64, 8, 1);
    const std::vector<std::uint32_t> wrong{7};
    const apps::verdict v = right_sums(film, {}, film.picture(0, 0), wrong);
    EXPECT_FALSE(v.ok);
    EXPECT_THAT(v.text, testing::MatchesRegex("the changes up to block 0 sum up to [0-9]+, not 7"));
}

} // namespace
