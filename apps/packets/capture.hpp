// SPDX-License-Identifier: Apache-2.0
#pragma once

// Captured packets, read by libpcap: pcap and pcapng.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

struct pcap;

namespace apps::packets {

enum class link_type : std::uint8_t { ethernet, loopback, raw, linux_cooked };

struct captured_frame {
    std::span<const std::byte> data; ///< until the next one is read
    std::uint32_t on_wire = 0;       ///< bytes that it had, of which `data` may be the beginning
    std::uint64_t at_ns = 0;         ///< since 1970
};

/// One file, packet by packet. Errors of all: input_error names the file.
class capture {
  public:
    explicit capture(std::string file);

    link_type link() const { return link_; }
    int link_number() const { return link_number_; } ///< as libpcap counts them
    /// Nothing: that was all.
    std::optional<captured_frame> next();

  private:
    struct close {
        void operator()(pcap* source) const;
    };

    std::string file_;
    std::unique_ptr<pcap, close> source_;
    int link_number_ = 0;
    link_type link_ = link_type::ethernet;
};

/// What is known of files that were read once.
struct capture_files {
    std::vector<std::string> names;
    std::vector<std::uint64_t> packets_of{}; ///< each
    std::uint64_t packets = 0;               ///< of all
    std::uint32_t largest = 0;               ///< bytes of a captured packet
    int link_number = 0;                     ///< of the first file
    std::string of_another_link{};           ///< the first file of another link; empty: there is none
    bool has_nanoseconds = false;            ///< some packet's time is not of whole microseconds
};

/// Reads these files, or if there are none, those that tools/setup fetches.
/// Errors: input_missing: the default is not there; input_error: a file cannot be read, is none, has no packet, is cut
/// short, or is of a link that is not known here.
capture_files look_over(std::vector<std::string> names);

/// Errors: input_error, always.
[[noreturn]] void refuse_changed(const std::string& file);

} // namespace apps::packets
