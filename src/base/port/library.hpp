// SPDX-License-Identifier: Apache-2.0
#pragma once

// A shared library that the program may find at run time, or not.
//
// Thread safety: any thread. Errors: none are thrown.

#include <span>
#include <string>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::port {

// The handle of a library that stays loaded to the end of the process; null: none of these names can be loaded, and
// `why` says so of the last.
void* open_library(std::span<const char* const> names, std::string& why);

// The address of what the library calls so; null: it has nothing of that name.
void* symbol_of(void* library, const char* name) noexcept;

} // namespace skerry::inline SKERRY_ABI::port
