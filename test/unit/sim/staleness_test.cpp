// SPDX-License-Identifier: Apache-2.0

// Reads of what another core has written, and of what a discard or a publish that was left out makes of them.

#include <algorithm>
#include <cstdint>
#include <string>

#include <gmock/gmock.h>

#include "baton.hpp"
#include "machines.hpp"

namespace {

using namespace skerry_sim;
using namespace skerry_test;
using testing::HasSubstr;
using testing::SizeIs;

struct alignas(64) shared_words {
    std::uint32_t value = 0;
    std::uint32_t other = 0;
};

static baton token;
static shared_words words;
static std::uint32_t seen[2];
static bool with_publish, with_discard, marked;

[[gnu::noinline]] std::uint32_t read_value() { return words.value; } // READER
constexpr int reader_line = __LINE__ - 1;
[[gnu::noinline]] void write_value(std::uint32_t v) { words.value = v; } // WRITER
constexpr int writer_line = __LINE__ - 1;

void reader(void*) {
    seen[0] = read_value();
    token.pass(1);
    token.wait_for(2);
    if (with_discard) {
        discard_all();
    }
    seen[1] = marked ? stale_load(words.value) : read_value();
}

void writer_and_reader() {
    words.value = 0;
    token.turn = 0;
    const unsigned other = start_thread(reader, nullptr);
    token.wait_for(1);
    write_value(7);
    if (with_publish) {
        publish_all();
    }
    token.pass(2);
    join_thread(other);
}

statistics write_and_read(stale_mode mode, bool publishes, bool discards, bool allowed = false,
                          const machine_description& on = gwb()) {
    with_publish = publishes;
    with_discard = discards;
    marked = allowed;
    return simulate(writer_and_reader, {.stale = mode}, on);
}

TEST(staleness, a_discard_left_out_is_reported_with_both_lines) {
    const statistics result = write_and_read(stale_mode::report, true, false);
    EXPECT_EQ(seen[1], 7U); // the latest, in this mode
    EXPECT_EQ(result.total.stale_reads, 1U);
    ASSERT_THAT(result.stale_sites, SizeIs(1));
    const stale_site& site = result.stale_sites[0];
    EXPECT_THAT(site.reader, HasSubstr("staleness_test.cpp:" + std::to_string(reader_line)));
    EXPECT_THAT(site.reader, HasSubstr("read_value"));
    EXPECT_THAT(site.writer, HasSubstr("staleness_test.cpp:" + std::to_string(writer_line)));
    EXPECT_EQ(site.reading_core, 1U);
    EXPECT_EQ(site.writing_core, 0U);
    EXPECT_EQ(site.address, &words.value);
    EXPECT_EQ(site.bytes, 4U);
    EXPECT_EQ(site.count, 1U);
    EXPECT_GT(site.cycle, 0U);
    EXPECT_THAT(site.text(),
                testing::MatchesRegex("stale read on core 1 at cycle [0-9]+, 4 bytes at 0x[0-9a-f]+: read at "
                                      ".*:[0-9]+ \\(.*\\), last written by core 0 at .*:[0-9]+ \\(.*\\)"));
}

TEST(staleness, a_discard_left_out_gives_the_old_value) {
    EXPECT_EQ(write_and_read(stale_mode::emulate, true, false).total.stale_reads, 1U);
    EXPECT_EQ(seen[1], 0U);
    EXPECT_EQ(words.value, 7U);
}

TEST(staleness, a_publish_left_out_gives_the_old_value) {
    EXPECT_EQ(write_and_read(stale_mode::emulate, false, true).total.stale_reads, 1U);
    EXPECT_EQ(seen[1], 0U);
    EXPECT_EQ(write_and_read(stale_mode::report, false, true).stale_sites.size(), 1U);
    EXPECT_EQ(seen[1], 7U);
}

TEST(staleness, a_write_that_goes_through_needs_a_discard_and_no_publish) {
    EXPECT_EQ(write_and_read(stale_mode::emulate, true, false, false, gwt()).total.stale_reads, 1U);
    EXPECT_EQ(seen[1], 0U);
    EXPECT_EQ(write_and_read(stale_mode::emulate, false, true, false, gwt()).total.stale_reads, 0U);
    EXPECT_EQ(seen[1], 7U);
    const std::uint64_t off = write_and_read(stale_mode::off, true, true, false, gwt()).total.cycles;
    EXPECT_EQ(write_and_read(stale_mode::report, true, true, false, gwt()).total.cycles, off);
    EXPECT_EQ(write_and_read(stale_mode::emulate, true, true, false, gwt()).total.cycles, off);
}

TEST(staleness, nothing_is_reported_of_a_correct_program_or_in_mode_off) {
    for (const stale_mode mode : {stale_mode::off, stale_mode::report, stale_mode::emulate}) {
        EXPECT_EQ(write_and_read(mode, true, true).total.stale_reads, 0U);
        EXPECT_EQ(seen[1], 7U);
    }
    EXPECT_EQ(write_and_read(stale_mode::off, false, false).total.stale_reads, 0U);
}

TEST(staleness, a_marked_read_is_not_reported_and_still_gets_the_old_value) {
    const statistics result = write_and_read(stale_mode::emulate, true, false, true);
    EXPECT_EQ(result.total.stale_reads, 0U);
    EXPECT_EQ(result.total.stale_reads_allowed, 1U);
    EXPECT_EQ(seen[1], 0U);
}

TEST(staleness, modes_do_not_change_the_clock) {
    const std::uint64_t off = write_and_read(stale_mode::off, true, true).total.cycles;
    EXPECT_EQ(write_and_read(stale_mode::report, true, true).total.cycles, off);
    EXPECT_EQ(write_and_read(stale_mode::emulate, true, true).total.cycles, off);
}

// Has no hook, which is what the test is about: Clang leaves it out of some stores to objects on the stack
// (sim/README.md).
[[gnu::noinline, gnu::no_sanitize_thread]] void write_other_without_hook(std::uint32_t v) { words.other = v; }

void store_beside_a_store_without_hook() {
    words = {};
    publish_all();
    write_value(7); // from here on the shared cache's line is older than the core's
    write_other_without_hook(5);
    seen[0] = __atomic_load_n(&words.other, __ATOMIC_ACQUIRE);
    seen[1] = __atomic_fetch_add(&words.other, 1, __ATOMIC_ACQ_REL);
}

TEST(staleness, a_store_without_a_hook_is_seen_at_once) {
    for (const stale_mode mode : {stale_mode::off, stale_mode::report, stale_mode::emulate}) {
        EXPECT_EQ(simulate(store_beside_a_store_without_hook, {.stale = mode}).total.stale_reads, 0U);
        EXPECT_EQ(seen[0], 5U);
        EXPECT_EQ(seen[1], 5U);
        EXPECT_EQ(words.other, 6U);
        EXPECT_EQ(words.value, 7U);
    }
}

// Of 16 bytes the aligned hook is called where 8 are aligned: such a store may reach into the next line.
extern "C" void hook_of_16_bytes(void*) __asm__("__tsan_write16");

alignas(64) static std::uint64_t two_lines[16];

// Its hook is called by hand, and no other one.
[[gnu::noinline, gnu::no_sanitize_thread]] void write_over_both_lines(std::uint64_t v) {
    hook_of_16_bytes(&two_lines[7]);
    two_lines[7] = two_lines[8] = v;
}

void read_second_line(void*) {
    seen[0] = static_cast<std::uint32_t>(two_lines[8]);
    token.pass(1);
    token.wait_for(2);
    seen[1] = static_cast<std::uint32_t>(two_lines[8]);
}

void store_over_two_lines() {
    std::ranges::fill(two_lines, 0);
    publish_all();
    token.turn = 0;
    const unsigned other = start_thread(read_second_line, nullptr);
    token.wait_for(1);
    two_lines[0] = 1; // the core may dirty the first line without telling anybody
    write_over_both_lines(7);
    publish_all();
    token.pass(2);
    join_thread(other);
}

TEST(staleness, a_store_over_two_lines_is_one_to_each) {
    EXPECT_EQ(simulate(store_over_two_lines, {.stale = stale_mode::report}).total.stale_reads, 1U);
    EXPECT_EQ(simulate(store_over_two_lines, {.stale = stale_mode::emulate}).total.stale_reads, 1U);
    EXPECT_EQ(seen[1], 0U);
}

} // namespace
