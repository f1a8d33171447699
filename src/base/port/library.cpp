// SPDX-License-Identifier: Apache-2.0
#include "base/port/library.hpp"

#include <array>
#include <string_view>

#include <dlfcn.h>
#include <unistd.h>

namespace skerry::inline SKERRY_ABI::port {

namespace {

std::string folder_of(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? std::string() : std::string(path.substr(0, slash));
}

} // namespace

void* open_library(std::span<const char* const> names, std::string& why, found_by who) {
    const int scope = who == found_by::others ? RTLD_GLOBAL : RTLD_LOCAL;
    for (const char* const name : names) {
        if (void* const found = ::dlopen(name, RTLD_NOW | scope | RTLD_NODELETE)) {
            return found;
        }
        const char* const said = ::dlerror();
        why = said != nullptr ? said : name;
    }
    return nullptr;
}

void* symbol_of(void* library, const char* name) noexcept { return ::dlsym(library, name); }

std::string folder_of_this_code() {
    Dl_info info{};
    return ::dladdr(reinterpret_cast<const void*>(&is_readable), &info) != 0 && info.dli_fname != nullptr
               ? folder_of(info.dli_fname)
               : std::string();
}

std::string folder_of_the_program() {
    std::array<char, 4096> path{};
    const ssize_t n = ::readlink("/proc/self/exe", path.data(), path.size());
    return n > 0 ? folder_of({path.data(), static_cast<std::size_t>(n)}) : std::string();
}

bool is_readable(const std::string& path) noexcept { return ::access(path.c_str(), R_OK) == 0; }

} // namespace skerry::inline SKERRY_ABI::port
