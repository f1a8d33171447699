// SPDX-License-Identifier: Apache-2.0
#pragma once

// What has been counted.

#include "packets/parse.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace apps::packets {

/// Flows are counted by so many, each of which has those whose hash leads to it.
inline constexpr std::size_t shares = 64;
inline std::size_t share_of(const flow_key& key) { return key.hash() % shares; }

struct flow {
    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;

    bool operator==(const flow&) const = default;
};

struct hash_of_key {
    std::size_t operator()(const flow_key& key) const { return key.hash() / shares; }
};
using flow_table = std::unordered_map<flow_key, flow, hash_of_key>;

struct counts {
    std::array<flow_table, shares> flows;
    std::array<std::uint64_t, fates> packets{}; ///< by fate
};

/// The addresses of a pass over the same captures are its own: it is added to the low half of those of IPv4 that send.
void move_to_pass(flow_key& key, std::uint32_t pass);

inline void count(flow_table& table, const flow_key& key, std::uint32_t bytes) {
    flow& f = table[key];
    ++f.packets;
    f.bytes += bytes;
}

/// Equal for equal counts, in whatever order they were made.
std::uint64_t digest_of(const counts& c);

} // namespace apps::packets
