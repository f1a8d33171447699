// SPDX-License-Identifier: Apache-2.0
#include "packets/output.hpp"

#include "support/random.hpp"

#include <cerrno>
#include <cstdio>
#include <new>
#include <stdexcept>
#include <system_error>

#include <pcap/pcap.h>

namespace apps::packets {

namespace {

constexpr int most_captured = 262144; // as libpcap reads at most

} // namespace

void output::close_form::operator()(pcap* form) const { pcap_close(form); }
void output::close_file::operator()(pcap_dumper* file) const { pcap_dump_close(file); }

output::output(const std::string& file, const capture_files& of)
    : file_(file),
      ns_of_tick_(of.has_nanoseconds ? 1 : 1000) {
    if (file_.empty()) return;
    form_.reset(pcap_open_dead_with_tstamp_precision(
        of.link_number, most_captured, of.has_nanoseconds ? PCAP_TSTAMP_PRECISION_NANO : PCAP_TSTAMP_PRECISION_MICRO));
    if (form_ == nullptr) throw std::bad_alloc();
    to_.reset(pcap_dump_open(form_.get(), file_ == "-" ? "./-" : file_.c_str())); // or it is the standard output
    if (to_ == nullptr) throw std::runtime_error(pcap_geterr(form_.get()));
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
    pcap_dump(reinterpret_cast<unsigned char*>(to_.get()), &header,
              reinterpret_cast<const unsigned char*>(frame.data()));
    note_failure(std::ferror(pcap_dump_file(to_.get())) != 0);
}

void output::note_failure(bool failed) {
    if (failed && failed_ == 0) failed_ = errno != 0 ? errno : EIO;
}

void output::close() {
    if (to_ == nullptr) return;
    note_failure(pcap_dump_flush(to_.get()) != 0);
    to_.reset();
    if (failed_ != 0) throw std::runtime_error(file_ + ": " + std::generic_category().message(failed_));
}

} // namespace apps::packets
