// SPDX-License-Identifier: Apache-2.0
#pragma once

// Frames, byte by byte, and files of them.

#include "packets/parse.hpp"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skerry::test {

using bytes = std::vector<std::uint8_t>;

inline bytes joined(std::initializer_list<bytes> parts) {
    bytes all;
    for (const bytes& p : parts) all.insert(all.end(), p.begin(), p.end());
    return all;
}

inline bytes half(unsigned value) { return {static_cast<std::uint8_t>(value >> 8), static_cast<std::uint8_t>(value)}; }
inline bytes word(std::uint32_t value) { return joined({half(value >> 16), half(value & 0xffff)}); }

/// Half by half, as RFC 1071 says it.
inline std::uint16_t plain_sum(const bytes& b) {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < b.size(); ++i) sum += i % 2 == 0 ? b[i] * 256U : b[i];
    while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<std::uint16_t>(sum);
}

inline void put_checksum(bytes& b, std::size_t at, std::uint16_t sum) {
    const bytes is = half(~std::uint32_t{sum} & 0xffff);
    std::copy(is.begin(), is.end(), b.begin() + static_cast<std::ptrdiff_t>(at));
}

constexpr std::uint8_t tcp = apps::packets::protocol_tcp;
constexpr std::uint8_t udp = apps::packets::protocol_udp;

inline bytes ethernet(std::uint16_t type) { return joined({bytes(12, 0xee), half(type)}); }

inline const bytes& source_v4() {
    static const bytes address{10, 0, 0, 1};
    return address;
}
inline const bytes& target_v4() {
    static const bytes address{10, 0, 0, 2};
    return address;
}

/// A header with a right checksum, in front of the payload.
inline bytes ipv4(std::uint8_t protocol, const bytes& payload, unsigned fragment = 0, std::uint8_t hops = 64) {
    bytes header = joined({{0x45, 0},
                           half(static_cast<unsigned>(20 + payload.size())),
                           half(1),
                           half(fragment),
                           {hops, protocol, 0, 0},
                           source_v4(),
                           target_v4()});
    put_checksum(header, 10, plain_sum(header));
    return joined({header, payload});
}

inline bytes addresses_v6() {
    bytes b;
    for (std::uint8_t i = 0; i < 32; ++i) b.push_back(i);
    return b;
}
inline bytes ipv6(std::uint8_t next, const bytes& payload, std::uint8_t hops = 64) {
    return joined(
        {{0x60, 0, 0, 0}, half(static_cast<unsigned>(payload.size())), {next, hops}, addresses_v6(), payload});
}

/// With a right checksum: `addresses` are those of the packet of IP. From port 5000 to 53.
inline bytes udp_of(const bytes& payload, const bytes& addresses = joined({source_v4(), target_v4()})) {
    const auto length = static_cast<unsigned>(8 + payload.size());
    bytes b = joined({half(5000), half(53), half(length), half(0), payload});
    put_checksum(b, 6, plain_sum(joined({addresses, half(udp), half(length), b})));
    return b;
}
inline bytes tcp_of(const bytes& payload, const bytes& addresses = joined({source_v4(), target_v4()})) {
    bytes b = joined({half(5000), half(53), word(1), word(2), half(0x5010), half(1000), half(0), half(0), payload});
    const auto length = static_cast<unsigned>(b.size());
    put_checksum(b, 16, plain_sum(joined({addresses, half(tcp), half(length), b})));
    return b;
}

inline bytes rtp(unsigned type, std::uint16_t sequence, std::uint32_t timestamp, const bytes& payload,
                 std::uint32_t source = 0x1234) {
    return joined({half(0x8000 | type), half(sequence), word(timestamp), word(source), payload});
}

inline std::span<const std::byte> view(const bytes& b) { return std::as_bytes(std::span(b)); }

/// A folder of files that goes with the test.
class files_in_a_folder : public testing::Test {
  public:
    files_in_a_folder() {
        std::string name = std::filesystem::temp_directory_path() / "skerry.XXXXXX";
        folder_ = mkdtemp(name.data());
    }
    ~files_in_a_folder() override { std::filesystem::remove_all(folder_); }

  protected:
    struct captured {
        bytes data;
        std::uint32_t microseconds = 0;
        std::uint32_t more_on_wire = 0;
    };
    static constexpr std::uint32_t magic = 0xa1b2c3d4;
    static constexpr std::uint32_t magic_of_nanoseconds = 0xa1b23c4d;

    // A file of pcap.
    std::string file(const std::string& name, std::uint32_t link, const std::vector<captured>& packets,
                     std::uint32_t begin = magic) {
        const std::string path = folder_ / name;
        std::ofstream out(path, std::ios::binary);
        const auto put = [&out](std::uint32_t x) { out.write(reinterpret_cast<const char*>(&x), sizeof x); };
        for (const std::uint32_t x : {begin, 4U << 16 | 2U, 0U, 0U, 262144U, link}) put(x);
        for (const captured& p : packets) {
            const auto size = static_cast<std::uint32_t>(p.data.size());
            for (const std::uint32_t x : {1U, p.microseconds, size, size + p.more_on_wire}) put(x);
            out.write(reinterpret_cast<const char*>(p.data.data()), static_cast<std::streamsize>(size));
        }
        return path;
    }

    std::filesystem::path folder_;
};

} // namespace skerry::test
