// SPDX-License-Identifier: Apache-2.0
#include "fabric/opencl/program_cache.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "base/port/clock.hpp"
#include "base/port/environment.hpp"
#include "base/port/process.hpp"

namespace skerry::inline SKERRY_ABI::fabric::opencl {

namespace {

std::filesystem::path folder() {
    if (const auto cache = port::environment("XDG_CACHE_HOME")) {
        return std::filesystem::path(*cache) / "skerry" / "kernels";
    }
    if (const auto home = port::environment("HOME")) {
        return std::filesystem::path(*home) / ".cache" / "skerry" / "kernels";
    }
    return {};
}

// FNV-1a of 64 bits: it names the file, and the key inside decides.
std::string file_name(const std::string& key) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : key) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
    std::string name;
    for (int digit = 0; digit < 16; ++digit, hash >>= 4) {
        name += "0123456789abcdef"[hash & 15];
    }
    return name;
}

} // namespace

std::vector<unsigned char> cached_program(const std::string& key) {
    const std::filesystem::path in = folder();
    if (in.empty()) {
        return {};
    }
    std::error_code failed;
    const auto bytes = std::filesystem::file_size(in / file_name(key), failed);
    if (failed) {
        return {};
    }
    std::ifstream file(in / file_name(key), std::ios::binary);
    std::string content(bytes, '\0');
    file.read(content.data(), static_cast<std::streamsize>(bytes));
    const std::string head = key + '\0';
    if (!file || !content.starts_with(head)) {
        return {};
    }
    return {content.begin() + static_cast<std::ptrdiff_t>(head.size()), content.end()};
}

void keep_program(const std::string& key, const std::vector<unsigned char>& program) {
    const std::filesystem::path in = folder();
    if (in.empty()) {
        return;
    }
    std::error_code failed;
    std::filesystem::create_directories(in, failed);
    const std::filesystem::path whole = in / file_name(key);
    const std::filesystem::path part =
        whole.string() + "." + std::to_string(port::process_id()) + "." + std::to_string(port::ticks());
    {
        std::ofstream file(part, std::ios::binary);
        file << key << '\0';
        file.write(reinterpret_cast<const char*>(program.data()), static_cast<std::streamsize>(program.size()));
        file.flush();
        if (!file) {
            std::filesystem::remove(part, failed);
            return;
        }
    }
    std::filesystem::rename(part, whole, failed);
    if (failed) {
        std::filesystem::remove(part, failed);
    }
}

} // namespace skerry::inline SKERRY_ABI::fabric::opencl
