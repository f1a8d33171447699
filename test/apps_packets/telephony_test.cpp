// SPDX-License-Identifier: Apache-2.0

#include "packets/rtp.hpp"
#include "packets/telephony.hpp"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numbers>
#include <string_view>

#include <gtest/gtest.h>

#include "frames.hpp"

namespace skerry::test {
namespace {

using namespace apps::packets;

// --- G.711 ----------------------------------------------------------------------------------------------------------

// Ends of segments, as the tables of the recommendation have them, in units of 16 bits.
TEST(g711, mu_law) {
    EXPECT_EQ(mu_law(0xff), 0);
    EXPECT_EQ(mu_law(0x7f), 0);
    EXPECT_EQ(mu_law(0xfe), 8);
    EXPECT_EQ(mu_law(0xf0), 120);
    EXPECT_EQ(mu_law(0xef), 132);
    EXPECT_EQ(mu_law(0x8f), 16764);
    EXPECT_EQ(mu_law(0x80), 32124);
    EXPECT_EQ(mu_law(0x00), -32124);
}

TEST(g711, a_law) {
    EXPECT_EQ(a_law(0xd5), 8);
    EXPECT_EQ(a_law(0x55), -8);
    EXPECT_EQ(a_law(0xda), 248); // the last of the first segment
    EXPECT_EQ(a_law(0xc5), 264);
    EXPECT_EQ(a_law(0xaa), 32256);
    EXPECT_EQ(a_law(0x2a), -32256);
}

// Each code is another value, and greater codes are greater values: nothing else has the sign and the steps of both.
TEST(g711, grows_with_the_code) {
    for (unsigned code = 0; code < 0x7f; ++code) {
        EXPECT_LT(mu_law(static_cast<std::uint8_t>(code)), mu_law(static_cast<std::uint8_t>(code + 1)));
        EXPECT_EQ(mu_law(static_cast<std::uint8_t>(code)), -mu_law(static_cast<std::uint8_t>(code | 0x80)));
        const auto of = [](unsigned plain) { return a_law(static_cast<std::uint8_t>(plain ^ 0x55)); };
        EXPECT_GT(of(code), of(code + 1));
        EXPECT_EQ(of(code), -of(code | 0x80));
    }
}

// --- tones ----------------------------------------------------------------------------------------------------------

constexpr double rows[] = {697, 770, 852, 941};
constexpr double columns[] = {1209, 1336, 1477, 1633};

// The code of the nearest value.
std::uint8_t coded(double x, std::uint8_t type) {
    std::uint8_t best = 0;
    double least = 1e9;
    for (unsigned code = 0; code < 256; ++code) {
        const auto c = static_cast<std::uint8_t>(code);
        const double off = std::abs(x - (type == type_mu_law ? mu_law(c) : a_law(c)));
        if (off < least) {
            least = off;
            best = c;
        }
    }
    return best;
}

bytes sound(std::size_t samples, std::uint8_t type, double first_hz, double first, double second_hz, double second,
            double phase = 0) {
    bytes b;
    for (std::size_t i = 0; i < samples; ++i) {
        const double t = static_cast<double>(i) / rtp_rate;
        b.push_back(coded(first * std::sin(2 * std::numbers::pi * first_hz * t + phase) +
                              second * std::sin(2 * std::numbers::pi * second_hz * t),
                          type));
    }
    return b;
}

TEST(tones, each_key_is_heard_in_both_codes_and_in_packets_of_usual_lengths) {
    constexpr std::string_view keys = "123A456B789C*0#D";
    for (std::size_t k = 0; k < keys.size(); ++k) {
        for (const std::uint8_t type : {type_mu_law, type_a_law}) {
            for (const std::size_t samples : {80U, 160U, 240U, 400U}) {
                for (const double phase : {0.0, 1.0, 2.5}) {
                    const bytes b = sound(samples, type, rows[k / 4], 8000, columns[k % 4], 8000, phase);
                    EXPECT_EQ(tone_in(view(b), type), keys[k]) << samples << " samples, phase " << phase;
                }
            }
        }
    }
}

TEST(tones, one_may_be_weaker_and_both_be_soft) {
    EXPECT_EQ(tone_in(view(sound(160, type_a_law, 770, 8000, 1336, 4000)), type_a_law), '5');
    EXPECT_EQ(tone_in(view(sound(160, type_a_law, 770, 300, 1336, 300)), type_a_law), '5');
}

TEST(tones, what_is_no_key) {
    const auto heard = [](double a, double a_level, double b, double b_level, std::size_t samples = 160) {
        return tone_in(view(sound(samples, type_mu_law, a, a_level, b, b_level)), type_mu_law);
    };
    EXPECT_EQ(heard(770, 8000, 1336, 0), 0);          // a row alone
    EXPECT_EQ(heard(0, 0, 1336, 8000), 0);            // a column alone
    EXPECT_EQ(heard(770, 8000, 852, 8000), 0);        // two rows
    EXPECT_EQ(heard(400, 8000, 1000, 8000), 0);       // others
    EXPECT_EQ(heard(770, 8000, 1336, 800), 0);        // one far weaker
    EXPECT_EQ(heard(770, 50, 1336, 50), 0);           // hardly to be heard
    EXPECT_EQ(heard(770, 8000, 1336, 8000, 79), 0);   // too short
    EXPECT_EQ(heard(770, 8000, 1336, 8000, 8001), 0); // too long
    EXPECT_EQ(heard(770, 8000, 1336, 8000, 8000), '5');
    EXPECT_EQ(tone_in({}, type_mu_law), 0);
    bytes drowned; // the tones of a key, and a louder one
    for (std::size_t i = 0; i < 160; ++i) {
        const double t = 2 * std::numbers::pi * static_cast<double>(i) / rtp_rate;
        drowned.push_back(
            coded(6000 * std::sin(770 * t) + 6000 * std::sin(1336 * t) + 12000 * std::sin(400 * t), type_mu_law));
    }
    EXPECT_EQ(tone_in(view(drowned), type_mu_law), 0);
    bytes noise;
    std::uint32_t x = 1;
    for (int i = 0; i < 160; ++i) noise.push_back(static_cast<std::uint8_t>((x = x * 1664525 + 1013904223) >> 24));
    EXPECT_EQ(tone_in(view(noise), type_mu_law), 0);
}

// --- keys as events -------------------------------------------------------------------------------------------------

TEST(events, of_rfc_2833) {
    constexpr std::string_view keys = "0123456789*#ABCD";
    for (std::size_t event = 0; event < keys.size(); ++event) {
        EXPECT_EQ(key_in(view({static_cast<std::uint8_t>(event), 0x8a, 0, 0})), keys[event]);
    }
    EXPECT_EQ(key_in(view({16, 0, 0, 0})), 0); // the hook
    EXPECT_EQ(key_in(view({1, 0, 0})), 0);
}

} // namespace
} // namespace skerry::test
