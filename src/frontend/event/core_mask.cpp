// SPDX-License-Identifier: Apache-2.0

// The functions of event_machine.h that write and read masks of cores as text.

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>

#include <event_machine/platform/event_machine_hw_specific.h>

int em_core_mask_set_str(const char* mask_str, em_core_mask_t* mask) {
    std::string_view text = mask_str != nullptr ? mask_str : "";
    if (text.starts_with("0x") || text.starts_with("0X")) {
        text.remove_prefix(2);
    }
    std::uint64_t bits = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bits, 16);
    if (error != std::errc() || end != text.data() + text.size() || mask == nullptr) {
        return -1;
    }
    mask->bits |= bits;
    return 0;
}

void em_core_mask_tostr(char* mask_str, int len, const em_core_mask_t* mask) {
    if (mask_str == nullptr || mask == nullptr || len <= 0) {
        return;
    }
    if (std::snprintf(mask_str, static_cast<std::size_t>(len), "0x%jx", std::uintmax_t{mask->bits}) >= len) {
        mask_str[0] = '\0'; // half a mask is another one
    }
}
