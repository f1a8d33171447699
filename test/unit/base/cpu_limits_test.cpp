// SPDX-License-Identifier: Apache-2.0
#include "base/port/cpu_limits.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <sched.h>

#include "base/port/file.hpp"
#include "base/port/thread.hpp"
#include "child.hpp"
#include "control_group.hpp"

namespace {

using namespace skerry::port;
using skerry_test::control_group;
using skerry_test::run_in_child;

struct found_in_child {
    unsigned workers = 0;
    double cpus = 0;
    std::string where;
};

// What read_cpu_limits() says to a member of the group.
found_in_child limits_inside(const control_group& inside) {
    const auto child = run_in_child([&] {
        if (!inside.enter()) {
            std::perror(inside.path().c_str());
            return 1;
        }
        const cpu_limits limits = read_cpu_limits();
        std::printf("%u %g %s", limits.workers, limits.tightest.cpus, limits.tightest.where.c_str());
        return 0;
    });
    EXPECT_TRUE(child.exited && child.code == 0) << child.output;
    found_in_child result;
    char where[512]{};
    EXPECT_EQ(std::sscanf(child.output.c_str(), "%u %lg %511s", &result.workers, &result.cpus, where), 3)
        << child.output;
    result.where = where;
    return result;
}

TEST(cpu_limits, quota_is_found_and_rounded_up) {
    std::string reason;
    const auto made = control_group::make("cpu", reason);
    if (made == nullptr) {
        GTEST_SKIP() << reason;
    }
    const control_group& g = *made;
    ASSERT_TRUE(g.set_quota(50'000));
    const found_in_child half = limits_inside(g);
    EXPECT_EQ(half.workers, 1U);
    EXPECT_EQ(half.cpus, 0.5);
    EXPECT_THAT(half.where, testing::StartsWith(g.path()));

    if (process_cpus().size() >= 2) {
        ASSERT_TRUE(g.set_quota(150'000));
        const found_in_child more = limits_inside(g);
        EXPECT_EQ(more.workers, 2U);
        EXPECT_EQ(more.cpus, 1.5);
    }
}

TEST(cpu_limits, quota_of_an_outer_group_counts) {
    std::string reason;
    const auto made = control_group::make("cpu", reason);
    if (made == nullptr) {
        GTEST_SKIP() << reason;
    }
    const control_group& outer = *made;
    outer.set("/cgroup.subtree_control", "+cpu");
    const control_group inner(outer.path() + "/inner");
    ASSERT_TRUE(inner.made());
    ASSERT_TRUE(outer.set_quota(70'000));
    const found_in_child found = limits_inside(inner);
    EXPECT_EQ(found.workers, 1U);
    EXPECT_EQ(found.cpus, 0.7);
    EXPECT_EQ(found.where.substr(0, found.where.rfind('/')), outer.path());
}

TEST(cpu_limits, cpuset_of_one_is_found) {
    std::string reason;
    const auto made = control_group::make("cpuset", reason);
    if (made == nullptr) {
        GTEST_SKIP() << reason;
    }
    const control_group& g = *made;
    const unsigned last = process_cpus().back();
    ASSERT_TRUE(g.set("/cpuset.cpus", std::to_string(last)));
    g.set("/cpuset.mems", read_small_file(g.path() + "/../cpuset.mems").value_or("0"));
    const found_in_child found = limits_inside(g);
    EXPECT_EQ(found.workers, 1U);
    EXPECT_EQ(found.cpus, 1);
    const auto child = run_in_child([&] {
        return g.enter() && process_cpus() == std::vector<unsigned>{last} && read_cpu_limits().cpus.size() == 1 ? 0 : 1;
    });
    EXPECT_TRUE(child.exited && child.code == 0) << child.output;
}

TEST(cpu_limits, affinity_of_one_is_found) {
    const auto child = run_in_child([] {
        const unsigned last = process_cpus().back();
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(last, &set);
        sched_setaffinity(0, sizeof set, &set);
        const cpu_limits limits = read_cpu_limits();
        return limits.workers == 1 && limits.cpus == std::vector<unsigned>{last} && limits.found.front().cpus == 1 &&
                       limits.found.front().where == "sched_getaffinity" &&
                       limits.found.front().text == std::to_string(last)
                   ? 0
                   : 1;
    });
    EXPECT_TRUE(child.exited && child.code == 0) << child.output;
}

TEST(cpu_limits, a_pinned_thread_sees_the_whole_process) {
    const std::vector<unsigned> all = process_cpus();
    std::vector<unsigned> seen;
    thread t;
    t.start(
        256 * 1024, "pinned", [](void* p) { *static_cast<std::vector<unsigned>*>(p) = process_cpus(); }, &seen,
        all.back());
    t.join();
    EXPECT_EQ(seen, all);
}

TEST(cpu_limits, the_least_decides_and_is_rounded_up) {
    const auto combined = [](double quota) {
        return combine_cpu_limits({0, 1, 2, 3, 7}, {{no_limit, "/a", "max 1"}, {quota, "/b", "q"}});
    };
    EXPECT_EQ(combined(2).workers, 2U);
    EXPECT_EQ(combined(2.01).workers, 3U);
    EXPECT_EQ(combined(0.01).workers, 1U);
    EXPECT_EQ(combined(0.01).tightest.where, "/b");
    EXPECT_EQ(combined(40).workers, 5U);
    EXPECT_EQ(combined(40).tightest.where, "sched_getaffinity");
    EXPECT_EQ(combined(40).tightest.text, "0-3,7");
    EXPECT_EQ(combined(40).found.size(), 3U);
}

} // namespace
