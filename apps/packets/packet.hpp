// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is done with one packet, by whichever core: all that needs no other packet.

#include "packets/flows.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace apps::packets {

/// What is known of a packet beside its bytes.
struct packet_head {
    std::uint64_t at_ns = 0;
    std::uint32_t captured = 0;
    std::uint32_t on_wire = 0;
    std::uint32_t file = 0;
    std::uint32_t pass = 0;
    link_type link = link_type::ethernet;
};

struct handled {
    packets::fate fate = packets::fate::other;
    observation seen{};       ///< of one that is counted
    std::uint64_t digest = 0; ///< of the frame as it goes out, and of its head
};

inline bool is_dropped(fate f) { return f != fate::counted && f != fate::other; }

/// The packet goes out as `frame` is afterwards, unless it is dropped.
handled handle(std::span<std::byte> frame, const packet_head& head);

} // namespace apps::packets
