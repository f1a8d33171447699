// SPDX-License-Identifier: Apache-2.0

// The suite on simulated cores: the same bodies, compiled for them, on caches that software keeps (with the old values
// that a forgotten step would give) and on caches that hardware keeps. And the faults, which a script has the network
// make.

#include <cstdio>
#include <filesystem>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../unit/base/child.hpp"
#include "place.hpp"
#include "sim/simulation.hpp"
#include "simulated_run.hpp"

namespace skerry::fabric_test {

namespace {

struct combination {
    const char* name;
    const char* machine;
    skerry_sim::stale_mode stale;
    body what;
    unsigned endpoints;
};

std::string name_of(const combination& c) {
    return std::string(c.name) + "_" + c.what.name +
           (c.endpoints > 2 ? "_among_" + std::to_string(c.endpoints) : std::string());
}

std::ostream& operator<<(std::ostream& out, const combination& c) { return out << name_of(c); }

std::vector<combination> all_combinations() {
    std::vector<combination> result;
    for (const body& b : bodies()) {
        if (b.name == std::string_view("large_copies")) {
            continue; // in times_test.cpp: here its own looks at 64 MiB would take most of the suite's time
        }
        for (unsigned endpoints = 2; endpoints <= (b.among_more ? 4U : 2U); ++endpoints) {
            result.push_back({"gwb", "tiny4-gwb.toml", skerry_sim::stale_mode::emulate, b, endpoints});
            result.push_back({"mesi", "tiny4-mesi.toml", skerry_sim::stale_mode::off, b, endpoints});
        }
    }
    return result;
}

class conformance_simulated : public testing::TestWithParam<combination> {};

TEST_P(conformance_simulated, holds) {
    skerry_sim::settings set;
    set.stale = GetParam().stale;
    const outcome end = run_simulated(GetParam().what, GetParam().machine, set, GetParam().endpoints);
    if (end.said == "not applicablenot applicable") {
        GTEST_SKIP() << "describe() says that this back end has it not";
    }
    EXPECT_EQ(end.said, "");
    for (const auto& site : end.counts.stale_sites) {
        ADD_FAILURE() << site.text();
    }
    EXPECT_EQ(end.counts.foreign_pages, 0U);
}

INSTANTIATE_TEST_SUITE_P(fabric, conformance_simulated, testing::ValuesIn(all_combinations()),
                         [](const testing::TestParamInfo<combination>& i) { return name_of(i.param); });

// What the body finds, or what the process says at its end.
std::string found_by(const char* name, const skerry_sim::message_fault& fault) {
    return skerry_test::run_in_child([&] {
               skerry_sim::settings set;
               set.fault = fault;
               std::printf("%s", run_simulated(body_named(name), "tiny4-gwb.toml", set).said.c_str());
               return 0;
           })
        .output;
}

using skerry_sim::message_fault;

// Core 0 sends requests and replies in turn, both numbered from 0.
constexpr std::uint64_t request_40 = 81;

TEST(simulated_fault, none) {
    EXPECT_EQ(found_by("order", {}), "");
    EXPECT_EQ(found_by("credits", {}), "");
}

TEST(simulated_fault, a_lost_message) {
    EXPECT_THAT(found_by("order", {message_fault::lost, 0, request_40}),
                testing::HasSubstr("request 41 from peer 0 came where 40 was due: a message was lost or overtaken"));
}

TEST(simulated_fault, a_doubled_message) {
    EXPECT_THAT(found_by("order", {message_fault::doubled, 0, request_40}),
                testing::HasSubstr("request 40 from peer 0 came where 41 was due: a message came again"));
}

TEST(simulated_fault, a_reordered_message) {
    EXPECT_THAT(found_by("order", {message_fault::overtaken, 0, request_40}),
                testing::HasSubstr("request 41 from peer 0 came where 40 was due: a message was lost or overtaken"));
}

TEST(simulated_fault, a_reply_that_takes_a_requests_credit) {
    EXPECT_THAT(found_by("credits", {message_fault::one_lane, 0, 0}),
                testing::HasSubstr("replies have credits of their own"));
    EXPECT_THAT(found_by("order", {message_fault::one_lane, 0, 0}),
                testing::HasSubstr("a reply from peer 0 took the credit of a request"));
}

// The cycles of each core, body after body, on both kinds of caches; and the pages that the system placed.
std::string cycles_of_the_suite() {
    std::string text;
    for (const char* machine : {"tiny4-gwb.toml", "tiny4-mesi.toml"}) {
        for (const char* name : {"order", "answers", "no_lost_wakeup", "small_copies", "a_peer_is_killed"}) {
            const outcome end = run_simulated(body_named(name), machine, {});
            text += name + end.said;
            for (const auto& core : end.counts.cores) {
                text += ' ' + std::to_string(core.cycles);
            }
            text += ' ' + std::to_string(end.counts.foreign_pages) + '\n';
        }
    }
    return text;
}

std::string said_by_a_process_of_its_own() {
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    std::FILE* const pipe = ::popen(("'" + self + "' cycles").c_str(), "r");
    std::string text;
    for (int c = 0; pipe != nullptr && (c = std::fgetc(pipe)) != EOF;) {
        text += static_cast<char>(c);
    }
    return pipe != nullptr && ::pclose(pipe) == 0 ? text : "no output";
}

// Each process has its stack, heap and libraries elsewhere; its first line says where.
TEST(simulated_suite, takes_the_same_cycles_wherever_the_system_places_things) {
    const std::string one = said_by_a_process_of_its_own();
    const std::string other = said_by_a_process_of_its_own();
    const std::size_t place = one.find('\n');
    ASSERT_NE(place, std::string::npos) << one;
    EXPECT_NE(one.substr(0, place), other.substr(0, place))
        << "the system places everything as before: nothing is shown";
    EXPECT_EQ(one.substr(place), other.substr(place));
    EXPECT_THAT(one, testing::HasSubstr("order "));
}

} // namespace

int print_cycles() {
    const int somewhere = 0;
    std::printf("%p\n%s", static_cast<const void*>(&somewhere), cycles_of_the_suite().c_str());
    return 0;
}

} // namespace skerry::fabric_test

int main(int argc, char** argv) {
    if (argc == 2 && std::string_view(argv[1]) == "cycles") {
        return skerry::fabric_test::print_cycles();
    }
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
