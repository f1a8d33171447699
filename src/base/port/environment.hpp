// SPDX-License-Identifier: Apache-2.0
#pragma once

// Options as text: from the environment, or from a command line with the same rules.
//
// Every function names its setting ("SKERRY_WORKERS", "--workers") and throws std::invalid_argument whose text holds
// the setting, its value and what is accepted:
//     SKERRY_WORKERS=abc: not understood; a whole number from 1 to 1024 is accepted
// Thread safety: any thread, as long as nobody changes the environment at the same time (getenv).
//
// A program that runs with more rights than its caller (set-user-id, file capabilities) finds no variable: the caller
// must not choose which file it writes.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::port {

// A variable's value; nothing if it is not set or empty.
std::optional<std::string> environment(const char* name);

// The names of those variables that begin so and have a value. Errors: std::bad_alloc.
std::vector<std::string> environment_names(std::string_view prefix);

// A whole decimal number from least to most.
std::uint64_t parse_whole(std::string_view setting, std::string_view value, std::uint64_t least, std::uint64_t most);

// A number of bytes: "65536", "64K", "8M", "1G", also with B or iB behind; the units are powers of 1024.
std::size_t parse_bytes(std::string_view setting, std::string_view value, std::size_t least, std::size_t most);

// Seconds, "2" or "0.5", from 0 to `most`.
double parse_seconds(std::string_view setting, std::string_view value, double most);

// A number above `above`, at most `most`: "0.25".
double parse_number(std::string_view setting, std::string_view value, double above, double most);

// A time in nanoseconds, a whole number with its unit: "50us", "2ms", "1s".
std::uint64_t parse_time(std::string_view setting, std::string_view value, std::uint64_t most);

// 1, true, yes, on; 0, false, no, off; in any case.
bool parse_switch(std::string_view setting, std::string_view value);

// Which of the words it is. Precondition: `words` is not empty.
std::size_t parse_choice(std::string_view setting, std::string_view value, std::span<const std::string_view> words);

} // namespace skerry::inline SKERRY_ABI::port
