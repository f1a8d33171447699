// SPDX-License-Identifier: Apache-2.0
#include "packets/capture.hpp"

#include "program.hpp"
#include "support/cache.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <utility>

#include <pcap/pcap.h>

namespace apps::packets {

namespace {

std::vector<std::string> default_files() {
    const std::filesystem::path folder = std::filesystem::path(cache_folder()) / "captures";
    std::vector<std::string> files;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        if (entry.path().extension() == ".pcap") files.push_back(entry.path().string());
    }
    if (files.empty()) {
        throw input_missing(folder.string() +
                            ": no captures; 'tools/setup run' fetches them, --input names files of your own");
    }
    std::ranges::sort(files);
    return files;
}

link_type link_of(int number, const std::string& file) {
    switch (number) {
    case DLT_EN10MB: return link_type::ethernet;
    case DLT_NULL:
    case DLT_LOOP: return link_type::loopback;
    case DLT_RAW: return link_type::raw;
    case DLT_LINUX_SLL: return link_type::linux_cooked;
    default: break;
    }
    const char* const name = pcap_datalink_val_to_name(number);
    throw input_error(file + ": packets of link " + (name != nullptr ? name : std::to_string(number)) +
                      "; known are Ethernet, BSD loopback, raw IP and Linux cooked");
}

// A pipe would be empty in the second pass, and libpcap takes "-" for the standard input.
void require_a_file(const std::string& name) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(name, error);
    if (!std::filesystem::exists(status)) throw input_error(name + ": " + error.message());
    if (!std::filesystem::is_regular_file(status))
        throw input_error(name + ": this is no regular file, and each pass reads it anew");
}

} // namespace

void capture::close::operator()(pcap* source) const { pcap_close(source); }

capture::capture(std::string file) : file_(std::move(file)) {
    require_a_file(file_);
    std::array<char, PCAP_ERRBUF_SIZE> wrong{};
    const std::string path = file_ == "-" ? "./-" : file_;
    source_.reset(pcap_open_offline_with_tstamp_precision(path.c_str(), PCAP_TSTAMP_PRECISION_NANO, wrong.data()));
    if (source_ == nullptr) {
        const std::string said = wrong.data();
        throw input_error(said.starts_with(path + ": ") ? said : file_ + ": " + said);
    }
    link_number_ = pcap_datalink(source_.get());
    link_ = link_of(link_number_, file_);
}

std::optional<captured_frame> capture::next() {
    pcap_pkthdr* header = nullptr;
    const unsigned char* data = nullptr;
    const int status = pcap_next_ex(source_.get(), &header, &data);
    if (status == PCAP_ERROR_BREAK) return std::nullopt; // what the end of the file is
    if (status != 1) throw input_error(file_ + ": " + pcap_geterr(source_.get()));
    const auto seconds = static_cast<std::uint64_t>(header->ts.tv_sec);
    return captured_frame{{reinterpret_cast<const std::byte*>(data), header->caplen},
                          header->len,
                          seconds * 1'000'000'000 + static_cast<std::uint64_t>(header->ts.tv_usec)}; // nanoseconds
}

capture_files look_over(std::vector<std::string> names) {
    capture_files all{.names = names.empty() ? default_files() : std::move(names)};
    for (const std::string& name : all.names) {
        capture file(name);
        const std::uint64_t before = all.packets;
        while (const auto frame = file.next()) {
            ++all.packets;
            all.largest = std::max(all.largest, static_cast<std::uint32_t>(frame->data.size()));
            all.has_nanoseconds = all.has_nanoseconds || frame->at_ns % 1000 != 0;
        }
        all.packets_of.push_back(all.packets - before);
        if (all.packets == before) throw input_error(name + ": there is no packet");
        if (&name == &all.names.front()) all.link_number = file.link_number();
        if (file.link_number() != all.link_number && all.of_another_link.empty()) all.of_another_link = name;
    }
    if (all.packets > static_cast<std::uint64_t>(std::numeric_limits<int>::max())) // an event group counts them
        throw input_error(all.names.back() + ": more than 2147483647 packets in a pass");
    return all;
}

void refuse_changed(const std::string& file) {
    throw input_error(file + ": it has changed since the first packets were read");
}

} // namespace apps::packets
