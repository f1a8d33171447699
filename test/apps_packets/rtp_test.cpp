// SPDX-License-Identifier: Apache-2.0

#include "packets/rtp.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "frames.hpp"

namespace skerry::test {
namespace {

using namespace apps::packets;

// --- packets --------------------------------------------------------------------------------------------------------

TEST(rtp, a_packet_of_each_type) {
    for (const std::uint8_t type : {type_mu_law, type_a_law, type_keys}) {
        for (const unsigned marker : {0U, 0x80U}) {
            const bytes b = rtp(marker | type, 0x0102, 0x03040506, {7, 8}, 0x0a0b0c0d);
            const rtp_packet packet = rtp_of(view(b)).value_or(rtp_packet{});
            EXPECT_EQ(packet.type, type);
            EXPECT_EQ(packet.sequence, 0x0102);
            EXPECT_EQ(packet.timestamp, 0x03040506U);
            EXPECT_EQ(packet.source, 0x0a0b0c0dU);
            EXPECT_THAT(packet.payload, testing::ElementsAre(std::byte{7}, std::byte{8}));
        }
    }
}

TEST(rtp, what_is_none) {
    for (const unsigned type : {1U, 9U, 100U, 102U, 127U}) {
        EXPECT_FALSE(rtp_of(view(rtp(type, 1, 2, {1}))).has_value()) << type;
    }
    for (const std::uint8_t version : bytes{0x00, 0x40, 0xc0}) {
        bytes b = rtp(0, 1, 2, {1});
        b[0] = version;
        EXPECT_FALSE(rtp_of(view(b)).has_value());
    }
    const bytes b = rtp(0, 1, 2, {});
    EXPECT_TRUE(rtp_of(view(b)).has_value());
    EXPECT_FALSE(rtp_of(view(b).first(11)).has_value());
}

TEST(rtp, what_stands_around_the_payload) {
    bytes b = rtp(0, 1, 2, joined({word(1), word(2), {0xbe, 0xde, 0, 1}, word(3), {9, 8, 0, 2}}));
    b[0] = 0x80 | 0x20 | 0x10 | 2; // padding, an extension, two contributors
    const rtp_packet packet = rtp_of(view(b)).value_or(rtp_packet{});
    EXPECT_THAT(packet.payload, testing::ElementsAre(std::byte{9}, std::byte{8}));
    for (std::size_t size = 0; size < 12 + 8 + 4 + 4 + 1; ++size) { // the padding needs a byte
        EXPECT_FALSE(rtp_of(view(b).first(size)).has_value()) << size;
    }
    for (const std::uint8_t padding : bytes{0, 5}) {
        b.back() = padding;
        EXPECT_FALSE(rtp_of(view(b)).has_value());
    }
}

// --- loss: expected - received (A.3) --------------------------------------------------------------------------------

rtp_source counted(const std::vector<unsigned>& sequence) {
    rtp_source s;
    for (const unsigned number : sequence) s.count(static_cast<std::uint16_t>(number));
    return s;
}

TEST(loss, is_what_is_missing_between_the_first_and_the_highest) {
    EXPECT_EQ(rtp_source().lost(), 0);
    EXPECT_EQ(counted({5}).lost(), 0);
    EXPECT_EQ(counted({5, 6, 7, 8}).lost(), 0);
    EXPECT_EQ(counted({5, 6, 9, 10}).lost(), 2);
    EXPECT_EQ(counted({5, 6, 9, 10}).received(), 4U);
}

TEST(loss, is_less_by_what_comes_late_or_twice) {
    EXPECT_EQ(counted({5, 6, 9, 8, 7, 10}).lost(), 0);
    EXPECT_EQ(counted({5, 6, 6, 6}).lost(), -2);
    EXPECT_EQ(counted({5, 8, 8}).lost(), 1);
}

TEST(loss, is_counted_across_the_end_of_the_numbers) {
    EXPECT_EQ(counted({65534, 65535, 0, 1}).lost(), 0);
    EXPECT_EQ(counted({65534, 2}).lost(), 3);
    EXPECT_EQ(counted({65535, 0, 65534, 1}).lost(), 0 - 1 + 0); // 65534 is before the first one: one more than expected
    std::vector<unsigned> twice_round;
    for (unsigned i = 0; i < 3 * 65536; ++i) {
        if (i % 1000 != 999) twice_round.push_back(i % 65536);
    }
    EXPECT_EQ(counted(twice_round).lost(), 3 * 65536 / 1000);
}

// A.1: a jump of 3,000 or more is believed when the next number follows it.
TEST(loss, a_jump_is_believed_at_the_second_packet) {
    EXPECT_EQ(counted({5, 6, 6 + 2999}).lost(), 2998);
    rtp_source s = counted({5, 6, 6 + 3000});
    EXPECT_EQ(s.lost(), 0);
    EXPECT_EQ(s.received(), 2U);
    s.count(7); // the source goes on
    EXPECT_EQ(s.lost(), 0);
    EXPECT_EQ(s.received(), 3U);
    s = counted({5, 7, 40000, 40001, 40003}); // it has begun anew; what was lost before stays
    EXPECT_EQ(s.received(), 4U);
    EXPECT_EQ(s.lost(), 2);
}

// --- jitter: J += (|D| - J) / 16 (section 6.4.1) --------------------------------------------------------------------

// Packets each 160 ticks, as they come in.
std::uint32_t jitter_of(const std::vector<std::uint32_t>& arrivals) {
    rtp_source s;
    std::uint32_t timestamp = 0xffffff00; // goes round
    for (const std::uint32_t arrival : arrivals) {
        s.arrives(arrival, timestamp);
        timestamp += 160;
    }
    return s.jitter();
}

TEST(jitter, worked_values) {
    EXPECT_EQ(jitter_of({1000}), 0U);
    EXPECT_EQ(jitter_of({1000, 1160, 1320}), 0U);
    // D = 160: J = 160 / 16 = 10; then D = -160: J = 10 + (160 - 10) / 16 = 19.375; then D = 0: 18.164; and 17.029.
    EXPECT_EQ(jitter_of({1000, 1320}), 10U);
    EXPECT_EQ(jitter_of({1000, 1320, 1320}), 19U);
    EXPECT_EQ(jitter_of({1000, 1320, 1320, 1480}), 18U);
    EXPECT_EQ(jitter_of({1000, 1320, 1320, 1480, 1640}), 17U);
}

TEST(jitter, of_steady_unevenness_is_the_unevenness) {
    std::vector<std::uint32_t> arrivals;
    for (std::uint32_t i = 0; i < 1000; ++i) arrivals.push_back(i * 160 + i % 2 * 80);
    EXPECT_NEAR(jitter_of(arrivals), 80, 1);
}

// The integers of A.8 against the formula. Each step rounds by half a sixteenth at most.
RC_GTEST_PROP(jitter, is_that_of_the_formula, (const std::vector<std::uint16_t>& delays)) {
    rtp_source s;
    double j = 0;
    for (std::size_t i = 0; i < delays.size(); ++i) {
        s.arrives(static_cast<std::uint32_t>(i * 160 + delays[i]), static_cast<std::uint32_t>(i * 160));
        if (i != 0) j += (std::abs(double{0} + delays[i] - delays[i - 1]) - j) / 16;
    }
    RC_ASSERT(std::abs(s.jitter() - j) <= 1.5);
}

} // namespace
} // namespace skerry::test
