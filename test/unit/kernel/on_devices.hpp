// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs a body in a runtime with devices.

#include <cstdint>
#include <string>
#include <vector>

#include <skerry/skerry.hpp>

namespace skerry_test {

template <class F>
auto on_devices(const std::string& devices, unsigned workers, F&& body) {
    skerry::options o;
    o.workers = workers;
    o.devices = devices;
    o.device_memory = skerry::device_memory::private_;
    skerry::runtime rt(o);
    return rt.run(body);
}

// Of all devices.
inline std::uint64_t device_iterations() {
    std::uint64_t sum = 0;
    for (const skerry::device_statistics& d : skerry::current_devices()) {
        sum += d.iterations;
    }
    return sum;
}

} // namespace skerry_test
