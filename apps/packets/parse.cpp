// SPDX-License-Identifier: Apache-2.0
#include "packets/parse.hpp"

#include <algorithm>

namespace apps::packets {

namespace {

constexpr std::uint16_t ethernet_ipv4 = 0x0800;
constexpr std::uint16_t ethernet_ipv6 = 0x86dd;
constexpr std::uint16_t ethernet_vlan = 0x8100;
constexpr std::uint16_t ethernet_service_vlan = 0x88a8;
constexpr std::uint8_t protocol_hop_by_hop = 0;
constexpr std::uint8_t protocol_tcp = 6;
constexpr std::uint8_t protocol_udp = 17;
constexpr std::uint8_t protocol_routing = 43;
constexpr std::uint8_t protocol_fragment = 44;
constexpr std::uint8_t protocol_options = 60;

/// The rest of a packet. Who reads beyond the end gets zeros, and `cut` is true.
class reader {
  public:
    explicit reader(std::span<const std::byte> data) : data_(data) {}

    std::uint8_t byte(std::size_t at) {
        cut_ = cut_ || at >= data_.size();
        return at < data_.size() ? static_cast<std::uint8_t>(data_[at]) : std::uint8_t{0};
    }
    std::uint16_t half(std::size_t at) { return static_cast<std::uint16_t>(byte(at) << 8 | byte(at + 1)); }
    template <std::size_t N>
    void bytes(std::size_t at, std::array<std::uint8_t, 16>& to) {
        for (std::size_t i = 0; i < N; ++i) to[i] = byte(at + i);
    }
    void skip(std::size_t n) {
        cut_ = cut_ || n > data_.size();
        data_ = data_.subspan(std::min(n, data_.size()));
        skipped_ += n;
    }
    bool cut() const { return cut_; }
    std::size_t skipped() const { return skipped_; }

  private:
    std::span<const std::byte> data_;
    std::size_t skipped_ = 0;
    bool cut_ = false;
};

/// The sum of the IPv4 header's halves, which is all ones if its checksum is right.
bool sums_up(reader& r, std::size_t bytes) {
    std::uint32_t sum = 0;
    for (std::size_t at = 0; at < bytes; at += 2) sum += r.half(at);
    while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
    return sum == 0xffff;
}

void read_ports(reader& r, parsed& p) {
    if (p.key.protocol == protocol_tcp || p.key.protocol == protocol_udp) {
        p.key.source_port = r.half(0);
        p.key.target_port = r.half(2);
    }
}

parsed ipv4(reader r, std::uint32_t on_wire) {
    parsed p;
    p.key.version = 4;
    const std::size_t header = static_cast<std::size_t>(r.byte(0) & 0xf) * 4;
    const std::uint16_t length = r.half(2);
    const std::uint16_t fragment = r.half(6);
    p.key.protocol = r.byte(9);
    r.bytes<4>(12, p.key.source);
    r.bytes<4>(16, p.key.target);
    p.bytes = length;
    if (r.cut()) {
        p.fate = fate::cut;
    } else if (header < 20 || length < header || length > on_wire) {
        p.fate = fate::wrong_length;
    } else if (!sums_up(r, header)) {
        p.fate = r.cut() ? fate::cut : fate::wrong_checksum;
    } else {
        r.skip(header);
        if ((fragment & 0x1fff) == 0) read_ports(r, p); // else they are in the first one
        p.fate = r.cut() ? fate::cut : fate::counted;
    }
    return p;
}

parsed ipv6(reader r, std::uint32_t on_wire) {
    parsed p;
    p.key.version = 6;
    const std::uint32_t length = 40U + r.half(4);
    std::uint8_t next = r.byte(6);
    r.bytes<16>(8, p.key.source);
    r.bytes<16>(24, p.key.target);
    p.bytes = length;
    if (!r.cut() && length > on_wire) {
        p.fate = fate::wrong_length;
        return p;
    }
    r.skip(40);
    bool first = true;
    while (!r.cut() && (next == protocol_hop_by_hop || next == protocol_routing || next == protocol_options ||
                        next == protocol_fragment)) {
        const bool fragment = next == protocol_fragment;
        first = first && (!fragment || (r.half(2) & 0xfff8) == 0);
        const std::size_t bytes = fragment ? 8 : 8 * (std::size_t{r.byte(1)} + 1);
        next = r.byte(0);
        r.skip(bytes);
    }
    p.key.protocol = next;
    if (first) read_ports(r, p);
    p.fate = r.cut() ? fate::cut : fate::counted;
    return p;
}

parsed ip(reader r, std::uint32_t on_wire) {
    const std::uint8_t version = r.byte(0) >> 4;
    if (r.cut()) return {fate::cut, {}, 0};
    const std::uint32_t left = on_wire - std::min(on_wire, static_cast<std::uint32_t>(r.skipped()));
    return version == 4 ? ipv4(r, left) : version == 6 ? ipv6(r, left) : parsed{};
}

parsed of_type(std::uint16_t type, reader r, std::uint32_t on_wire) {
    while (type == ethernet_vlan || type == ethernet_service_vlan) {
        type = r.half(2);
        r.skip(4);
    }
    if (r.cut()) return {fate::cut, {}, 0};
    return type == ethernet_ipv4 || type == ethernet_ipv6 ? ip(r, on_wire) : parsed{};
}

} // namespace

std::uint64_t flow_key::hash() const {
    std::uint64_t h =
        std::uint64_t{source_port} << 32 | std::uint64_t{target_port} << 16 | std::uint64_t{protocol} << 8 | version;
    const auto mix = [&h](std::uint8_t byte) {
        h = (h ^ byte) * 0x9e3779b97f4a7c15U;
        h ^= h >> 29;
    };
    std::ranges::for_each(source, mix);
    std::ranges::for_each(target, mix);
    return h;
}

parsed parse(std::span<const std::byte> data, std::uint32_t on_wire, link_type of) {
    reader r(data);
    switch (of) {
    case link_type::ethernet: {
        const std::uint16_t type = r.half(12);
        r.skip(14);
        return of_type(type, r, on_wire);
    }
    case link_type::linux_cooked: {
        const std::uint16_t type = r.half(14);
        r.skip(16);
        return of_type(type, r, on_wire);
    }
    case link_type::loopback:
        r.skip(4);
        break; // the family, in an order of bytes that nobody tells; the packet has its version
    case link_type::raw: break;
    }
    return ip(r, on_wire);
}

} // namespace apps::packets
