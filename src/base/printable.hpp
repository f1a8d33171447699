// SPDX-License-Identifier: Apache-2.0
#pragma once

// Thread safety: any thread.

#include <string>
#include <string_view>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// A text of the program's, as a line for a terminal or a log may have it: a control character, which could end the line
// or steer the terminal, is written as "\x1b" is. Errors: std::bad_alloc.
inline std::string printable(std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string shown;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f) {
            shown += "\\x";
            shown += digits[byte / 16];
            shown += digits[byte % 16];
        } else {
            shown += c;
        }
    }
    return shown;
}

} // namespace skerry::inline SKERRY_ABI::detail
