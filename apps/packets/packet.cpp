// SPDX-License-Identifier: Apache-2.0
#include "packets/packet.hpp"

#include "packets/telephony.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <cstring>

namespace apps::packets {

namespace {

std::uint64_t digest_of_frame(std::span<const std::byte> frame, const packet_head& head) {
    std::uint64_t hash = scatter(head.at_ns ^ scatter(std::uint64_t{head.captured} << 32 | head.on_wire));
    while (!frame.empty()) {
        std::uint64_t word = 0;
        const std::size_t bytes = std::min(frame.size(), sizeof word);
        std::memcpy(&word, frame.data(), bytes);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
        hash ^= hash >> 32;
        frame = frame.subspan(bytes);
    }
    return hash;
}

void listen(observation& to, const rtp_packet& packet) {
    to.is_rtp = true;
    to.type = packet.type;
    to.sequence = packet.sequence;
    to.timestamp = packet.timestamp;
    to.source = packet.source;
    if (packet.type == type_keys) {
        to.key_pressed = key_in(packet.payload);
    } else {
        to.tone = tone_in(packet.payload, packet.type);
    }
}

} // namespace

handled handle(std::span<std::byte> frame, const packet_head& head) {
    handled result;
    parsed p = parse(frame, head.on_wire, head.link);
    result.fate = p.fate;
    if (is_dropped(p.fate)) return result;
    if (p.fate == fate::counted) {
        forward(frame, p, head.pass);
        p.key.file = head.file;
        result.seen.key = p.key;
        result.seen.bytes = p.bytes;
        constexpr std::uint64_t ns_of_tick = 1'000'000'000 / rtp_rate;
        result.seen.arrival = static_cast<std::uint32_t>(head.at_ns / ns_of_tick);
        if (const auto packet = rtp_of(frame.subspan(p.payload, p.end - p.payload))) listen(result.seen, *packet);
    }
    result.digest = digest_of_frame(frame, head);
    return result;
}

} // namespace apps::packets
