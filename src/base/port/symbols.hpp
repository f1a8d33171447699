// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a program's file knows of its functions and the loader does not: most of them are in no table that is loaded.

#include <cstdint>
#include <string>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::port {

// The symbol of the function that begins at `offset` of the module's image, as the linker knows it; empty if the file
// cannot be read, is stripped, or has none there. Reads the file: for what is done once in a run.
// Errors: std::bad_alloc. Thread safety: any thread.
std::string function_at(const std::string& file, std::uint64_t offset);

// The function that a symbol names, as the source has it; the symbol if it is none of C++'s.
// Errors: std::bad_alloc. Thread safety: any thread.
std::string readable(const char* symbol);

} // namespace skerry::inline SKERRY_ABI::port
