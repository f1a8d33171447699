// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where packets go out, one after the other: to a file of pcap if one is named, and into a digest.

#include "packets/packet.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

struct pcap;
struct pcap_dumper;

namespace apps::packets {

/// Thread safety: none.
class output {
  public:
    /// `file`: empty: none. Errors of all: std::runtime_error names the file.
    output(const std::string& file, const capture_files& of);
    output(const output&) = delete;
    output& operator=(const output&) = delete;
    ~output();

    void write(std::span<const std::byte> frame, const packet_head& head, std::uint64_t digest);
    /// Nothing is written afterwards.
    void close();

    std::uint64_t packets() const { return packets_; }
    std::uint64_t digest() const { return digest_; } ///< of all that was written, in its order

  private:
    void note_failure(bool failed); // of the last call

    std::string file_;
    std::uint64_t ns_of_tick_; // of the file's times
    pcap* form_ = nullptr;
    pcap_dumper* to_ = nullptr;
    int failed_ = 0; // the first failure, as errno
    std::uint64_t packets_ = 0;
    std::uint64_t digest_ = 0;
};

} // namespace apps::packets
