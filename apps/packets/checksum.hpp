// SPDX-License-Identifier: Apache-2.0
#pragma once

// The checksum of IP, TCP and UDP: the complement of a sum of halves, where what is carried out is added again
// (RFC 1071), and its change with a half that it covers (RFC 1624).

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace apps::packets {

constexpr std::uint16_t folded(std::uint64_t sum) {
    while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<std::uint16_t>(sum);
}

/// Of the bytes as halves in the network's order, a last byte alone with a 0 behind it. Bytes with a right checksum
/// among them sum up to 0xffff.
inline std::uint16_t sum_of(std::span<const std::byte> bytes) {
    static_assert(std::endian::native == std::endian::little);
    std::uint64_t sum = 0; // in this machine's order, which only exchanges the bytes of the result
    std::uint32_t word = 0;
    for (; bytes.size() >= sizeof word; bytes = bytes.subspan(sizeof word)) {
        std::memcpy(&word, bytes.data(), sizeof word);
        sum += word;
    }
    word = 0;
    if (!bytes.empty()) std::memcpy(&word, bytes.data(), bytes.size());
    const std::uint16_t exchanged = folded(sum + word);
    return static_cast<std::uint16_t>(exchanged << 8 | exchanged >> 8);
}

/// A checksum behind the change of a half: equation 3 of RFC 1624.
constexpr std::uint16_t mended(std::uint16_t checksum, std::uint16_t was, std::uint16_t is) {
    const auto not_checksum = static_cast<std::uint16_t>(~checksum);
    const auto not_was = static_cast<std::uint16_t>(~was);
    return static_cast<std::uint16_t>(~folded(std::uint64_t{not_checksum} + not_was + is));
}

} // namespace apps::packets
