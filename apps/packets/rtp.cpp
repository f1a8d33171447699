// SPDX-License-Identifier: Apache-2.0
#include "packets/rtp.hpp"

namespace apps::packets {

namespace {

constexpr std::uint32_t numbers = 65536;
constexpr std::uint32_t no_number = numbers;
// Of appendix A.1: what is that far ahead is still in order, and what is that far behind is late.
constexpr std::uint32_t most_ahead = 3000;
constexpr std::uint32_t most_behind = 100;

std::uint32_t word_of(std::span<const std::byte> bytes, std::size_t at, std::size_t count) {
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < count; ++i) word = word << 8 | std::to_integer<std::uint32_t>(bytes[at + i]);
    return word;
}

} // namespace

std::optional<rtp_packet> rtp_of(std::span<const std::byte> udp) {
    constexpr std::size_t fixed = 12;
    if (udp.size() < fixed) return std::nullopt;
    const std::uint32_t first = word_of(udp, 0, 1);
    const std::uint32_t type = word_of(udp, 1, 1) & 0x7f;
    if (first >> 6 != 2 || (type != type_mu_law && type != type_a_law && type != type_keys)) return std::nullopt;
    std::size_t header = fixed + std::size_t{first & 0xf} * 4;
    if ((first & 0x10) != 0) { // an extension
        if (udp.size() < header + 4) return std::nullopt;
        header += 4 + std::size_t{word_of(udp, header + 2, 2)} * 4;
    }
    if (udp.size() < header) return std::nullopt;
    std::span<const std::byte> payload = udp.subspan(header);
    if ((first & 0x20) != 0) { // padding, whose last byte counts it
        const std::size_t padding = payload.empty() ? 0 : std::to_integer<std::size_t>(payload.back());
        if (padding == 0 || padding > payload.size()) return std::nullopt;
        payload = payload.first(payload.size() - padding);
    }
    return rtp_packet{static_cast<std::uint8_t>(type), static_cast<std::uint16_t>(word_of(udp, 2, 2)),
                      word_of(udp, 4, 4), word_of(udp, 8, 4), payload};
}

void rtp_source::begin(std::uint16_t sequence) {
    if (began_) {
        expected_before_ += expected();
        received_before_ += received_;
    }
    began_ = true;
    arrived_ = false; // timestamps begin anew, too
    first_ = highest_ = sequence;
    cycles_ = 0;
    received_ = 0;
    expected_after_jump_ = no_number;
}

rtp_source::place rtp_source::count(std::uint16_t sequence) {
    place at = place::next;
    if (!began_) {
        begin(sequence);
        at = place::begun;
    }
    const auto ahead = static_cast<std::uint16_t>(sequence - highest_);
    const bool twice = ahead == 0 && at != place::begun;
    if (twice || ahead > numbers - most_behind) {
        at = place::late;
    } else if (ahead < most_ahead) {
        if (sequence < highest_) cycles_ += numbers;
        highest_ = sequence;
    } else { // a jump: two in a row make it a new beginning
        if (sequence != expected_after_jump_) {
            expected_after_jump_ = (sequence + 1U) % numbers;
            return place::ignored;
        }
        begin(sequence);
        at = place::begun;
    }
    ++received_;
    return at;
}

void rtp_source::arrives(std::uint32_t arrival, std::uint32_t timestamp) {
    const std::uint32_t transit = arrival - timestamp;
    if (arrived_) {
        const auto difference = static_cast<std::int32_t>(transit - transit_);
        const std::uint32_t d =
            difference < 0 ? 0U - static_cast<std::uint32_t>(difference) : static_cast<std::uint32_t>(difference);
        jitter_ += d - ((jitter_ + 8) >> 4);
    }
    arrived_ = true;
    transit_ = transit;
}

std::int64_t rtp_source::lost() const {
    const std::uint64_t all = expected_before_ + (began_ ? expected() : 0);
    return static_cast<std::int64_t>(all - received());
}

} // namespace apps::packets
