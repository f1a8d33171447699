// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shared objects that are opened while the program runs.
//
// Thread safety: any thread.

#include <string>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::port {

// Opens a file for the rest of the process; what it brings is also for what it opens itself. Null: `why` says why not.
void* open_object(const std::string& path, std::string& why);
// Null: it has no such symbol.
void* symbol_of(void* object, const char* name) noexcept;

// Of the file that this code is in, and of the program: without a slash at the end; empty if the system does not tell.
std::string folder_of_this_code();
std::string folder_of_the_program();

bool is_readable(const std::string& path) noexcept;

} // namespace skerry::inline SKERRY_ABI::port
