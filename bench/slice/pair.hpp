// SPDX-License-Identifier: Apache-2.0
// What programs share that measure two processes.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include <skerry/launch.hpp>

namespace bench {

/// Runs this program again as two processes; what main() returns then.
inline int launch_pair(const char* name, int argc, char** argv) {
    std::vector<std::string> command(argv, argv + argc);
    command[0] = "/proc/self/exe";
    const skerry::launch_result end = skerry::launch(2, command);
    if (end.status != 0) {
        std::fprintf(stderr, "%s: %s\n", name, end.text.c_str());
    }
    return end.status;
}

} // namespace bench
