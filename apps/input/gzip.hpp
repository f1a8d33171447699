// SPDX-License-Identifier: Apache-2.0
#pragma once

// Files packed by gzip, unpacked into memory.

#include "input/mapping.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace apps::input {

/// With what gzip begins.
inline constexpr std::string_view gzip_signature = "\x1f\x8b";

constexpr bool is_gzip(std::string_view bytes) noexcept { return bytes.starts_with(gzip_signature); }

/// An eighth of the memory that this process can have: what a text may take, beside the graph that is made of it. The
/// machine, the process's limits and its control group say how much there is.
std::uint64_t memory_for_text();

/// All members of a gzip file (RFC 1952), one behind the other; zeros behind the last are padding. A few bytes can
/// unpack into a thousand times as many: throws input_error if there are more than `most`, or no memory for them, and
/// if the packed bytes are damaged or end early. `name` is the file's, for the error's text.
mapping unpack_gzip(const std::string& name, std::string_view packed, std::uint64_t most);

} // namespace apps::input
