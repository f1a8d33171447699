// SPDX-License-Identifier: Apache-2.0

// The programs of the steal contract in the first of two processes, while the other, which shares no memory with it,
// asks for work by message. What declares nothing is stolen by threads alone; beside it go tasks that may cross.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <ostream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <skerry/launch.hpp>

#include "../../unit/base/child.hpp"
#include "../../unit/processes/checks.hpp"
#include "fabric/shm/shm.hpp"
#include "programs.hpp"

namespace skerry_test {

namespace {

class steal : public testing::TestWithParam<program> {};

TEST_P(steal, conforms_while_another_process_asks) {
    const child_result r = run_in_child([] {
        const skerry::launch_result end = skerry::launch(2, {"/proc/self/exe", GetParam().name}, {.grace_seconds = 5});
        std::fprintf(stderr, "%s", end.text.c_str());
        return end.status;
    });
    EXPECT_EQ(r.code, 0);
    EXPECT_EQ(r.output, "");
}

INSTANTIATE_TEST_SUITE_P(messages, steal, testing::ValuesIn(programs),
                         [](const testing::TestParamInfo<program>& i) { return std::string(i.param.name); });

// --- in the processes -----------------------------------------------------------------------------------------------

constexpr std::size_t lanes = 16;
constexpr long rounds_of_a_lane = 4;

void add_fib(long& to) { to += fib(12); }

// Tasks that take long enough for a message to come in between, in lanes of which each is in order.
void spawn_lanes(std::span<long> sums) {
    for (long round = 0; round < rounds_of_a_lane; ++round) {
        for (long& sum : sums) {
            skerry::spawn(add_fib, skerry::inout(sum));
        }
    }
}

void wait_for_lanes(std::span<long> sums) {
    skerry::taskwait();
    for (long& sum : sums) {
        CHECK(sum == rounds_of_a_lane * 144);
        sum = 0;
    }
}

void conform(skerry::runtime& rt, const program& p) {
    skerry::region home = skerry::root_region().create();
    const std::span<long> sums = home.make_array<long>(lanes);
    std::ranges::fill(sums, 0);
    const std::uint64_t taken_before = taken(rt);
    spawn_lanes(sums);
    if (const char* const wrong = p.run()) {
        throw std::runtime_error(wrong);
    }
    wait_for_lanes(sums);
    hold_until([&] { // the other process has had some
        if (taken(rt) > taken_before) {
            return true;
        }
        spawn_lanes(sums);
        wait_for_lanes(sums);
        return false;
    });
    home.destroy_all();
}

int run_launched(std::string_view name) {
    for (const program& p : programs) {
        if (p.name != name) {
            continue;
        }
        skerry::options o = skerry::options::from_environment();
        o.workers = p.workers != 0 ? p.workers : 4;
        skerry::runtime rt(o);
        try {
            for (int round = 0; round < 5; ++round) {
                rt.run([&] { conform(rt, p); });
            }
            return 0;
        } catch (const std::exception& e) {
            std::fprintf(stderr, "%s: %s\n", p.name, e.what());
            return 1;
        }
    }
    std::fprintf(stderr, "no program of this name\n");
    return 1;
}

} // namespace

} // namespace skerry_test

int main(int argc, char** argv) {
    if (skerry::fabric::shm::launched()) {
        return skerry_test::run_launched(argc > 1 ? argv[1] : "");
    }
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
