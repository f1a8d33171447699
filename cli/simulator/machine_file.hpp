// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace cli {

/// Where the description of a machine in machines/ is: of "tiny-64/hcc-gwb" that of tiny-64. Descriptions lie where
/// this program was built, or beside where it is installed. Throws std::invalid_argument for a name that nothing has.
std::filesystem::path machine_file(const std::string& name);

} // namespace cli
