// SPDX-License-Identifier: Apache-2.0

// In the place of the back end where Skerry is built without OpenCL's headers.

#include <stdexcept>

#include "fabric/opencl/opencl.hpp"

namespace skerry::inline SKERRY_ABI::fabric::opencl {

found find() { return {{}, "Skerry was built without OpenCL's headers"}; }

std::unique_ptr<device> open(const candidate& /*which*/) {
    throw std::runtime_error("skerry: Skerry was built without OpenCL's headers");
}

} // namespace skerry::inline SKERRY_ABI::fabric::opencl
