// SPDX-License-Identifier: Apache-2.0
#include "packets/flows.hpp"

#include "support/digest.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <arpa/inet.h>

namespace apps::packets {

namespace {

std::string text_of_end(const flow_key& key, const std::array<std::uint8_t, 16>& address, std::uint16_t port) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    inet_ntop(key.version == 4 ? AF_INET : AF_INET6, address.data(), text.data(), text.size());
    if (key.protocol != protocol_tcp && key.protocol != protocol_udp) return text.data();
    return key.version == 4 ? fmt::format("{}:{}", text.data(), port) : fmt::format("[{}]:{}", text.data(), port);
}

std::string text_of_protocol(std::uint8_t protocol) {
    return protocol == protocol_tcp ? "tcp" : protocol == protocol_udp ? "udp" : fmt::format("protocol {}", protocol);
}

std::string text_of_ends(const flow_key& key) {
    return text_of_end(key, key.source, key.source_port) + " > " + text_of_end(key, key.target, key.target_port);
}

// The lines of a flow; `where` stands in front of what is counted.
void add_lines(std::string& to, const std::string& where, const flow& f, std::uint8_t protocol) {
    fmt::format_to(std::back_inserter(to), "flow  {} {} packets {} bytes {}\n", where, text_of_protocol(protocol),
                   f.packets, f.bytes);
    for (const auto& [number, s] : f.sources) {
        fmt::format_to(std::back_inserter(to), "rtp   {} source {:08x} packets {} lost {} jitter {}\n", where, number,
                       s.packets.received(), s.packets.lost(), s.packets.jitter());
        if (!s.keys.empty()) fmt::format_to(std::back_inserter(to), "keys  {} {}\n", where, s.keys);
        if (!s.tones.empty()) fmt::format_to(std::back_inserter(to), "tones {} {}\n", where, s.tones);
    }
}

std::uint64_t digest_of_text(const std::string& text) { return digest_of(std::span(text.data(), text.size())); }

} // namespace

void flow_source::count(const observation& o) {
    using place = rtp_source::place;
    const place at = packets.count(o.sequence);
    if (at == place::ignored) return;
    if (o.type == type_keys) { // packets of one key have one timestamp, so they say nothing of jitter
        // What comes late is of a key that was counted.
        const bool later = static_cast<std::int32_t>(o.timestamp - last_event) > 0;
        if (o.key_pressed != 0 && (keys.empty() || later || at == place::begun)) {
            keys.push_back(o.key_pressed);
            last_event = o.timestamp;
        }
        return;
    }
    packets.arrives(o.arrival, o.timestamp);
    if (at == place::late) return; // its tone was heard before, or would be heard twice
    if (o.tone != 0 && o.tone != last_tone) tones.push_back(o.tone);
    last_tone = o.tone;
}

void flow::count(const observation& o) {
    ++packets;
    bytes += o.bytes;
    if (o.is_rtp) sources[o.source].count(o);
}

std::vector<std::string> names_of(std::span<const std::string> files) {
    const auto name = [](const std::string& path) { return std::filesystem::path(path).filename().string(); };
    std::vector<std::string> names;
    for (const std::string& path : files) {
        const auto same = [&](const std::string& other) { return other != path && name(other) == name(path); };
        names.push_back(std::ranges::any_of(files, same) ? path : name(path));
    }
    return names;
}

std::string text_of(const flow_tables& tables, std::span<const std::string> files) {
    const std::vector<std::string> names = names_of(files);
    std::vector<const flow_table::value_type*> all;
    for (const flow_table& table : tables) {
        for (const auto& row : table) all.push_back(&row);
    }
    std::ranges::sort(all, [](const auto* a, const auto* b) { return a->first < b->first; });
    std::string text;
    for (const auto* row : all) {
        add_lines(text, names[row->first.file] + " " + text_of_ends(row->first), row->second, row->first.protocol);
    }
    return text;
}

pass_result result_of(const flow_tables& tables, const std::string& text) {
    pass_result result{.digest = digest_of_text(text)};
    for (const flow_table& table : tables) {
        for (const auto& [key, f] : table) {
            ++result.flows;
            result.packets += f.packets;
            std::string lines;
            add_lines(lines, std::to_string(key.file), f, key.protocol);
            result.alike += scatter(digest_of_text(lines));
        }
    }
    return result;
}

} // namespace apps::packets
