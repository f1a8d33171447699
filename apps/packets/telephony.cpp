// SPDX-License-Identifier: Apache-2.0
#include "packets/telephony.hpp"

#include "packets/rtp.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string_view>

namespace apps::packets {

namespace {

constexpr std::array<double, 8> tones{697, 770, 852, 941, 1209, 1336, 1477, 1633}; // Hz; four rows, four columns
constexpr std::string_view keys = "123A456B789C*0#D";
constexpr std::size_t least_samples = 80;
constexpr std::size_t most_samples = rtp_rate;

constexpr float least_power = 20'000;    // of a sample, mean: some 44 dB below the loudest
constexpr float least_share = 0.7F;      // of the power, of both tones
constexpr float least_of_each = 0.1F;    // so that neither is 8 dB below the other
constexpr float most_of_another = 0.25F; // of the power of the tone, of the next one in its row or column

template <class Decode>
std::array<std::int16_t, 256> all_codes(Decode decode) {
    std::array<std::int16_t, 256> all{};
    for (std::size_t code = 0; code < all.size(); ++code) all[code] = decode(static_cast<std::uint8_t>(code));
    return all;
}

// The strongest of four; nothing: it is not much stronger than the others.
std::optional<std::size_t> strongest(std::span<const float, 4> powers) {
    const auto best = static_cast<std::size_t>(std::ranges::max_element(powers) - powers.begin());
    for (std::size_t i = 0; i < powers.size(); ++i) {
        if (i != best && powers[i] > most_of_another * powers[best]) return std::nullopt;
    }
    return best;
}

} // namespace

std::int16_t mu_law(std::uint8_t code) {
    const unsigned inverted = ~unsigned{code} & 0xff;
    const unsigned exponent = inverted >> 4 & 7;
    const int magnitude = static_cast<int>((((inverted & 0xf) << 3) + 0x84) << exponent) - 0x84;
    return static_cast<std::int16_t>((inverted & 0x80) != 0 ? -magnitude : magnitude);
}

std::int16_t a_law(std::uint8_t code) {
    const unsigned plain = code ^ 0x55U;
    const unsigned exponent = plain >> 4 & 7;
    const unsigned mantissa = ((plain & 0xf) << 4) + 8;
    const auto magnitude = static_cast<int>(exponent == 0 ? mantissa : (mantissa + 0x100) << (exponent - 1));
    return static_cast<std::int16_t>((plain & 0x80) != 0 ? magnitude : -magnitude);
}

char tone_in(std::span<const std::byte> payload, std::uint8_t type) {
    static const std::array<std::int16_t, 256> of_mu_law = all_codes(mu_law);
    static const std::array<std::int16_t, 256> of_a_law = all_codes(a_law);
    static const std::array<float, 8> coefficients = [] {
        std::array<float, 8> c{};
        std::ranges::transform(tones, c.begin(), [](double hz) {
            return static_cast<float>(2 * std::cos(2 * std::numbers::pi * hz / rtp_rate));
        });
        return c;
    }();
    if (payload.size() < least_samples || payload.size() > most_samples) return 0;
    const auto& decoded = type == type_mu_law ? of_mu_law : of_a_law;
    std::array<float, 8> last{};
    std::array<float, 8> before{};
    float energy = 0;
    for (const std::byte code : payload) {
        const float x = decoded[std::to_integer<std::size_t>(code)];
        energy += x * x;
        for (std::size_t i = 0; i < tones.size(); ++i) {
            const float now = x + coefficients[i] * last[i] - before[i];
            before[i] = last[i];
            last[i] = now;
        }
    }
    const auto samples = static_cast<float>(payload.size());
    if (energy < least_power * samples) return 0;
    std::array<float, 8> shares{}; // of the energy; of a steady tone at the frequency, all
    for (std::size_t i = 0; i < tones.size(); ++i) {
        const float power = last[i] * last[i] + before[i] * before[i] - coefficients[i] * last[i] * before[i];
        shares[i] = 2 * power / (samples * energy);
    }
    const std::span<const float, 8> all(shares);
    const auto row = strongest(all.first<4>());
    const auto column = strongest(all.last<4>());
    if (!row || !column) return 0;
    const float of_row = shares[*row];
    const float of_column = shares[4 + *column];
    const bool heard = std::min(of_row, of_column) >= least_of_each && of_row + of_column >= least_share;
    return heard ? keys[4 * *row + *column] : char{0};
}

char key_in(std::span<const std::byte> payload) {
    constexpr std::string_view events = "0123456789*#ABCD"; // RFC 2833, section 3.10
    constexpr std::size_t whole = 4;
    if (payload.size() < whole) return 0;
    const auto event = std::to_integer<std::size_t>(payload[0]);
    return event < events.size() ? events[event] : char{0};
}

} // namespace apps::packets
