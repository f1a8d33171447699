// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where the program and its libraries lie in memory. Any thread. Throws std::bad_alloc without memory.

#include <cstdint>
#include <vector>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::port {

struct loaded_range {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
};

// One range per program or library, from its first byte to the one behind its last; the program's own comes first.
std::vector<loaded_range> loaded_code();

} // namespace skerry::inline SKERRY_ABI::port
