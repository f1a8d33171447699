// SPDX-License-Identifier: Apache-2.0
#include "simulator/machine.hpp"

#include "simulator/machine_file.hpp"

#include "sim/machine_description.hpp"

namespace cli {

skerry_sim::machine_description machine_called(const std::string& name) {
    const std::size_t slash = name.find('/');
    return skerry_sim::read_machine(machine_file(name),
                                    slash == std::string::npos ? std::string() : name.substr(slash + 1));
}

} // namespace cli
