// SPDX-License-Identifier: Apache-2.0
// libFuzzer's entry; compiled once for each target, with FUZZ_TARGET naming its function.
#include "targets.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
    return 0;
}
