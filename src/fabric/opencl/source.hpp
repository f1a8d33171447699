// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/kernel_code.hpp>

namespace skerry::inline SKERRY_ABI::fabric::opencl {

// Work-items in a group. Fixed, since PoCL compiles a kernel again for each size.
inline constexpr unsigned group_size = 64;
// The name of the function that source_of() makes.
inline constexpr const char* entry_name = "skerry_entry";

// A program in OpenCL C that runs the kernel's body. Its parameters: the range's first and last, long; then for each of
// the kernel's a number, or a buffer and how many bytes behind its beginning the array lies, long. Errors:
// std::bad_alloc.
[[nodiscard]] std::string source_of(const detail::kernel_code& kernel);

// The names in a list of parameters: "x", "y", "a" of "(const float* x, float* y, float a)".
[[nodiscard]] std::string parameter_name(const char* parameter_list, std::size_t number);

} // namespace skerry::inline SKERRY_ABI::fabric::opencl
