// SPDX-License-Identifier: Apache-2.0
#include "sim/machine_description.hpp"

#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace skerry_sim;
using testing::HasSubstr;

std::string good_text() {
    std::ostringstream text;
    text << std::ifstream(SKERRY_MACHINES "/tiny4-gwb.toml").rdbuf();
    return text.str();
}

std::string with(const std::string& line, const std::string& instead) {
    std::string text = good_text();
    const auto at = text.find(line);
    EXPECT_NE(at, std::string::npos) << line;
    return text.replace(at, line.size(), instead);
}

std::string error_of(const std::string& text) {
    try {
        parse_machine(text, "m.toml");
    } catch (const bad_machine& error) {
        return error.what();
    }
    return "no error";
}

TEST(machine_description, the_machines_that_come_along) {
    const machine_description gwb = read_machine(SKERRY_MACHINES "/tiny4-gwb.toml");
    EXPECT_EQ(gwb.name, "tiny4-gwb");
    EXPECT_EQ(gwb.cores.count, 4U);
    EXPECT_EQ(gwb.l1.protocol, protocol_named("gpu-wb"));
    EXPECT_EQ(gwb.l1.bytes, 4096U);
    EXPECT_EQ(gwb.l2.bank_bytes, 512U << 10);
    EXPECT_EQ(gwb.dram.line_cycles, 32U);
    EXPECT_EQ(gwb.least_latency(), 4U);
    EXPECT_EQ(read_machine(SKERRY_MACHINES "/tiny4-mesi.toml").l1.protocol, protocol_named("mesi"));
    EXPECT_NE(protocol_named("mesi"), protocol_named("gpu-wb"));
    EXPECT_EQ(protocol_named("MESI"), nullptr);
}

TEST(machine_description, says_what_is_wrong_and_what_is_accepted) {
    EXPECT_EQ(error_of(with("count = 4", "count = 65")),
              "skerry: sim: m.toml:6: cores.count = 65: not understood; a whole number from 1 to 64 is accepted");
    EXPECT_EQ(error_of(with("count = 4", "count = \"four\"")),
              "skerry: sim: m.toml:6: cores.count = 'four': not understood; a whole number from 1 to 64 is accepted");
    EXPECT_THAT(error_of(with("count = 4", "")),
                HasSubstr(": cores.count is missing; a whole number from 1 to 64 is accepted"));
    EXPECT_EQ(error_of(with("ways = 2", "wais = 2")),
              "skerry: sim: m.toml:13: [l1] has no key 'wais'; accepted are protocol, bytes, ways, write_buffer");
    EXPECT_EQ(error_of(with("\"gpu-wb\"", "\"gpu\"")),
              "skerry: sim: m.toml:11: l1.protocol = 'gpu': not understood; \"gpu-wb\", \"gpu-wt\" or \"mesi\" is "
              "accepted");
    EXPECT_EQ(
        error_of(with("\"gpu-wb\"", "1")),
        "skerry: sim: m.toml:11: l1.protocol = 1: not understood; \"gpu-wb\", \"gpu-wt\" or \"mesi\" is accepted");
    EXPECT_THAT(error_of(with("\"gpu-wb\"", "\"gpu-wt\"")),
                HasSubstr("l1.write_buffer is missing; a whole number from 1 to 1024 is accepted"));
    EXPECT_EQ(parse_machine(with("\"gpu-wb\"", "\"gpu-wt\"\nwrite_buffer = 8"), "m.toml").l1.write_buffer, 8U);
    EXPECT_EQ(
        error_of(with("flit_bytes = 16", "flit_bytes = 12")),
        "skerry: sim: m.toml:24: network.flit_bytes = 12: not understood; a power of two from 1 to 256 is accepted");
    EXPECT_EQ(
        error_of(with("bytes = 4096", "bytes = 5000")),
        "skerry: sim: m.toml:12: l1.bytes = 5000: not understood; a power of two of lines of 64 bytes in each way "
        "is accepted");
    EXPECT_EQ(error_of(with("[dram]", "[ram]")),
              "skerry: sim: m.toml:26: the file has no key 'ram'; accepted are name, cores, l1, l2, network, dram, "
              "interrupts, fabric, configs");
    EXPECT_THAT(error_of(with("[dram]", "[configs.dram]")), HasSubstr("m.toml:1: section [dram] is missing"));
    EXPECT_THAT(error_of(with("[interrupts] # \"a few cycles\" for a tiny core\nentry_cycles = 5", "") =
                             "interrupts = 3\n" +
                             with("[interrupts] # \"a few cycles\" for a tiny core\nentry_cycles = 5", "")),
                HasSubstr("m.toml:1: interrupts = 3: a section [interrupts] is accepted"));
    EXPECT_THAT(error_of("cores = = 3"), HasSubstr("skerry: sim: m.toml:1: not TOML: "));
    EXPECT_THAT(error_of(with("name = \"tiny4-gwb\"", "name = \"\"")),
                HasSubstr("name = '': not understood; a text is accepted"));
}

TEST(machine_description, a_message_network) {
    const machine_description tiny = read_machine(SKERRY_MACHINES "/tiny4-gwb.toml");
    ASSERT_TRUE(tiny.fabric.has_value());
    if (const auto& bus = tiny.fabric) {
        EXPECT_EQ(bus->request_slots, 32U);
        EXPECT_EQ(bus->way(0, 0), 7);
        EXPECT_EQ(bus->way(0, 3), 7 + 2 * 2);
        EXPECT_EQ(bus->way(2, 1), 7 + 2 * 2);
    }
    const machine_description formic = read_machine(SKERRY_MACHINES "/formic16.toml");
    ASSERT_TRUE(formic.fabric.has_value());
    if (const auto& cube = formic.fabric) {
        EXPECT_EQ(cube->hops(0, 1), 0U); // one board
        EXPECT_EQ(cube->hops(1, 2), 1U);
        EXPECT_EQ(cube->hops(0, 4), 1U); // the next row
        EXPECT_EQ(cube->hops(0, 8), 1U); // the next layer
        EXPECT_EQ(cube->hops(15, 0), 3U);
    }
    EXPECT_FALSE(parse_machine(good_text().substr(0, good_text().find("[fabric]")), "m.toml").fabric);
}

TEST(machine_description, says_what_is_wrong_with_a_message_network) {
    EXPECT_EQ(error_of(with("request_slots = 32", "request_slots = 0")),
              "skerry: sim: m.toml:34: fabric.request_slots = 0: not understood; a whole number from 1 to 4096 is "
              "accepted");
    EXPECT_EQ(error_of(with("poll_cycles = 4", "poll_cycles = 0")),
              "skerry: sim: m.toml:41: fabric.poll_cycles = 0: not understood; a whole number from 1 to 10000 is "
              "accepted");
    EXPECT_EQ(error_of(with("message_cycles = 7", "message_cycles = 7.5")),
              "skerry: sim: m.toml:42: fabric.message_cycles = 7.5: not understood; a whole number from 1 to 100000 is "
              "accepted");
    EXPECT_THAT(error_of(with("copy_bytes_per_cycle = 16", "")),
                HasSubstr(": fabric.copy_bytes_per_cycle is missing; a whole number from 1 to 4096 is accepted"));
    EXPECT_THAT(error_of(with("hop_cycles", "hops")),
                HasSubstr("[fabric] has no key 'hops'; accepted are request_slots"));
    EXPECT_EQ(error_of(with("rows = 2", "rows = 1")),
              "skerry: sim: m.toml:33: [fabric] has node_cores * columns * rows * layers = 2 places for the 4 cores of "
              "cores.count; at least as many are accepted");
    const std::string text = good_text();
    EXPECT_THAT(error_of("fabric = 3\n" + text.substr(0, text.find("[fabric]"))),
                HasSubstr("m.toml:1: fabric = 3: a section [fabric] is accepted"));
}

// ---- Configurations.

std::string error_of(const std::string& text, std::string_view config) {
    try {
        parse_machine(text, "m.toml", config);
    } catch (const bad_machine& error) {
        return error.what();
    }
    return "no error";
}

TEST(machine_description, the_64_cores_in_each_configuration) {
    const auto read = [](std::string_view config) { return read_machine(SKERRY_MACHINES "/tiny-64.toml", config); };
    const machine_description plain = read("");
    EXPECT_EQ(plain.name, "tiny-64");
    EXPECT_EQ(plain.cores.count, 64U);
    EXPECT_EQ(plain.l1.protocol, protocol_named("mesi"));
    EXPECT_FALSE(plain.interrupts.has_value());
    const machine_description wb = read("hcc-gwb");
    EXPECT_EQ(wb.name, "tiny-64/hcc-gwb");
    EXPECT_EQ(wb.l1.protocol, protocol_named("gpu-wb"));
    EXPECT_EQ(wb.l1.bytes, 4096U);
    EXPECT_FALSE(wb.interrupts.has_value());
    const machine_description wt = read("hcc-dts-gwt");
    EXPECT_EQ(wt.l1.protocol, protocol_named("gpu-wt"));
    EXPECT_EQ(wt.l1.write_buffer, 8U);
    ASSERT_TRUE(wt.interrupts.has_value());
    EXPECT_EQ(wt.interrupts.value_or(skerry_sim::interrupts_description{}).entry_cycles, 5U);
    for (const char* const config : {"mesi", "dts-mesi", "hcc-gwt", "hcc-dts-gwb"}) {
        EXPECT_EQ(read(config).name, std::string("tiny-64/") + config);
    }
}

TEST(machine_description, says_what_is_wrong_with_a_configuration) {
    EXPECT_EQ(error_of(good_text(), "hcc"),
              "skerry: sim: m.toml:1: there is no configuration 'hcc'; the file has none");
    const std::string two = good_text() + "\n[configs.a]\nl1.ways = 4\nl1.bytes = 8192\n[configs.b]\n";
    EXPECT_EQ(parse_machine(two, "m.toml", "a").l1.ways, 4U);
    EXPECT_EQ(parse_machine(two, "m.toml", "b").l1.ways, 2U);
    EXPECT_EQ(parse_machine(two, "m.toml").l1.ways, 2U);
    EXPECT_EQ(error_of(two, "c"), "skerry: sim: m.toml:1: there is no configuration 'c'; there are a, b");
    const auto first_error = [](const std::string& config) {
        return error_of(good_text() + "\n[configs]\n" + config, "a");
    };
    EXPECT_EQ(first_error("a = 3"), "skerry: sim: m.toml:49: [configs.a] = 3: a section is accepted");
    EXPECT_EQ(first_error("a.l3.ways = 3"),
              "skerry: sim: m.toml:49: [configs.a] has no key 'l3'; accepted are cores, l1, "
              "l2, network, dram, interrupts, fabric");
    EXPECT_EQ(first_error("a.l1.wais = 3"),
              "skerry: sim: m.toml:49: [configs.a]: l1 has no key 'wais'; accepted are protocol, bytes, ways, "
              "write_buffer");
    EXPECT_EQ(first_error("a.l1 = 3"), "skerry: sim: m.toml:49: [configs.a] has l1 = 3: keys l1.KEY are accepted");
    EXPECT_EQ(first_error("a.l1.protocol = \"moesi\""),
              "skerry: sim: m.toml:49: l1.protocol = 'moesi': not understood; \"gpu-wb\", \"gpu-wt\" or \"mesi\" is "
              "accepted");
    EXPECT_EQ(first_error("a.l2.ways = 100"),
              "skerry: sim: m.toml:49: l2.ways = 100: not understood; a whole number from 1 to 32 is accepted");
}

TEST(machine_description, a_file_that_is_not_there) {
    try {
        read_machine("/nonexistent/machine.toml");
        FAIL();
    } catch (const bad_machine& error) {
        EXPECT_STREQ(error.what(), "skerry: sim: /nonexistent/machine.toml: cannot be read");
    }
}

} // namespace
