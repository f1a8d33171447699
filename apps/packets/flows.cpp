// SPDX-License-Identifier: Apache-2.0
#include "packets/flows.hpp"

#include "support/random.hpp"

namespace apps::packets {

void move_to_pass(flow_key& key, std::uint32_t pass) {
    if (key.version == 4) {
        const std::uint32_t half = (std::uint32_t{key.source[2]} << 8 | key.source[3]) + pass;
        key.source[2] = static_cast<std::uint8_t>(half >> 8);
        key.source[3] = static_cast<std::uint8_t>(half);
    }
}

std::uint64_t digest_of(const counts& c) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < fates; ++i) sum += scatter(c.packets[i] + (std::uint64_t{i} << 56));
    for (const flow_table& table : c.flows) {
        for (const auto& [key, f] : table) sum += scatter(scatter(key.hash() ^ f.packets) ^ f.bytes);
    }
    return sum;
}

} // namespace apps::packets
