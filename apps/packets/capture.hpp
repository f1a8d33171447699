// SPDX-License-Identifier: Apache-2.0
#pragma once

// Captured packets, read by libpcap.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace apps::packets {

enum class link_type : std::uint8_t { ethernet, loopback, raw, linux_cooked };

struct frame {
    std::size_t begin = 0; ///< among the bytes of all
    std::uint32_t captured = 0;
    std::uint32_t on_wire = 0;
    link_type link = packets::link_type::ethernet;
};

struct captures {
    std::vector<std::byte> bytes;
    std::vector<frame> frames; ///< file by file, in the order of the captures
    std::size_t files = 0;

    std::span<const std::byte> of(const frame& f) const { return std::span(bytes).subspan(f.begin, f.captured); }
};

/// Of these files, or if there are none, those that tools/setup fetches.
/// Errors: input_missing: the default is not there; input_error: a file cannot be read, is none, is cut short, or is of
/// a link that is not known here.
captures read_captures(const std::vector<std::string>& files);

} // namespace apps::packets
