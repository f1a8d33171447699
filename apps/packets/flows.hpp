// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is known of each flow of one pass, and the table of it.

#include "packets/parse.hpp"
#include "packets/rtp.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>

namespace apps::packets {

/// What one packet says of its flow.
struct observation {
    flow_key key{};
    std::uint32_t bytes = 0;
    bool is_rtp = false; ///< only then the rest
    std::uint8_t type = 0;
    std::uint16_t sequence = 0;
    std::uint32_t timestamp = 0;
    std::uint32_t source = 0;
    std::uint32_t arrival = 0; ///< in ticks of rtp_rate
    char key_pressed = 0;      ///< 0: none
    char tone = 0;             ///< heard in the samples; 0: none
};

/// One that sends in a flow of RTP.
struct flow_source {
    rtp_source packets{};
    std::string keys{};           ///< pressed, by events
    std::string tones{};          ///< heard; one that lasts is one
    std::uint32_t last_event = 0; ///< the timestamp of the last key
    char last_tone = 0;

    void count(const observation& o);
};

struct flow {
    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;
    std::map<std::uint32_t, flow_source> sources{}; ///< by their numbers

    void count(const observation& o);
};

/// Flows are counted by so many, each of which has those whose hash leads to it. A flow's packets have to come in their
/// order.
inline constexpr std::size_t shares = 64;
inline std::size_t share_of(const flow_key& key) { return key.hash() % shares; }

struct hash_of_key {
    std::size_t operator()(const flow_key& key) const { return key.hash() / shares; }
};
using flow_table = std::unordered_map<flow_key, flow, hash_of_key>;
using flow_tables = std::array<flow_table, shares>;

/// What is kept of a pass.
struct pass_result {
    std::uint64_t flows = 0;
    std::uint64_t packets = 0;
    std::uint64_t digest = 0; ///< of the table
    std::uint64_t alike = 0;  ///< of what does not depend on the pass's addresses
};

/// What lines call files of these paths: their names, but the paths of those that share a name.
std::vector<std::string> names_of(std::span<const std::string> files);

/// The flows of all tables, in the order of their keys, a line `flow` each, and for each source of RTP a line `rtp`,
/// `keys` if some were pressed and `tones` if some were heard. `files`: their paths.
std::string text_of(const flow_tables& tables, std::span<const std::string> files);

/// `text`: of these tables.
pass_result result_of(const flow_tables& tables, const std::string& text);

} // namespace apps::packets
