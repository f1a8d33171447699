// SPDX-License-Identifier: Apache-2.0
#include "simulator/machine.hpp"

#include <array>
#include <filesystem>
#include <set>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/machine_description.hpp"

namespace cli {

skerry_sim::machine_description machine_called(const std::string& name) {
    const std::size_t slash = name.find('/');
    const std::string machine = name.substr(0, slash);
    const std::string config = slash == std::string::npos ? std::string() : name.substr(slash + 1);
    const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    std::set<std::string> there_are;
    for (const std::filesystem::path& folder :
         {here / ".." / "share" / "skerry" / "machines", std::filesystem::path(SKERRY_MACHINES)}) {
        std::error_code none;
        for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
            if (entry.path().extension() == ".toml") {
                if (entry.path().stem() == machine) {
                    return skerry_sim::read_machine(entry.path(), config);
                }
                there_are.insert(entry.path().stem());
            }
        }
    }
    throw std::invalid_argument(
        fmt::format("there is no description of a machine '{}'; there are {}", machine, fmt::join(there_are, ", ")));
}

} // namespace cli
