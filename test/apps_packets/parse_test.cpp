// SPDX-License-Identifier: Apache-2.0

#include "packets/parse.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace {

using namespace apps::packets;
using bytes = std::vector<std::uint8_t>;

bytes joined(std::initializer_list<bytes> parts) {
    bytes all;
    for (const bytes& p : parts) all.insert(all.end(), p.begin(), p.end());
    return all;
}

parsed parse_all(const bytes& b, link_type of = link_type::ethernet) {
    return parse(std::as_bytes(std::span(b)), static_cast<std::uint32_t>(b.size()), of);
}

bytes ethernet(std::uint16_t type) {
    bytes b(12, 0xee);
    b.push_back(static_cast<std::uint8_t>(type >> 8));
    b.push_back(static_cast<std::uint8_t>(type));
    return b;
}

// An IPv4 header with a right checksum.
bytes ipv4(std::uint8_t protocol, std::uint16_t payload, std::uint16_t fragment = 0) {
    const auto length = static_cast<std::uint16_t>(20 + payload);
    bytes b{0x45,
            0,
            static_cast<std::uint8_t>(length >> 8),
            static_cast<std::uint8_t>(length),
            0,
            1,
            static_cast<std::uint8_t>(fragment >> 8),
            static_cast<std::uint8_t>(fragment),
            64,
            protocol,
            0,
            0,
            10,
            0,
            0,
            1,
            10,
            0,
            0,
            2};
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < b.size(); i += 2) sum += static_cast<std::uint32_t>(b[i] << 8 | b[i + 1]);
    while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
    b[10] = static_cast<std::uint8_t>(~sum >> 8);
    b[11] = static_cast<std::uint8_t>(~sum);
    return b;
}

const bytes ports{0x13, 0x88, 0x00, 0x35, 0, 8, 0, 0}; // 5000 to 53
constexpr std::uint8_t tcp = 6;
constexpr std::uint8_t udp = 17;

bytes ipv6(std::uint8_t next, std::uint16_t payload) {
    bytes b{0x60, 0, 0, 0, static_cast<std::uint8_t>(payload >> 8), static_cast<std::uint8_t>(payload), next, 64};
    for (std::uint8_t i = 0; i < 32; ++i) b.push_back(i);
    return b;
}

TEST(parse, ipv4_over_every_link) {
    const bytes packet = joined({ipv4(udp, 8), ports});
    const bytes vlans = joined({ethernet(0x88a8), {0, 1, 0x81, 0}, {0, 2, 8, 0}, packet});
    const std::vector<std::pair<bytes, link_type>> all{
        {joined({ethernet(0x0800), packet}), link_type::ethernet},
        {vlans, link_type::ethernet},
        {joined({{2, 0, 0, 0}, packet}), link_type::loopback},
        {joined({bytes(14, 0), {8, 0}, packet}), link_type::linux_cooked},
        {packet, link_type::raw},
    };
    for (const auto& [frame, of] : all) {
        const parsed p = parse_all(frame, of);
        EXPECT_EQ(p.fate, fate::counted);
        EXPECT_EQ(p.key.version, 4);
        EXPECT_EQ(p.key.protocol, udp);
        EXPECT_EQ(p.key.source_port, 5000);
        EXPECT_EQ(p.key.target_port, 53);
        EXPECT_EQ(p.key.source[0], 10);
        EXPECT_EQ(p.key.target[3], 2);
        EXPECT_EQ(p.bytes, 28U);
    }
}

TEST(parse, ipv6_with_headers_in_between) {
    const bytes hop_by_hop{60, 0, 0, 0, 0, 0, 0, 0}; // then options
    const bytes options{44, 0, 0, 0, 0, 0, 0, 0};    // then a fragment
    const bytes first{udp, 0, 0, 1, 0, 0, 0, 0};
    const bytes later{udp, 0, 0x10, 0, 0, 0, 0, 0};
    parsed p = parse_all(joined({ipv6(0, 32), hop_by_hop, options, first, ports}), link_type::raw);
    EXPECT_EQ(p.fate, fate::counted);
    EXPECT_EQ(p.key.version, 6);
    EXPECT_EQ(p.key.protocol, udp);
    EXPECT_EQ(p.key.target_port, 53);
    EXPECT_EQ(p.key.source[15], 15);
    EXPECT_EQ(p.key.target[0], 16);
    EXPECT_EQ(p.bytes, 72U);
    p = parse_all(joined({ipv6(44, 16), later, ports}), link_type::raw);
    EXPECT_EQ(p.fate, fate::counted);
    EXPECT_EQ(p.key.target_port, 0) << "the ports are in the first fragment alone";
}

TEST(parse, what_is_no_packet_of_ip_is_other) {
    EXPECT_EQ(parse_all(joined({ethernet(0x0806), bytes(28, 0)})).fate, fate::other); // ARP
    EXPECT_EQ(parse_all({0x55, 1, 2, 3}, link_type::raw).fate, fate::other);
}

TEST(parse, a_fragment_of_ipv4_without_ports) {
    const parsed p = parse_all(joined({ipv4(tcp, 8, 100), bytes(8, 0xff)}), link_type::raw);
    EXPECT_EQ(p.fate, fate::counted);
    EXPECT_EQ(p.key.source_port, 0);
}

TEST(parse, what_is_dropped) {
    bytes packet = joined({ipv4(tcp, 8), ports});
    EXPECT_EQ(parse_all(bytes(packet.begin(), packet.begin() + 19), link_type::raw).fate, fate::cut);
    const auto whole = static_cast<std::uint32_t>(packet.size());
    EXPECT_EQ(parse(std::as_bytes(std::span(packet)).first(22), whole, link_type::raw).fate,
              fate::cut); // within the ports
    EXPECT_EQ(parse_all(bytes(packet.begin(), packet.end() - 1), link_type::raw).fate, fate::wrong_length);
    bytes short_header = packet;
    short_header[0] = 0x44;
    EXPECT_EQ(parse_all(short_header, link_type::raw).fate, fate::wrong_length);
    packet[8] ^= 1;
    EXPECT_EQ(parse_all(packet, link_type::raw).fate, fate::wrong_checksum);
    EXPECT_EQ(parse_all(joined({ipv6(udp, 9), ports}), link_type::raw).fate, fate::wrong_length);
    EXPECT_EQ(parse_all({}, link_type::raw).fate, fate::cut);
    EXPECT_EQ(parse_all(ethernet(0x0800)).fate, fate::cut);
    EXPECT_EQ(parse_all(bytes(13, 0)).fate, fate::cut);
}

// The address sanitizer sees what is read.
RC_GTEST_PROP(parse, takes_any_bytes, ()) {
    const auto given = *rc::gen::arbitrary<bytes>();
    bytes b(given);
    if (!b.empty() && *rc::gen::arbitrary<bool>()) b[0] = *rc::gen::element<std::uint8_t>(0x45, 0x4f, 0x60);
    const auto of =
        *rc::gen::element(link_type::ethernet, link_type::loopback, link_type::raw, link_type::linux_cooked);
    const auto on_wire = *rc::gen::inRange<std::uint32_t>(0, 70'000);
    const parsed p = parse(std::as_bytes(std::span(b)), on_wire, of);
    RC_ASSERT(static_cast<std::size_t>(p.fate) < fates);
    RC_ASSERT(p.fate != fate::counted || p.bytes <= on_wire);
}

} // namespace
