// SPDX-License-Identifier: Apache-2.0

#include "trace/json.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

// Bytes of the UTF-8 sequence at the beginning of `s`; 0 if there is none. Neither overlong forms nor surrogates are
// sequences (RFC 3629).
std::size_t sequence_at(std::string_view s) noexcept {
    const auto byte = [&](std::size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0U; };
    const auto within = [&](std::size_t i, unsigned least, unsigned most) {
        return byte(i) >= least && byte(i) <= most;
    };
    const unsigned lead = byte(0);
    if (lead < 0x80) {
        return 1;
    }
    if (lead >= 0xc2 && lead <= 0xdf) {
        return within(1, 0x80, 0xbf) ? 2 : 0;
    }
    if (lead >= 0xe0 && lead <= 0xef) {
        const bool second = within(1, lead == 0xe0 ? 0xa0 : 0x80, lead == 0xed ? 0x9f : 0xbf);
        return second && within(2, 0x80, 0xbf) ? 3 : 0;
    }
    if (lead >= 0xf0 && lead <= 0xf4) {
        const bool second = within(1, lead == 0xf0 ? 0x90 : 0x80, lead == 0xf4 ? 0x8f : 0xbf);
        return second && within(2, 0x80, 0xbf) && within(3, 0x80, 0xbf) ? 4 : 0;
    }
    return 0;
}

} // namespace

void append_json_string(std::string& to, std::string_view text) {
    to += '"';
    while (!text.empty()) {
        const char c = text.front();
        std::size_t length = sequence_at(text);
        if (length == 0) {
            to += "\\ufffd";
            length = 1;
        } else if (c == '"' || c == '\\') {
            to += '\\';
            to += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            constexpr std::string_view digits = "0123456789abcdef";
            to += "\\u00";
            to += digits[static_cast<unsigned char>(c) / 16];
            to += digits[static_cast<unsigned char>(c) % 16];
        } else {
            to += text.substr(0, length);
        }
        text.remove_prefix(length);
    }
    to += '"';
}

} // namespace skerry::inline SKERRY_ABI::detail
