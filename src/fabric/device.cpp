// SPDX-License-Identifier: Apache-2.0
#include "fabric/device.hpp"

namespace skerry::inline SKERRY_ABI::fabric {

device_memory device::share(void* /*here*/, std::size_t /*bytes*/) {
    throw not_available(describe().kind, "' has no shared memory");
}

} // namespace skerry::inline SKERRY_ABI::fabric
