// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// As much of a name as there is room for; null is an empty one.
template <std::size_t N>
void keep_name(std::array<char, N>& to, const char* name) noexcept {
    if (name != nullptr) {
        const std::size_t n = std::min(std::strlen(name), N - 1);
        std::memcpy(to.data(), name, n);
        to[n] = '\0';
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
