// SPDX-License-Identifier: Apache-2.0
#pragma once

// Small files of the system: /proc and /sys. Thread safety: any thread.

#include <optional>
#include <string>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::port {

// The whole content; nothing if the file cannot be opened or read, or is longer than 1 MiB.
std::optional<std::string> read_small_file(const std::string& path);

bool directory_exists(const std::string& path) noexcept;

} // namespace skerry::inline SKERRY_ABI::port
