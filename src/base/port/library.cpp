// SPDX-License-Identifier: Apache-2.0
#include "base/port/library.hpp"

#include <dlfcn.h>

namespace skerry::inline SKERRY_ABI::port {

void* open_library(std::span<const char* const> names, std::string& why) {
    for (const char* const name : names) {
        if (void* const found = ::dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) {
            return found;
        }
        const char* const said = ::dlerror();
        why = said != nullptr ? said : name;
    }
    return nullptr;
}

void* symbol_of(void* library, const char* name) noexcept { return ::dlsym(library, name); }

} // namespace skerry::inline SKERRY_ABI::port
