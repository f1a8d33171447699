// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace skerry_test {

// What stands in /dev/shm and is ours: nothing, once all processes of a program have ended, however they did.
inline std::vector<std::string> left_behind() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
        const std::string name = entry.path().filename();
        if (name.find("skerry") != std::string::npos) {
            names.push_back(name);
        }
    }
    return names;
}

} // namespace skerry_test
