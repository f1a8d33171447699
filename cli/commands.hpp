// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "exit_code.hpp"
#include "program.hpp"

#include <optional>
#include <string>

namespace cli {

struct list_request {
    bool json = false;
};

struct info_request {
    bool json = false;
};

struct run_request {
    std::string program; ///< a name, or "all"
    apps::options options;
    unsigned workers = 0; ///< 0: what the environment and the machine say
    std::optional<unsigned> repeat;
    bool json = false;
};

/// Each prints to standard output and reports errors by exceptions, which main turns into a message and a status.
exit_code list(const list_request& request);
exit_code info(const info_request& request);
exit_code run(const run_request& request);

} // namespace cli
