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

    void write(std::span<const std::byte> frame, const packet_head& head, std::uint64_t digest);
    /// Nothing is written afterwards.
    void close();

    std::uint64_t packets() const { return packets_; }
    std::uint64_t digest() const { return digest_; } ///< of all that was written, in its order

  private:
    struct close_form {
        void operator()(pcap* form) const;
    };
    struct close_file {
        void operator()(pcap_dumper* file) const;
    };
    void note_failure(bool failed); // of the last call

    std::string file_;
    std::uint64_t ns_of_tick_; // of the file's times
    std::unique_ptr<pcap, close_form> form_;
    std::unique_ptr<pcap_dumper, close_file> to_;
    int failed_ = 0; // the first failure, as errno
    std::uint64_t packets_ = 0;
    std::uint64_t digest_ = 0;
};

} // namespace apps::packets
