// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a packet is of: its flow, or why it has none. Any bytes are taken.

#include "packets/capture.hpp"

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>

namespace apps::packets {

/// Addresses (of IPv4 the first four bytes), ports (of TCP and UDP; else 0), the protocol, and the version of IP.
struct flow_key {
    std::array<std::uint8_t, 16> source{};
    std::array<std::uint8_t, 16> target{};
    std::uint16_t source_port = 0;
    std::uint16_t target_port = 0;
    std::uint8_t protocol = 0;
    std::uint8_t version = 0;

    auto operator<=>(const flow_key&) const = default;
    std::uint64_t hash() const;
};

enum class fate : std::uint8_t {
    counted,        ///< with its flow
    other,          ///< no packet of IP
    cut,            ///< the capture, or the packet, ends before its headers do
    wrong_length,   ///< it says that it is longer than what was on the wire
    wrong_checksum, ///< of the IPv4 header
};
inline constexpr std::size_t fates = 5;

struct parsed {
    packets::fate fate = packets::fate::other;
    flow_key key{};
    std::uint32_t bytes = 0; ///< of the packet of IP, headers included
};

/// `on_wire`: bytes of the whole frame, of which `data` may be the beginning.
parsed parse(std::span<const std::byte> data, std::uint32_t on_wire, link_type of);

} // namespace apps::packets
