// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the arena holds of a location.

#include <cstdint>
#include <cstring>

namespace skerry::model {

inline std::uint64_t held(std::uintptr_t address, unsigned size) {
    std::uint64_t value = 0;
    std::memcpy(&value, reinterpret_cast<const void*>(address), size);
    return value;
}

inline void hold(std::uintptr_t address, std::uint64_t value, unsigned size) {
    std::memcpy(reinterpret_cast<void*>(address), &value, size);
}

} // namespace skerry::model
