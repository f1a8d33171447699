// SPDX-License-Identifier: Apache-2.0
#pragma once

// Devices that OpenCL's ICD loader finds. The loader is opened when the first function here is called, and not linked.

#include <memory>
#include <string>
#include <vector>

#include "fabric/device.hpp"

namespace skerry::inline SKERRY_ABI::fabric::opencl {

// A device that can be opened. What it points to stays to the end of the process.
struct candidate {
    device_description about;
    void* device = nullptr; // OpenCL's handle
};

struct found {
    std::vector<candidate> devices;
    std::string why_none; // nothing was found, and why: no loader, no driver
};

// All devices, in the loader's order. It may take a second, and seconds more when a driver is loaded for the first
// time. Errors: std::bad_alloc. Thread safety: any thread.
[[nodiscard]] found find();

// Errors: std::runtime_error names the call that failed and OpenCL's number; std::bad_alloc.
[[nodiscard]] std::unique_ptr<device> open(const candidate& which);

} // namespace skerry::inline SKERRY_ABI::fabric::opencl
