// SPDX-License-Identifier: Apache-2.0

#include "packets/checksum.hpp"
#include "packets/parse.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "frames.hpp"

namespace skerry::test {
namespace {

using namespace apps::packets;

parsed parse_all(const bytes& b, link_type of = link_type::raw) {
    return parse(view(b), static_cast<std::uint32_t>(b.size()), of);
}

// --- the checksum ---------------------------------------------------------------------------------------------------

TEST(checksum, sums_as_the_example_of_rfc_1071) {
    const bytes example{0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7};
    EXPECT_EQ(sum_of(view(example)), 0xddf2);
    EXPECT_EQ(sum_of({}), 0);
    EXPECT_EQ(sum_of(view({0x12})), 0x1200);
}

TEST(checksum, is_mended_as_the_example_of_rfc_1624) { EXPECT_EQ(mended(0xdd2f, 0x5555, 0x3285), 0x0000); }

RC_GTEST_PROP(checksum, is_the_plain_sum, (const bytes& b)) { RC_ASSERT(sum_of(view(b)) == plain_sum(b)); }

RC_GTEST_PROP(checksum, stays_right_where_it_is_mended, (bytes b, std::uint16_t is)) {
    b.resize(b.size() / 2 * 2 + 4);
    b[0] = 1; // what is all zeros has two checksums
    const auto was = static_cast<std::uint16_t>(b[2] << 8 | b[3]);
    const auto checksum = static_cast<std::uint16_t>(~plain_sum(b));
    const bytes now = half(is);
    std::copy(now.begin(), now.end(), b.begin() + 2);
    b = joined({b, half(mended(checksum, was, is))});
    RC_ASSERT(sum_of(view(b)) == 0xffff);
}

// --- what a packet is of --------------------------------------------------------------------------------------------

TEST(parse, ipv4_over_every_link) {
    const bytes packet = ipv4(udp, udp_of({1, 2, 3}));
    const bytes vlans = joined({ethernet(0x88a8), {0, 1, 0x81, 0}, {0, 2, 8, 0}, packet});
    const std::vector<std::pair<bytes, link_type>> all{
        {joined({ethernet(0x0800), packet}), link_type::ethernet},
        {joined({ethernet(0x0800), packet, bytes(15, 0)}), link_type::ethernet}, // a short frame is filled up
        {vlans, link_type::ethernet},
        {joined({{2, 0, 0, 0}, packet}), link_type::loopback},
        {joined({{0, 0, 0, 2}, packet}), link_type::loopback},
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
        EXPECT_EQ(p.bytes, 31U);
        ASSERT_EQ(p.end - p.payload, 3U);
        EXPECT_EQ(frame[p.payload], 1);
    }
}

TEST(parse, tcp_of_both_versions) {
    for (const bytes& packet : {ipv4(tcp, tcp_of({1, 2, 3})), ipv6(tcp, tcp_of({1, 2, 3}, addresses_v6()))}) {
        const parsed p = parse_all(packet);
        EXPECT_EQ(p.fate, fate::counted);
        EXPECT_EQ(p.key.protocol, tcp);
        EXPECT_EQ(p.key.source_port, 5000);
        EXPECT_EQ(p.payload, p.end);
    }
    for (const std::uint8_t family : bytes{10, 24, 28, 30}) { // of IPv6, by system
        EXPECT_EQ(
            parse_all(joined({{family, 0, 0, 0}, ipv6(tcp, tcp_of({}, addresses_v6()))}), link_type::loopback).fate,
            fate::counted);
    }
}

TEST(parse, ipv6_with_headers_in_between) {
    const bytes hop_by_hop{60, 0, 0, 0, 0, 0, 0, 0}; // then options
    const bytes options{44, 0, 0, 0, 0, 0, 0, 0};    // then a fragment
    const bytes whole{udp, 0, 0, 0, 0, 0, 0, 0};
    const bytes first{udp, 0, 0, 1, 0, 0, 0, 0};
    const bytes later{udp, 0, 0x10, 0, 0, 0, 0, 0};
    const bytes inner = udp_of({}, addresses_v6());
    for (const bytes& fragment : {whole, first}) {
        const parsed p = parse_all(ipv6(0, joined({hop_by_hop, options, fragment, inner})));
        EXPECT_EQ(p.fate, fate::counted);
        EXPECT_EQ(p.key.version, 6);
        EXPECT_EQ(p.key.protocol, udp);
        EXPECT_EQ(p.key.target_port, 53);
        EXPECT_EQ(p.key.source[15], 15);
        EXPECT_EQ(p.key.target[0], 16);
        EXPECT_EQ(p.bytes, 72U);
    }
    const parsed p = parse_all(ipv6(44, joined({later, inner})));
    EXPECT_EQ(p.fate, fate::counted);
    EXPECT_EQ(p.key.target_port, 0) << "the ports are in the first fragment alone";
}

// With segments left the checksum is of a target that stands in the header of the route.
TEST(parse, ipv6_with_a_route) {
    bytes inner = udp_of({}, addresses_v6());
    inner[6] ^= 1;
    const bytes gone_through{udp, 0, 0, 0, 0, 0, 0, 0};
    const bytes on_its_way{udp, 0, 0, 1, 0, 0, 0, 0};
    EXPECT_EQ(parse_all(ipv6(43, joined({gone_through, inner}))).fate, fate::wrong_checksum);
    EXPECT_EQ(parse_all(ipv6(43, joined({on_its_way, inner}))).fate, fate::counted);
}

TEST(parse, what_is_no_packet_of_ip_is_other) {
    EXPECT_EQ(parse_all(joined({ethernet(0x0806), bytes(28, 0)}), link_type::ethernet).fate, fate::other); // ARP
    EXPECT_EQ(parse_all(joined({{7, 0, 0, 0}, bytes(28, 0x45)}), link_type::loopback).fate, fate::other);
    EXPECT_EQ(parse_all({0x55, 1, 2, 3}).fate, fate::other);
}

// A checksum of the whole cannot be looked at in a part.
TEST(parse, fragments_of_ipv4) {
    constexpr unsigned more = 0x2000;
    bytes piece = udp_of(bytes(8, 1));
    piece[6] ^= 1;
    parsed p = parse_all(ipv4(udp, piece, more));
    EXPECT_EQ(p.fate, fate::counted);
    EXPECT_EQ(p.key.source_port, 5000);
    EXPECT_EQ(p.payload, p.end);
    p = parse_all(ipv4(udp, piece, 100));
    EXPECT_EQ(p.fate, fate::counted);
    EXPECT_EQ(p.key.source_port, 0);
    EXPECT_EQ(parse_all(ipv4(udp, piece)).fate, fate::wrong_checksum);
}

TEST(parse, other_protocols_have_no_ports) {
    const parsed p = parse_all(ipv4(1, bytes(8, 0xff)));
    EXPECT_EQ(p.fate, fate::counted);
    EXPECT_EQ(p.key.source_port, 0);
    EXPECT_EQ(p.bytes, 28U);
}

// --- what is dropped ------------------------------------------------------------------------------------------------

TEST(parse, what_is_cut) {
    for (const bytes& packet : {ipv4(udp, udp_of({1})), ipv6(tcp, tcp_of({1}, addresses_v6()))}) {
        const auto whole = static_cast<std::uint32_t>(packet.size());
        for (std::uint32_t length = 0; length < whole; ++length) {
            EXPECT_EQ(parse(view(packet).first(length), whole, link_type::raw).fate, fate::cut) << length;
        }
    }
    EXPECT_EQ(parse_all(ethernet(0x0800), link_type::ethernet).fate, fate::cut);
    EXPECT_EQ(parse_all(joined({ethernet(0x8100), {0, 1, 8}}), link_type::ethernet).fate, fate::cut);
    EXPECT_EQ(parse_all(bytes(13, 0), link_type::ethernet).fate, fate::cut);
    EXPECT_EQ(parse_all({2, 0, 0}, link_type::loopback).fate, fate::cut);
    EXPECT_EQ(parse_all(bytes(15, 0), link_type::linux_cooked).fate, fate::cut);
}

TEST(parse, what_has_a_wrong_length) {
    const bytes packet = ipv4(tcp, tcp_of({}));
    EXPECT_EQ(parse_all(bytes(packet.begin(), packet.end() - 1)).fate, fate::wrong_length); // longer than the frame
    bytes changed = packet;
    changed[0] = 0x44; // a header of 16 bytes
    EXPECT_EQ(parse_all(changed).fate, fate::wrong_length);
    changed = packet;
    changed[2] = 0;
    changed[3] = 19; // in all
    EXPECT_EQ(parse_all(changed).fate, fate::wrong_length);
    EXPECT_EQ(parse_all(ipv4(tcp, bytes(19, 0))).fate, fate::wrong_length); // no room for the header
    EXPECT_EQ(parse_all(ipv4(udp, bytes(7, 0))).fate, fate::wrong_length);
    for (const std::uint8_t words : bytes{4, 6}) { // of TCP's header
        changed = tcp_of({});
        changed[12] = static_cast<std::uint8_t>(words << 4);
        EXPECT_EQ(parse_all(ipv4(tcp, changed)).fate, fate::wrong_length);
    }
    for (const std::uint8_t length : bytes{7, 12}) { // of UDP
        changed = udp_of({1, 2, 3});
        changed[5] = length;
        EXPECT_EQ(parse_all(ipv4(udp, changed)).fate, fate::wrong_length);
    }
    const bytes six = ipv6(udp, udp_of({1}, addresses_v6()));
    EXPECT_EQ(parse_all(bytes(six.begin(), six.end() - 1)).fate, fate::wrong_length);
    EXPECT_EQ(parse_all(ipv6(0, {udp, 1, 0, 0, 0, 0, 0, 0})).fate, fate::wrong_length); // 16 bytes of options
}

// Any bit but of the link and of what stands behind the packet.
TEST(parse, what_has_a_wrong_checksum) {
    bytes packet = ipv4(udp, udp_of({1, 2, 3}));
    for (const std::size_t at : {1U, 5U, 8U, 12U, 19U, 20U, 26U, 30U}) {
        packet[at] ^= 0x10;
        EXPECT_EQ(parse_all(packet).fate, fate::wrong_checksum) << at;
        packet[at] ^= 0x10;
    }
    EXPECT_EQ(parse_all(packet).fate, fate::counted);
    packet = ipv6(tcp, tcp_of({1, 2, 3}, addresses_v6()));
    for (const std::size_t at : {8U, 39U, 40U, 62U}) {
        packet[at] ^= 0x10;
        EXPECT_EQ(parse_all(packet).fate, fate::wrong_checksum) << at;
        packet[at] ^= 0x10;
    }
    EXPECT_EQ(parse_all(packet).fate, fate::counted);
}

TEST(parse, udp_without_a_checksum_is_right_in_ipv4_alone) {
    bytes without = udp_of({1});
    without[6] = without[7] = 0;
    EXPECT_EQ(parse_all(ipv4(udp, without)).fate, fate::counted);
    EXPECT_EQ(parse_all(ipv6(udp, without)).fate, fate::wrong_checksum);
}

TEST(parse, what_may_go_no_further) {
    for (const std::uint8_t hops : bytes{0, 1, 2}) {
        const fate expected = hops < 2 ? fate::ttl_spent : fate::counted;
        EXPECT_EQ(parse_all(ipv4(udp, udp_of({1}), 0, hops)).fate, expected);
        EXPECT_EQ(parse_all(ipv6(udp, udp_of({1}, addresses_v6()), hops)).fate, expected);
    }
}

// --- what goes out --------------------------------------------------------------------------------------------------

std::span<std::byte> writable(bytes& b) { return std::as_writable_bytes(std::span(b)); }

TEST(forward, lowers_the_hops_and_changes_nothing_else_in_the_first_pass) {
    for (const bytes& packet : {ipv4(udp, udp_of({1, 2})), ipv6(tcp, tcp_of({1}, addresses_v6()))}) {
        bytes out = packet;
        parsed p = parse_all(out);
        const flow_key key = p.key;
        forward(writable(out), p, 0);
        EXPECT_EQ(p.key, key);
        EXPECT_EQ(parse_all(out).fate, fate::counted);
        const std::size_t hops = p.key.version == 4 ? 8 : 7;
        EXPECT_EQ(out[hops], 63);
        out[hops] = 64;
        if (p.key.version == 4) std::copy(packet.begin() + 10, packet.begin() + 12, out.begin() + 10);
        EXPECT_EQ(out, packet);
    }
}

TEST(forward, adds_the_pass_to_the_low_half_of_sources_of_ipv4) {
    for (const std::uint32_t pass : {1U, 0xffffU, 0x10005U}) {
        for (const bytes& packet : {ipv4(udp, udp_of({1, 2})), ipv4(tcp, tcp_of({1, 2}))}) {
            bytes out = packet;
            parsed p = parse_all(out);
            forward(writable(out), p, pass);
            const parsed again = parse_all(out);
            EXPECT_EQ(again.fate, fate::counted);
            EXPECT_EQ(again.key, p.key);
            const auto low = static_cast<std::uint16_t>(1 + pass);
            EXPECT_EQ(p.key.source[0], 10);
            EXPECT_EQ(p.key.source[2], low >> 8);
            EXPECT_EQ(p.key.source[3], low & 0xff);
        }
    }
    bytes six = ipv6(udp, udp_of({1}, addresses_v6()));
    parsed p = parse_all(six);
    const flow_key key = p.key;
    forward(writable(six), p, 7);
    EXPECT_EQ(p.key, key);
}

TEST(forward, leaves_udp_without_a_checksum_without_one) {
    bytes without = udp_of({1});
    without[6] = without[7] = 0;
    bytes out = ipv4(udp, without);
    parsed p = parse_all(out);
    forward(writable(out), p, 3);
    EXPECT_EQ(out[26], 0);
    EXPECT_EQ(out[27], 0);
}

// A sum that would be 0 is sent as its other form, since 0 means none.
TEST(forward, never_makes_udp_lose_its_checksum) {
    for (std::uint32_t pass = 0; pass < 65536; ++pass) {
        bytes out = ipv4(udp, udp_of({1, 2}));
        parsed p = parse_all(out);
        forward(writable(out), p, pass);
        ASSERT_TRUE(out[26] != 0 || out[27] != 0) << pass;
        ASSERT_EQ(parse_all(out).fate, fate::counted) << pass;
    }
}

TEST(forward, mends_the_checksum_of_a_datagram_in_its_first_fragment) {
    constexpr unsigned more = 0x2000;
    const bytes datagram = udp_of(bytes(16, 7));
    bytes out = ipv4(udp, bytes(datagram.begin(), datagram.begin() + 16), more);
    parsed p = parse_all(out);
    forward(writable(out), p, 9);
    bytes whole(out.begin() + 20, out.end());
    whole.insert(whole.end(), datagram.begin() + 16, datagram.end());
    const bytes addresses{out[12], out[13], out[14], out[15], 10, 0, 0, 2};
    EXPECT_EQ(plain_sum(joined({addresses, half(udp), half(24), whole})), 0xffff);
}

// The address sanitizer sees what is read.
RC_GTEST_PROP(parse, takes_any_bytes, ()) {
    auto b = *rc::gen::arbitrary<bytes>();
    if (!b.empty() && *rc::gen::arbitrary<bool>()) b[0] = *rc::gen::element<std::uint8_t>(0x45, 0x4f, 0x60);
    const auto of =
        *rc::gen::element(link_type::ethernet, link_type::loopback, link_type::raw, link_type::linux_cooked);
    const auto on_wire = *rc::gen::inRange<std::uint32_t>(0, 70'000);
    const parsed p = parse(view(b), on_wire, of);
    RC_ASSERT(static_cast<std::size_t>(p.fate) < fates);
    RC_ASSERT(p.fate != fate::counted || p.bytes <= on_wire);
}

} // namespace
} // namespace skerry::test
