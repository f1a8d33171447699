// SPDX-License-Identifier: Apache-2.0
#include "simulator/machine_file.hpp"

#include <set>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cli {

std::filesystem::path machine_file(const std::string& name) {
    const std::string machine = name.substr(0, name.find('/'));
    const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    std::set<std::string> there_are;
    for (const std::filesystem::path& folder :
         {here / ".." / "share" / "skerry" / "machines", std::filesystem::path(SKERRY_MACHINES)}) {
        std::error_code none;
        for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
            if (entry.path().extension() == ".toml") {
                if (entry.path().stem() == machine) {
                    return entry.path();
                }
                there_are.insert(entry.path().stem());
            }
        }
    }
    throw std::invalid_argument(
        fmt::format("there is no description of a machine '{}'; there are {}", machine, fmt::join(there_are, ", ")));
}

} // namespace cli
