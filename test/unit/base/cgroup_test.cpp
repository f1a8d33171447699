// SPDX-License-Identifier: Apache-2.0
#include "base/port/cgroup.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "fake_root.hpp"

namespace {

using namespace skerry::port;
using skerry_test::fake_root;
using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::Optional;
using list = std::vector<unsigned>;

auto limit(double cpus, const std::string& where, const std::string& text) {
    return AllOf(Field("cpus", &cpu_limit::cpus, cpus), Field("where", &cpu_limit::where, where),
                 Field("text", &cpu_limit::text, text));
}

auto kills(unsigned long long count, const std::string& where) {
    return AllOf(Field("count", &memory_kills::count, count), Field("where", &memory_kills::where, where));
}

constexpr const char* v2_mount = "30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

TEST(cgroup, cpu_lists) {
    EXPECT_EQ(parse_cpu_list("0-3,8\n"), (list{0, 1, 2, 3, 8}));
    EXPECT_EQ(parse_cpu_list("7"), list{7});
    EXPECT_EQ(parse_cpu_list("5,1-2,2"), (list{1, 2, 5}));
    EXPECT_EQ(parse_cpu_list(""), list{});
    for (const char* const bad : {"x", "1-", "-1", "3-1", "1,,2", "1-2-3", "0-9999999", "1 2"}) {
        EXPECT_EQ(parse_cpu_list(bad), std::nullopt) << bad;
    }
}

RC_GTEST_PROP(cgroup, cpu_lists_round_trip, ()) {
    list cpus = *rc::gen::container<list>(rc::gen::inRange(0U, 300U));
    std::string text;
    for (const unsigned cpu : cpus) {
        text += (text.empty() ? "" : ",") + std::to_string(cpu);
    }
    std::sort(cpus.begin(), cpus.end());
    cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
    RC_ASSERT(parse_cpu_list(text) == cpus);
}

RC_GTEST_PROP(cgroup, parsers_take_any_text, (const std::string& text)) {
    const list cpus = parse_cpu_list(text).value_or(list{});
    RC_ASSERT(parse_cpu_max(text).value_or(1) > 0);
    RC_ASSERT(std::is_sorted(cpus.begin(), cpus.end()));
}

TEST(cgroup, quotas) {
    EXPECT_EQ(parse_cpu_max("150000 100000\n"), 1.5);
    EXPECT_EQ(parse_cpu_max("max 100000"), no_limit);
    for (const char* const bad : {"", "max", "max x", "max 0", "1 0", "0 1", "-1 5", "1", "1 2 3", "x 100000"}) {
        EXPECT_EQ(parse_cpu_max(bad), std::nullopt) << bad;
    }
}

TEST(cgroup, counts) {
    EXPECT_EQ(parse_count("low 0\noom 3\noom_kill 2\noom_group_kill 1\n", "oom_kill"), 2);
    EXPECT_EQ(parse_count("oom_kill_disable 0\nunder_oom 0\noom_kill 7", "oom_kill"), 7);
    for (const char* const bad :
         {"", "oom 1", "oom_kill", "oom_kill x", "oom_kill -1", "oom_kill 1 2", " oom_kill 1"}) {
        EXPECT_EQ(parse_count(bad, "oom_kill"), std::nullopt) << bad;
    }
}

TEST(cgroup, processes_ended_for_want_of_memory) {
    fake_root root;
    EXPECT_EQ(read_memory_kills(root.path()), std::nullopt);
    root.file("/proc/self/cgroup", "0::/job\n")
        .file("/proc/self/mountinfo", v2_mount)
        .file("/sys/fs/cgroup/job/memory.events", "oom 3\noom_kill 2\n");
    EXPECT_THAT(read_memory_kills(root.path()), Optional(kills(2, "/sys/fs/cgroup/job/memory.events")));
    // Both versions: the one that has the controller counts.
    root.file("/proc/self/cgroup", "4:memory:/a\n0::/b\n")
        .file("/proc/self/mountinfo", "1 0 0:1 / /cg/memory rw - cgroup cgroup rw,memory\n"
                                      "2 0 0:2 / /cg/unified rw - cgroup2 cgroup2 rw\n")
        .file("/cg/memory/a/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 5\n");
    EXPECT_THAT(read_memory_kills(root.path()), Optional(kills(5, "/cg/memory/a/memory.oom_control")));
    root.file("/cg/memory/a/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\n"); // a kernel before 4.13
    EXPECT_EQ(read_memory_kills(root.path()), std::nullopt);
}

TEST(cgroup, version_2_reads_every_level) {
    fake_root root;
    root.file("/proc/self/cgroup", "0::/user.slice/job\n")
        .file("/proc/self/mountinfo", v2_mount)
        .file("/sys/fs/cgroup/user.slice/cpu.max", "250000 100000\n")
        .file("/sys/fs/cgroup/user.slice/job/cpu.max", "max 100000\n")
        .file("/sys/fs/cgroup/user.slice/job/cpuset.cpus.effective", "0-3\n");
    EXPECT_THAT(read_cgroup_limits(root.path()),
                ElementsAre(limit(no_limit, "/sys/fs/cgroup/user.slice/job/cpu.max", "max 100000"),
                            limit(4, "/sys/fs/cgroup/user.slice/job/cpuset.cpus.effective", "0-3"),
                            limit(2.5, "/sys/fs/cgroup/user.slice/cpu.max", "250000 100000")));
}

TEST(cgroup, version_2_in_a_namespace) {
    fake_root root;
    root.file("/proc/self/cgroup", "0::/\n")
        .file("/proc/self/mountinfo", v2_mount)
        .file("/sys/fs/cgroup/cpu.max", "50000 100000\n");
    EXPECT_THAT(read_cgroup_limits(root.path()), ElementsAre(limit(0.5, "/sys/fs/cgroup/cpu.max", "50000 100000")));
}

// A container without a cgroup namespace: the mount shows the container's group, the path begins at the host's root.
TEST(cgroup, version_1_below_a_mounted_group) {
    fake_root root;
    root.file("/proc/self/cgroup",
              "5:cpu,cpuacct:/docker/abc/inner\n4:cpuset:/docker/abc\n1:name=systemd:/docker/abc\n")
        .file("/proc/self/mountinfo",
              "40 39 0:30 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n"
              "41 39 0:31 /docker/abc /sys/fs/cgroup/cpuset ro master:3 - cgroup cgroup rw,cpuset\n")
        .file("/sys/fs/cgroup/cpu,cpuacct/inner/cpu.cfs_quota_us", "-1\n")
        .file("/sys/fs/cgroup/cpu,cpuacct/inner/cpu.cfs_period_us", "100000\n")
        .file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "300000\n")
        .file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "200000\n")
        .file("/sys/fs/cgroup/cpuset/cpuset.cpus", "2,5-6\n");
    EXPECT_THAT(read_cgroup_limits(root.path()),
                ElementsAre(limit(no_limit, "/sys/fs/cgroup/cpu,cpuacct/inner/cpu.cfs_quota_us", "-1"),
                            limit(1.5, "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "300000"),
                            limit(3, "/sys/fs/cgroup/cpuset/cpuset.cpus", "2,5-6")));
}

TEST(cgroup, hybrid_reads_both_versions) {
    fake_root root;
    root.file("/proc/self/cgroup", "1:cpu:/a\n0::/b\n")
        .file("/proc/self/mountinfo",
              "1 0 0:1 / /cg/cpu rw - cgroup cgroup rw,cpu\n2 0 0:2 / /cg/unified rw - cgroup2 cgroup2 rw\n")
        .file("/cg/cpu/a/cpu.cfs_quota_us", "100000")
        .file("/cg/cpu/a/cpu.cfs_period_us", "100000")
        .file("/cg/unified/b/cpu.max", "200000 100000");
    EXPECT_THAT(read_cgroup_limits(root.path()), ElementsAre(limit(1, "/cg/cpu/a/cpu.cfs_quota_us", "100000"),
                                                             limit(2, "/cg/unified/b/cpu.max", "200000 100000")));
}

TEST(cgroup, a_group_out_of_sight_is_the_top_of_the_mount) {
    for (const char* const path : {"/../sibling", "/gone/away"}) {
        fake_root root;
        root.file("/proc/self/cgroup", "0::" + std::string(path) + "\n")
            .file("/proc/self/mountinfo", v2_mount)
            .file("/sys/fs/cgroup/cpu.max", "100000 100000");
        EXPECT_THAT(read_cgroup_limits(root.path()), ElementsAre(limit(1, "/sys/fs/cgroup/cpu.max", "100000 100000")));
    }
    fake_root root;
    root.file("/proc/self/cgroup", "0::/docker/abcdef\n")
        .file("/proc/self/mountinfo", "1 0 0:1 /docker/abc /cg rw - cgroup2 cgroup2 rw\n")
        .file("/cg/def/cpu.max", "300000 100000")
        .file("/cg/cpu.max", "100000 100000");
    EXPECT_THAT(read_cgroup_limits(root.path()), ElementsAre(limit(1, "/cg/cpu.max", "100000 100000")));
}

TEST(cgroup, mount_points_are_unescaped) {
    fake_root root;
    root.file("/proc/self/cgroup", "0::/\n")
        .file("/proc/self/mountinfo", "1 0 0:1 / /my\\040groups\\134x rw - cgroup2 cgroup2 rw\n")
        .file("/my groups\\x/cpu.max", "100000 100000");
    EXPECT_THAT(read_cgroup_limits(root.path()), ElementsAre(limit(1, "/my groups\\x/cpu.max", "100000 100000")));
}

TEST(cgroup, what_is_not_understood_sets_no_limit) {
    fake_root root;
    root.file("/proc/self/cgroup", "2:cpu:/\n3:cpuset:/\n0::/\n")
        .file("/proc/self/mountinfo", "1 0 0:1 / /cpu rw - cgroup cgroup rw,cpu\n"
                                      "1 0 0:1 / /set rw - cgroup cgroup rw,cpuset,noprefix\n"
                                      "1 0 0:1 / /two rw - cgroup2 cgroup2 rw\n")
        .file("/cpu/cpu.cfs_quota_us", "100000") // and no period
        .file("/set/cpus", "")
        .file("/two/cpu.max", "lots")
        .file("/two/cpuset.cpus.effective", "all");
    EXPECT_THAT(read_cgroup_limits(root.path()),
                ElementsAre(limit(no_limit, "/cpu/cpu.cfs_quota_us", "not understood: 100000"),
                            limit(no_limit, "/set/cpus", ""), limit(no_limit, "/two/cpu.max", "not understood: lots"),
                            limit(no_limit, "/two/cpuset.cpus.effective", "not understood: all")));
}

TEST(cgroup, a_system_without_groups_has_no_limits) {
    fake_root root;
    EXPECT_THAT(read_cgroup_limits(root.path()), IsEmpty());
    root.file("/proc/self/cgroup", "garbage\n\n0::/\n3:cpu")
        .file("/proc/self/mountinfo", "garbage\n1 2 - cgroup2\n - \n");
    EXPECT_THAT(read_cgroup_limits(root.path()), IsEmpty());
}

} // namespace
