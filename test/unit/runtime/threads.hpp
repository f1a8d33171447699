// SPDX-License-Identifier: Apache-2.0
// The threads of this process, as the system counts them: an ended one until it has buried it.
#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace skerry_test {

inline std::set<std::string> threads() {
    std::set<std::string> ids;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
        ids.insert(entry.path().filename().string());
    }
    return ids;
}

} // namespace skerry_test
