// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string>

namespace apps {

/// Where tools/setup puts real inputs: in $XDG_CACHE_HOME, or else $HOME/.cache, the folder skerry. Empty if neither is
/// set.
inline std::string cache_folder() {
    const auto set = [](const char* name) {
        const char* const value = std::getenv(name);
        return std::string(value == nullptr ? "" : value);
    };
    if (const std::string cache = set("XDG_CACHE_HOME"); !cache.empty()) return cache + "/skerry";
    if (const std::string home = set("HOME"); !home.empty()) return home + "/.cache/skerry";
    return {};
}

} // namespace apps
