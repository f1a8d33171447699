// SPDX-License-Identifier: Apache-2.0
#include "base/port/topology.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hwloc.h>
#include <hwloc/distances.h>
#include <hwloc/export.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include "base/port/cpu_limits.hpp"

namespace {

using namespace skerry::port;
using testing::ElementsAre;
using list = std::vector<unsigned>;

list first(unsigned n) {
    list cpus(n);
    std::iota(cpus.begin(), cpus.end(), 0U);
    return cpus;
}

TEST(topology, this_machine) {
    const list cpus = process_cpus();
    const topology t = topology::of_this_machine(cpus);
    EXPECT_TRUE(t.detailed());
    EXPECT_EQ(t.size(), cpus.size());
    EXPECT_GE(t.cores(), 1U);
    EXPECT_LE(t.cores(), t.size());
    EXPECT_GE(t.packages(), 1U);
    EXPECT_GE(t.numa_nodes(), 1U);
    list seen;
    for (unsigned i = 0; i < t.size(); ++i) {
        seen.push_back(t.cpu(i));
    }
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(seen, cpus);
}

TEST(topology, discovery_leaves_the_binding_alone) {
    topology::of_this_machine(process_cpus());
    cpu_set_t set;
    ASSERT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
    EXPECT_EQ(static_cast<std::size_t>(CPU_COUNT(&set)), process_cpus().size());
}

// Two packages of two cores of two threads: CPUs 0 1 | 2 3 || 4 5 | 6 7.
TEST(topology, places_are_cores_first) {
    const topology t = topology::of_description("pack:2 core:2 pu:2", first(8));
    ASSERT_TRUE(t.detailed());
    EXPECT_EQ(t.packages(), 2U);
    EXPECT_EQ(t.cores(), 4U);
    list cpus;
    for (unsigned i = 0; i < t.size(); ++i) {
        cpus.push_back(t.cpu(i));
    }
    EXPECT_THAT(cpus, ElementsAre(0, 2, 4, 6, 1, 3, 5, 7));
}

TEST(topology, nearest_victims_come_first) {
    const topology t = topology::of_description("pack:2 core:2 pu:2", first(8));
    // From CPU 0: its thread 1; the package's CPUs 2 and 3; then the other package.
    EXPECT_THAT(t.victims_in_distance_order(0, 8), ElementsAre(4, 1, 5, 2, 3, 6, 7));
    // From CPU 6, at place 3.
    EXPECT_THAT(t.victims_in_distance_order(3, 8), ElementsAre(7, 6, 2, 4, 5, 0, 1));
    EXPECT_THAT(t.victims_in_distance_order(0, 1), ElementsAre());
}

TEST(topology, workers_may_outnumber_places) {
    const topology t = topology::of_description("core:2 pu:1", first(2));
    EXPECT_THAT(t.victims_in_distance_order(1, 5), ElementsAre(3, 2, 4, 0));
}

TEST(topology, only_allowed_cpus_are_places) {
    const topology t = topology::of_description("pack:2 core:2 pu:2", {1, 4, 5});
    EXPECT_EQ(t.size(), 3U);
    EXPECT_EQ(t.cores(), 2U);
    EXPECT_EQ(t.packages(), 2U);
    EXPECT_EQ(t.cpu(0), 1U);
    EXPECT_EQ(t.cpu(1), 4U);
    EXPECT_EQ(t.cpu(2), 5U);
    EXPECT_THAT(t.victims_in_distance_order(2, 3), ElementsAre(1, 0));
}

TEST(topology, falls_back_to_flat) {
    for (const topology& t : {topology::of_description("nonsense", {3, 5, 9}),
                              topology::of_description("core:2 pu:1", {0, 1, 9}), topology::flat({3, 5, 9})}) {
        EXPECT_FALSE(t.detailed());
        EXPECT_EQ(t.size(), 3U);
        EXPECT_EQ(t.cores(), 3U);
        EXPECT_EQ(t.packages(), 1U);
        EXPECT_EQ(t.distance(0, 1), t.distance(1, 2));
        EXPECT_EQ(t.distance(1, 1), 0U);
        EXPECT_THAT(t.victims_in_distance_order(1, 3), ElementsAre(2, 0));
    }
}

// Four nodes of two cores in a ring whose latencies hwloc reports: 0 is near 2, far from 1 and 3.
TEST(topology, numa_latency_comes_before_levels) {
    hwloc_topology_t machine = nullptr;
    ASSERT_EQ(hwloc_topology_init(&machine), 0);
    ASSERT_EQ(hwloc_topology_set_synthetic(machine, "numa:4 core:2 pu:1"), 0);
    ASSERT_EQ(hwloc_topology_load(machine), 0);
    hwloc_obj_t nodes[4];
    hwloc_uint64_t latency[16];
    for (unsigned i = 0; i < 4; ++i) {
        nodes[i] = hwloc_get_obj_by_type(machine, HWLOC_OBJ_NUMANODE, i);
        for (unsigned j = 0; j < 4; ++j) {
            latency[i * 4 + j] = i == j ? 10 : (i ^ j) == 2 ? 16 : 32;
        }
    }
    auto* const handle = hwloc_distances_add_create(
        machine, "NUMALatency", HWLOC_DISTANCES_KIND_FROM_USER | HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0);
    ASSERT_NE(handle, nullptr);
    ASSERT_EQ(hwloc_distances_add_values(machine, handle, 4, nodes, latency, 0), 0);
    ASSERT_EQ(hwloc_distances_add_commit(machine, handle, 0), 0);
    const auto file = std::filesystem::temp_directory_path() / ("skerry-topology-" + std::to_string(getpid()) + ".xml");
    ASSERT_EQ(hwloc_topology_export_xml(machine, file.c_str(), 0), 0);
    hwloc_topology_destroy(machine);

    setenv("HWLOC_XMLFILE", file.c_str(), 1);
    const topology t = topology::of_this_machine(first(8));
    unsetenv("HWLOC_XMLFILE");
    std::filesystem::remove(file);
    ASSERT_TRUE(t.detailed());
    EXPECT_EQ(t.numa_nodes(), 4U);
    EXPECT_THAT(t.victims_in_distance_order(0, 8), ElementsAre(1, 4, 5, 2, 3, 6, 7));
    EXPECT_EQ(t.distance(0, 6), t.distance(6, 0));
}

RC_GTEST_PROP(topology, victims_are_all_others_in_order, ()) {
    const auto packages = *rc::gen::inRange(1U, 4U);
    const auto cores = *rc::gen::inRange(1U, 5U);
    const auto threads = *rc::gen::inRange(1U, 3U);
    const std::string text =
        "pack:" + std::to_string(packages) + " core:" + std::to_string(cores) + " pu:" + std::to_string(threads);
    const topology t = topology::of_description(text, first(packages * cores * threads));
    RC_ASSERT(t.detailed());
    const auto workers = *rc::gen::inRange(1U, 2 * t.size() + 1);
    const auto from = *rc::gen::inRange(0U, workers);
    const list victims = t.victims_in_distance_order(from, workers);
    const auto far = [&](unsigned v) { return t.distance(from % t.size(), v % t.size()); };
    RC_ASSERT(std::is_sorted(victims.begin(), victims.end(), [&](unsigned a, unsigned b) { return far(a) < far(b); }));
    list all = victims;
    all.push_back(from);
    std::sort(all.begin(), all.end());
    RC_ASSERT(all == first(workers));
}

} // namespace
