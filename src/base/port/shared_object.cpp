// SPDX-License-Identifier: Apache-2.0
#include "base/port/shared_object.hpp"

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

void* open_object(const std::string& path, std::string& why) {
    void* const object = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
    if (object == nullptr) {
        const char* const text = ::dlerror();
        why = text != nullptr ? text : "no reason is given";
    }
    return object;
}

void* symbol_of(void* object, const char* name) noexcept { return ::dlsym(object, name); }

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
