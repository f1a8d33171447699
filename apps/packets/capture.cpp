// SPDX-License-Identifier: Apache-2.0
#include "packets/capture.hpp"

#include "program.hpp"
#include "support/cache.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
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

link_type link_of(int type, const std::string& file) {
    switch (type) {
    case DLT_EN10MB: return link_type::ethernet;
    case DLT_NULL: return link_type::loopback;
    case DLT_RAW: return link_type::raw;
    case DLT_LINUX_SLL: return link_type::linux_cooked;
    default: break;
    }
    const char* const name = pcap_datalink_val_to_name(type);
    throw input_error(file + ": packets of link " + (name != nullptr ? name : std::to_string(type)) +
                      "; known are Ethernet, BSD loopback, raw IP and Linux cooked");
}

void read(const std::string& file, captures& all) {
    std::array<char, PCAP_ERRBUF_SIZE> wrong{};
    const std::unique_ptr<pcap_t, decltype(&pcap_close)> source(pcap_open_offline(file.c_str(), wrong.data()),
                                                                &pcap_close);
    if (source == nullptr)
        throw input_error(std::string(wrong.data()).find(file) == 0 ? wrong.data() : file + ": " + wrong.data());
    const link_type of = link_of(pcap_datalink(source.get()), file);
    pcap_pkthdr* header = nullptr;
    const unsigned char* data = nullptr;
    int status = 0;
    while ((status = pcap_next_ex(source.get(), &header, &data)) == 1) {
        const auto* const begin = reinterpret_cast<const std::byte*>(data);
        all.frames.push_back({all.bytes.size(), header->caplen, header->len, of});
        all.bytes.insert(all.bytes.end(), begin, begin + header->caplen);
    }
    if (status != PCAP_ERROR_BREAK) { // what the end of the file is
        throw input_error(file + ": " + pcap_geterr(source.get()));
    }
    ++all.files;
}

} // namespace

captures read_captures(const std::vector<std::string>& files) {
    captures all;
    for (const std::string& file : files.empty() ? default_files() : files) read(file, all);
    return all;
}

} // namespace apps::packets
