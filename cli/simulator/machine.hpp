// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace skerry_sim {
struct machine_description;
}

namespace cli {

/// The machine of a description in machines/, in one of its configurations: "tiny4-gwb", "tiny-64/hcc-gwb".
/// Throws as machine_file(), and skerry_sim::bad_machine.
skerry_sim::machine_description machine_called(const std::string& name);

} // namespace cli
