// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <skerry/runtime.hpp>

namespace cli {

exit_code info(const info_request& request) {
    skerry::runtime workers(skerry::options::from_environment());
    if (request.json) {
        const nlohmann::ordered_json document{{"workers", workers.workers()}};
        fmt::print("{}\n", document.dump(2));
    } else {
        fmt::print("workers   {}\n", workers.workers());
    }
    return exit_ok;
}

} // namespace cli
