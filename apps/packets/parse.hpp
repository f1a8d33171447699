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

inline constexpr std::uint8_t protocol_tcp = 6;
inline constexpr std::uint8_t protocol_udp = 17;

/// The file, addresses (of IPv4 the first four bytes), ports (of TCP and UDP; else 0), the protocol, and the version
/// of IP.
struct flow_key {
    std::uint32_t file = 0;
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
    counted,        ///< forwarded, and counted with its flow
    other,          ///< no packet of IP: forwarded as it is
    cut,            ///< dropped, as the rest: the capture ends before the packet, or the frame before its header
    wrong_length,   ///< its lengths contradict each other, or the frame on the wire
    wrong_checksum, ///< of IPv4, TCP or UDP
    ttl_spent,      ///< it may not go further
};
inline constexpr std::size_t fates = 6;

struct parsed {
    packets::fate fate = packets::fate::other;
    flow_key key{};
    std::uint32_t bytes = 0; ///< of the packet of IP, headers included
    // Of one that is counted; places in the frame.
    std::uint32_t network = 0;   ///< of the header of IP
    std::uint32_t transport = 0; ///< of that of TCP or UDP; 0: of neither, or not here
    std::uint32_t payload = 0;   ///< of UDP
    std::uint32_t end = 0;       ///< of that; payload == end: there is none, or not all of it here
};

/// `on_wire`: bytes of the whole frame, of which `data` may be the beginning.
parsed parse(std::span<const std::byte> data, std::uint32_t on_wire, link_type of);

/// The frame as it goes out: lowers the hops it may take still, adds the pass to the low half of an IPv4 source, also
/// in the key, and mends the checksums of both. Precondition: `p` is of this frame, and counted.
void forward(std::span<std::byte> frame, parsed& p, std::uint32_t pass);

} // namespace apps::packets
