// SPDX-License-Identifier: Apache-2.0
#include "packets/parse.hpp"

#include "packets/checksum.hpp"

#include <algorithm>
#include <bit>

namespace apps::packets {

namespace {

constexpr std::uint16_t ethernet_ipv4 = 0x0800;
constexpr std::uint16_t ethernet_ipv6 = 0x86dd;
constexpr std::uint16_t ethernet_vlan = 0x8100;
constexpr std::uint16_t ethernet_service_vlan = 0x88a8;
constexpr std::uint8_t header_hop_by_hop = 0;
constexpr std::uint8_t header_routing = 43;
constexpr std::uint8_t header_fragment = 44;
constexpr std::uint8_t header_options = 60;
constexpr std::size_t ipv6_header = 40;
constexpr std::size_t tcp_checksum = 16; // in the header
constexpr std::size_t udp_checksum = 6;

std::uint16_t half_at(std::span<const std::byte> bytes, std::size_t at) {
    return static_cast<std::uint16_t>(std::to_integer<unsigned>(bytes[at]) << 8 |
                                      std::to_integer<unsigned>(bytes[at + 1]));
}

void put_half(std::span<std::byte> bytes, std::size_t at, std::uint16_t half) {
    bytes[at] = static_cast<std::byte>(half >> 8);
    bytes[at + 1] = static_cast<std::byte>(half & 0xff);
}

/// What is left of a frame. Who reads beyond the end gets zeros, and `cut` is true.
class frame_rest {
  public:
    frame_rest(std::span<const std::byte> data, std::uint32_t on_wire) : data_(data), on_wire_(on_wire) {}

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
    /// Nothing is there from so many bytes on. Precondition: there are as many.
    void end_at(std::size_t n) { data_ = data_.first(n); }

    std::span<const std::byte> data() const { return data_; }
    bool cut() const { return cut_; }
    std::uint32_t skipped() const { return static_cast<std::uint32_t>(skipped_); }
    std::uint32_t left_on_wire() const { return on_wire_ - std::min(on_wire_, skipped()); }

  private:
    std::span<const std::byte> data_;
    std::uint32_t on_wire_;
    std::size_t skipped_ = 0;
    bool cut_ = false;
};

/// What TCP and UDP count in with their own checksums.
std::uint64_t sum_of_addresses(const flow_key& key) {
    const std::size_t bytes = key.version == 4 ? 4 : 16;
    return std::uint64_t{sum_of(std::as_bytes(std::span(key.source)).first(bytes))} +
           sum_of(std::as_bytes(std::span(key.target)).first(bytes)) + key.protocol;
}

/// How much of a packet's TCP or UDP is there.
enum class part : std::uint8_t { whole, first_fragment, none };

/// `r` is what the header of IP says is its payload. `checked`: the addresses are those of the checksum.
fate transport(frame_rest r, part of, bool checked, parsed& p) {
    const bool tcp = p.key.protocol == protocol_tcp;
    if (of == part::none || (!tcp && p.key.protocol != protocol_udp)) return fate::counted;
    const std::size_t least = tcp ? 20 : 8;
    if (r.data().size() < least) return fate::wrong_length;
    p.transport = r.skipped();
    p.key.source_port = r.half(0);
    p.key.target_port = r.half(2);
    if (of == part::first_fragment) return fate::counted;
    std::size_t length = r.data().size();
    if (tcp) {
        const std::size_t header = static_cast<std::size_t>(r.byte(12) >> 4) * 4;
        if (header < least || header > length) return fate::wrong_length;
    } else {
        const std::size_t said = r.half(4);
        if (said < least || said > length) return fate::wrong_length;
        length = said;
        p.payload = p.transport + static_cast<std::uint32_t>(least);
        p.end = p.transport + static_cast<std::uint32_t>(length);
    }
    if (!tcp && r.half(udp_checksum) == 0) // none, which IPv6 does not allow
        return p.key.version == 4 ? fate::counted : fate::wrong_checksum;
    const std::uint64_t sum = sum_of_addresses(p.key) + length + sum_of(r.data().first(length));
    return !checked || folded(sum) == 0xffff ? fate::counted : fate::wrong_checksum;
}

/// Of a packet of so many bytes.
fate of_length(const frame_rest& r, std::uint32_t length) {
    if (length > r.left_on_wire()) return fate::wrong_length;
    return length > r.data().size() ? fate::cut : fate::counted;
}

parsed ipv4(frame_rest r) {
    parsed p;
    p.network = r.skipped();
    p.key.version = 4;
    const std::size_t header = static_cast<std::size_t>(r.byte(0) & 0xf) * 4;
    const std::uint16_t length = r.half(2);
    const std::uint16_t fragment = r.half(6);
    const std::uint8_t hops = r.byte(8);
    p.key.protocol = r.byte(9);
    r.bytes<4>(12, p.key.source);
    r.bytes<4>(16, p.key.target);
    p.bytes = length;
    p.fate = r.cut() ? fate::cut : header < 20 || length < header ? fate::wrong_length : of_length(r, length);
    if (p.fate != fate::counted) return p;
    if (sum_of(r.data().first(header)) != 0xffff) {
        p.fate = fate::wrong_checksum;
        return p;
    }
    r.end_at(length);
    r.skip(header);
    constexpr unsigned more = 0x2000;
    constexpr unsigned place = 0x1fff;
    const part of = (fragment & place) != 0 ? part::none : (fragment & more) != 0 ? part::first_fragment : part::whole;
    p.fate = transport(r, of, true, p);
    if (p.fate == fate::counted && hops <= 1) p.fate = fate::ttl_spent;
    return p;
}

parsed ipv6(frame_rest r) {
    parsed p;
    p.network = r.skipped();
    p.key.version = 6;
    const std::uint32_t length = static_cast<std::uint32_t>(ipv6_header) + r.half(4);
    std::uint8_t next = r.byte(6);
    const std::uint8_t hops = r.byte(7);
    r.bytes<16>(8, p.key.source);
    r.bytes<16>(24, p.key.target);
    p.bytes = length;
    p.fate = r.cut() ? fate::cut : of_length(r, length);
    if (p.fate != fate::counted) return p;
    r.end_at(length);
    r.skip(ipv6_header);
    part of = part::whole;
    bool routed = false; // the checksum is of the last target, which stands elsewhere
    while (!r.cut() &&
           (next == header_hop_by_hop || next == header_routing || next == header_options || next == header_fragment)) {
        std::size_t bytes = 8;
        if (next == header_fragment) {
            const std::uint16_t fragment = r.half(2);
            if ((fragment & 0xfff8) != 0) of = part::none;
            if ((fragment & 0xfff9) == 1 && of == part::whole) of = part::first_fragment;
        } else {
            bytes = 8 * (std::size_t{r.byte(1)} + 1);
            routed = routed || (next == header_routing && r.byte(3) != 0);
        }
        next = r.byte(0);
        r.skip(bytes);
        if (of == part::none) break; // what follows is a piece of something
    }
    p.key.protocol = next;
    p.fate = r.cut() ? fate::wrong_length : transport(r, of, !routed, p);
    if (p.fate == fate::counted && hops <= 1) p.fate = fate::ttl_spent;
    return p;
}

parsed ip(frame_rest r) {
    const std::uint8_t version = r.byte(0) >> 4;
    if (r.cut()) return {.fate = fate::cut};
    return version == 4 ? ipv4(r) : version == 6 ? ipv6(r) : parsed{};
}

parsed of_type(std::uint16_t type, frame_rest r) {
    while (type == ethernet_vlan || type == ethernet_service_vlan) {
        type = r.half(2);
        r.skip(4);
    }
    if (r.cut()) return {.fate = fate::cut};
    return type == ethernet_ipv4 || type == ethernet_ipv6 ? ip(r) : parsed{};
}

/// The family of the packet, in the order of bytes of the machine that captured it. That of IPv6 differs by system.
bool is_ip(std::uint32_t family) {
    const std::uint32_t f = family > 0xffff ? __builtin_bswap32(family) : family;
    return f == 2 || f == 10 || f == 24 || f == 28 || f == 30;
}

} // namespace

std::uint64_t flow_key::hash() const {
    std::uint64_t h =
        std::uint64_t{source_port} << 32 | std::uint64_t{target_port} << 16 | std::uint64_t{protocol} << 8 | version;
    const auto mix = [&h](std::uint64_t more) {
        h = (h ^ more) * 0x9e3779b97f4a7c15U;
        h ^= h >> 29;
    };
    using words = std::array<std::uint64_t, 2>;
    mix(file);
    std::ranges::for_each(std::bit_cast<words>(source), mix);
    std::ranges::for_each(std::bit_cast<words>(target), mix);
    return h;
}

parsed parse(std::span<const std::byte> data, std::uint32_t on_wire, link_type of) {
    frame_rest r(data, on_wire);
    switch (of) {
    case link_type::ethernet: {
        const std::uint16_t type = r.half(12);
        r.skip(14);
        return of_type(type, r);
    }
    case link_type::linux_cooked: {
        const std::uint16_t type = r.half(14);
        r.skip(16);
        return of_type(type, r);
    }
    case link_type::loopback: {
        const std::uint32_t family = static_cast<std::uint32_t>(r.half(0)) << 16 | r.half(2);
        r.skip(4);
        if (!r.cut() && !is_ip(family)) return {};
        break;
    }
    case link_type::raw: break;
    }
    return ip(r);
}

void forward(std::span<std::byte> frame, parsed& p, std::uint32_t pass) {
    const std::span<std::byte> network = frame.subspan(p.network);
    if (p.key.version == 6) {
        network[7] = static_cast<std::byte>(std::to_integer<unsigned>(network[7]) - 1);
        return;
    }
    constexpr std::size_t checksum = 10;
    constexpr std::size_t hops = 8; // and the protocol behind it
    constexpr std::size_t low_source = 14;
    const auto change = [&network](std::size_t at, std::uint16_t is) {
        put_half(network, checksum, mended(half_at(network, checksum), half_at(network, at), is));
        put_half(network, at, is);
    };
    change(hops, static_cast<std::uint16_t>(half_at(network, hops) - 0x100));
    const std::uint16_t was = half_at(network, low_source);
    const auto is = static_cast<std::uint16_t>(was + pass);
    change(low_source, is);
    p.key.source[2] = static_cast<std::uint8_t>(is >> 8);
    p.key.source[3] = static_cast<std::uint8_t>(is);
    if (p.transport == 0 || is == was) return;
    const std::span<std::byte> transport = frame.subspan(p.transport);
    const bool tcp = p.key.protocol == protocol_tcp;
    const std::size_t at = tcp ? tcp_checksum : udp_checksum;
    const std::uint16_t before = half_at(transport, at);
    if (!tcp && before == 0) return; // it has none
    const std::uint16_t sum = mended(before, was, is);
    put_half(transport, at, !tcp && sum == 0 ? std::uint16_t{0xffff} : sum);
}

} // namespace apps::packets
