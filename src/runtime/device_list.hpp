// SPDX-License-Identifier: Apache-2.0
#pragma once

// What options::devices says.

#include <string>
#include <string_view>
#include <vector>

#include <skerry/detail/base/abi.hpp>

#include "fabric/emulated/emulated.hpp"

namespace skerry::inline SKERRY_ABI::detail {

struct device_list {
    enum class rule : unsigned char {
        automatic, // all but those that compute on this machine's processors
        none,
        all,
        listed,
    };
    rule which = rule::listed;
    std::vector<std::string> names;                     // of kinds or devices: "opencl", "opencl0", "emulated1"
    std::vector<fabric::emulated::settings> emulated{}; // one for each entry "emulated..."

    // Whether a device of that kind and name is among the names.
    [[nodiscard]] bool has(std::string_view kind, std::string_view name) const noexcept;
};

// Errors: std::invalid_argument names the setting, its value and what is accepted.
[[nodiscard]] device_list parse_devices(const std::string& setting, const std::string& value);

} // namespace skerry::inline SKERRY_ABI::detail
