// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// What a machine policy says of a heavy fence that was asked for.
enum class heavy_fence : std::uint8_t {
    passed,
    in_flight, // another thread's is: there is one at a time
    refused,   // by the system, which will do so again
};

} // namespace skerry::inline SKERRY_ABI::detail
