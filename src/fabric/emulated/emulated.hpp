// SPDX-License-Identifier: Apache-2.0
#pragma once

// A device made of a thread and private memory: what a real one does with copies and kernels, where there is none.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "fabric/device.hpp"

namespace skerry::inline SKERRY_ABI::fabric::emulated {

struct settings {
    double speed = 1;                          // of the host's, above 0 and at most 1
    std::size_t memory = std::size_t{1} << 30; // bytes
    std::uint64_t latency_ns = 0;              // of a launch
};

// Errors: std::bad_alloc; std::system_error (no thread).
[[nodiscard]] std::unique_ptr<device> make(const settings& s);

} // namespace skerry::inline SKERRY_ABI::fabric::emulated
