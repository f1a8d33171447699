// SPDX-License-Identifier: Apache-2.0

#include "packets/flows.hpp"
#include "packets/packet.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "frames.hpp"

namespace skerry::test {
namespace {

using namespace apps::packets;

// What the packets of one flow make of it, each 20 ms behind the one before. They are payloads of UDP.
flow of(const std::vector<bytes>& payloads) {
    flow f;
    std::uint64_t at_ns = 1'700'000'000'000'000'000;
    for (const bytes& payload : payloads) {
        bytes frame = ipv4(udp, udp_of(payload));
        const auto size = static_cast<std::uint32_t>(frame.size());
        const handled h = handle(std::as_writable_bytes(std::span(frame)), {at_ns, size, size, 0, 0, link_type::raw});
        EXPECT_EQ(h.fate, fate::counted);
        f.count(h.seen);
        at_ns += 20'000'000;
    }
    return f;
}

bytes pressed(std::uint8_t event, std::uint16_t sequence, std::uint32_t timestamp, std::uint32_t source = 7) {
    return rtp(type_keys, sequence, timestamp, {event, 10, 0, 160}, source);
}

TEST(flows, files_of_one_name_are_told_apart) {
    const std::vector<std::string> files = {"a/call.pcap", "b/call.pcap", "b/keys.pcap"};
    EXPECT_EQ(names_of(files), (std::vector<std::string>{"a/call.pcap", "b/call.pcap", "keys.pcap"}));
    EXPECT_EQ(names_of(std::vector<std::string>(2, "a/call.pcap")), (std::vector<std::string>(2, "call.pcap")));
}

TEST(flows, packets_and_bytes) {
    const flow f = of({{1}, {1, 2}, rtp(0, 1, 2, bytes(160, 0xff))});
    EXPECT_EQ(f.packets, 3U);
    EXPECT_EQ(f.bytes, 3 * 28U + 1 + 2 + 172);
    EXPECT_EQ(f.sources.size(), 1U);
}

TEST(flows, a_key_is_one_whatever_its_packets) {
    const flow f = of({pressed(5, 1, 1000), pressed(5, 2, 1000), pressed(5, 3, 1000), pressed(5, 3, 1000)});
    EXPECT_EQ(f.sources.at(7).keys, "5");
    EXPECT_EQ(f.sources.at(7).packets.lost(), -1);
}

TEST(flows, the_same_key_again_has_another_timestamp) {
    EXPECT_EQ(
        of({pressed(5, 1, 1000), pressed(5, 2, 3000), pressed(11, 3, 5000), pressed(10, 4, 7000)}).sources.at(7).keys,
        "55#*");
    EXPECT_EQ(of({pressed(1, 1, 0xffffff00), pressed(2, 2, 0x100)}).sources.at(7).keys, "12"); // it goes round
}

TEST(flows, a_late_packet_of_a_key_is_no_key) {
    EXPECT_EQ(of({pressed(5, 1, 1000), pressed(6, 3, 3000), pressed(5, 2, 1000)}).sources.at(7).keys, "56");
}

TEST(flows, events_that_are_no_keys_are_left_out) {
    EXPECT_EQ(of({pressed(16, 1, 1000), pressed(3, 2, 2000)}).sources.at(7).keys, "3");
}

TEST(flows, sources_are_apart) {
    const flow f = of({pressed(1, 100, 1000, 7), pressed(2, 60000, 9, 8), pressed(3, 101, 2000, 7)});
    EXPECT_EQ(f.sources.at(7).keys, "13");
    EXPECT_EQ(f.sources.at(8).keys, "2");
    EXPECT_EQ(f.sources.at(7).packets.lost(), 0);
}

TEST(flows, keys_say_nothing_of_jitter) {
    EXPECT_EQ(of({pressed(5, 1, 1000), pressed(5, 2, 1000), pressed(5, 3, 1000)}).sources.at(7).packets.jitter(), 0U);
    const bytes silence(160, 0xff);
    EXPECT_EQ(of({rtp(0, 1, 0, silence), rtp(0, 2, 160, silence)}).sources.at(0x1234).packets.jitter(), 0U);
    EXPECT_EQ(of({rtp(0, 1, 0, silence), rtp(0, 2, 0, silence)}).sources.at(0x1234).packets.jitter(), 10U); // 160 / 16
}

TEST(flows, a_tone_that_lasts_is_one) {
    flow_source s;
    std::uint16_t sequence = 0;
    for (const char tone : {'1', '1', '\0', '1', '2', '2', '\0'})
        s.count({.is_rtp = true, .sequence = ++sequence, .tone = tone});
    EXPECT_EQ(s.tones, "112");
}

TEST(flows, a_late_packet_has_no_tone_of_its_own) {
    flow_source s;
    s.count({.is_rtp = true, .sequence = 1, .tone = '1'});
    s.count({.is_rtp = true, .sequence = 3, .tone = '2'});
    s.count({.is_rtp = true, .sequence = 2, .tone = '1'});
    s.count({.is_rtp = true, .sequence = 3, .tone = '2'});
    EXPECT_EQ(s.tones, "12");
    EXPECT_EQ(s.packets.received(), 4U);
}

TEST(flows, a_packet_far_from_all_others_counts_for_nothing) {
    const bytes silence(160, 0xff);
    const flow f = of(
        {rtp(0, 1, 0, silence), rtp(0, 2, 160, silence), rtp(0, 40000, 77'000'000, silence), rtp(0, 3, 480, silence)});
    EXPECT_EQ(f.sources.at(0x1234).packets.jitter(), 0U);
    EXPECT_EQ(f.sources.at(0x1234).packets.received(), 3U);
    EXPECT_EQ(of({pressed(5, 1, 1000), pressed(6, 40000, 900'000), pressed(7, 2, 2000)}).sources.at(7).keys, "57");
}

TEST(flows, numbers_that_begin_anew_have_their_own_timestamps) {
    const bytes silence(160, 0xff);
    const flow f = of({rtp(0, 1, 77'000'000, silence), rtp(0, 30000, 0, silence), rtp(0, 30001, 160, silence),
                       rtp(0, 30002, 320, silence)});
    EXPECT_EQ(f.sources.at(0x1234).packets.jitter(), 0U);
    EXPECT_EQ(of({pressed(5, 1, 9000), pressed(6, 30000, 100), pressed(6, 30001, 100)}).sources.at(7).keys, "56");
}

TEST(flows, table_in_the_order_of_files_and_addresses) {
    flow_tables tables;
    const auto put = [&](std::uint32_t file, std::uint8_t version, std::uint8_t protocol, std::uint8_t last) {
        flow_key key{.file = file, .protocol = protocol, .version = version};
        key.source[version == 4 ? 3 : 15] = last;
        if (protocol == udp) key.source_port = 5000;
        tables[share_of(key)][key].count({.key = key, .bytes = 30});
        return key;
    };
    put(1, 4, udp, 1);
    put(0, 6, udp, 2);
    put(0, 4, 1, 9);
    const flow_key call = put(0, 4, udp, 2);
    flow_source& s = tables[share_of(call)][call].sources[0xabc];
    s.packets.count(1);
    s.packets.count(4);
    s.keys = "12";
    s.tones = "3";
    const std::array<std::string, 2> files{"/some/a.pcap", "b.pcap"};
    const std::string text = text_of(tables, files);
    EXPECT_EQ(text, "flow  a.pcap [::2]:5000 > [::]:0 udp packets 1 bytes 30\n"
                    "flow  a.pcap 0.0.0.2:5000 > 0.0.0.0:0 udp packets 1 bytes 30\n"
                    "rtp   a.pcap 0.0.0.2:5000 > 0.0.0.0:0 source 00000abc packets 2 lost 2 jitter 0\n"
                    "keys  a.pcap 0.0.0.2:5000 > 0.0.0.0:0 12\n"
                    "tones a.pcap 0.0.0.2:5000 > 0.0.0.0:0 3\n"
                    "flow  a.pcap 0.0.0.9 > 0.0.0.0 protocol 1 packets 1 bytes 30\n"
                    "flow  b.pcap 0.0.0.1:5000 > 0.0.0.0:0 udp packets 1 bytes 30\n");
    const pass_result result = result_of(tables, text);
    EXPECT_EQ(result.flows, 4U);
    EXPECT_EQ(result.packets, 4U);
    ++tables[share_of(call)][call].bytes;
    const pass_result other = result_of(tables, text_of(tables, files));
    EXPECT_NE(other.digest, result.digest);
    EXPECT_NE(other.alike, result.alike);
}

// --- one packet -----------------------------------------------------------------------------------------------------

handled handled_frame(bytes frame, link_type of = link_type::raw, std::uint64_t at_ns = 1) {
    const auto size = static_cast<std::uint32_t>(frame.size());
    return handle(std::as_writable_bytes(std::span(frame)), {at_ns, size, size, 3, 0, of});
}

TEST(packet, what_is_seen_of_it) {
    const handled h = handled_frame(ipv4(udp, udp_of(pressed(4, 9, 1000))));
    EXPECT_EQ(h.seen.key.file, 3U);
    EXPECT_EQ(h.seen.key.source_port, 5000);
    EXPECT_TRUE(h.seen.is_rtp);
    EXPECT_EQ(h.seen.key_pressed, '4');
    EXPECT_EQ(h.seen.sequence, 9);
    EXPECT_FALSE(handled_frame(ipv4(udp, udp_of({1, 2, 3}))).seen.is_rtp);
    EXPECT_FALSE(handled_frame(ipv4(tcp, tcp_of(pressed(4, 9, 1000)))).seen.is_rtp) << "RTP is UDP";
}

TEST(packet, no_packet_of_ip_goes_out_as_it_is) {
    bytes frame = joined({ethernet(0x0806), bytes(28, 5)});
    const bytes before = frame;
    const auto size = static_cast<std::uint32_t>(frame.size());
    const handled h = handle(std::as_writable_bytes(std::span(frame)), {1, size, size, 0, 5, link_type::ethernet});
    EXPECT_EQ(h.fate, fate::other);
    EXPECT_EQ(frame, before);
}

TEST(packet, its_digest_is_of_all_that_goes_out) {
    const bytes frame = joined({ethernet(0x0806), bytes(31, 5)});
    const std::uint64_t digest = handled_frame(frame, link_type::ethernet).digest;
    EXPECT_EQ(handled_frame(frame, link_type::ethernet).digest, digest);
    EXPECT_NE(handled_frame(frame, link_type::ethernet, 2).digest, digest);
    for (std::size_t at = 14; at < frame.size(); ++at) {
        bytes other = frame;
        other[at] ^= 1;
        EXPECT_NE(handled_frame(other, link_type::ethernet).digest, digest) << at;
    }
}

} // namespace
} // namespace skerry::test
