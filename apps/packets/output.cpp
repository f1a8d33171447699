// SPDX-License-Identifier: Apache-2.0
#include "packets/output.hpp"

#include "support/random.hpp"

#include <cerrno>
#include <cstdio>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <pcap/pcap.h>

namespace apps::packets {

namespace {

constexpr int most_captured = 262144; // as libpcap reads at most

} // namespace

output::output(const std::string& file, const capture_files& of)
    : file_(file),
      ns_of_tick_(of.has_nanoseconds ? 1 : 1000) {
    if (file_.empty()) return;
    std::FILE* const opened = std::fopen(file_.c_str(), "wbe"); // libpcap would take "-" for the standard output
    if (opened == nullptr) throw std::runtime_error(file_ + ": " + std::generic_category().message(errno));
    form_ = pcap_open_dead_with_tstamp_precision(
        of.link_number, most_captured, of.has_nanoseconds ? PCAP_TSTAMP_PRECISION_NANO : PCAP_TSTAMP_PRECISION_MICRO);
    to_ = form_ != nullptr ? pcap_dump_fopen(form_, opened) : nullptr;
    if (to_ == nullptr) {
        std::fclose(opened);
        throw std::runtime_error(file_ + ": libpcap cannot write it");
    }
}

output::~output() {
    if (to_ != nullptr) pcap_dump_close(to_);
    if (form_ != nullptr) pcap_close(form_);
}

void output::write(std::span<const std::byte> frame, const packet_head& head, std::uint64_t digest) {
    ++packets_;
    digest_ = scatter(digest_ ^ digest);
    if (to_ == nullptr) return;
    constexpr std::uint64_t second = 1'000'000'000;
    pcap_pkthdr header{};
    header.ts.tv_sec = static_cast<time_t>(head.at_ns / second);
    header.ts.tv_usec = static_cast<suseconds_t>(head.at_ns % second / ns_of_tick_);
    header.caplen = head.captured;
    header.len = head.on_wire;
    pcap_dump(reinterpret_cast<unsigned char*>(to_), &header, reinterpret_cast<const unsigned char*>(frame.data()));
    note_failure(std::ferror(pcap_dump_file(to_)) != 0);
}

void output::note_failure(bool failed) {
    if (failed && failed_ == 0) failed_ = errno != 0 ? errno : EIO;
}

void output::close() {
    if (to_ == nullptr) return;
    note_failure(pcap_dump_flush(to_) != 0);
    pcap_dump_close(std::exchange(to_, nullptr));
    if (failed_ != 0) throw std::runtime_error(file_ + ": " + std::generic_category().message(failed_));
}

} // namespace apps::packets
