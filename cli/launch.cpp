// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <skerry/launch.hpp>

namespace cli {

int launch(const launch_request& request) {
    const skerry::launch_result end = skerry::launch(request.processes, request.command);
    if (!end.text.empty()) {
        std::fflush(stdout);
        fmt::print(stderr, "skerry launch: {}\n", end.text);
    }
    return end.status;
}

} // namespace cli
