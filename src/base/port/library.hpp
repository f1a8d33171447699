// SPDX-License-Identifier: Apache-2.0
#pragma once

// A shared library that the program may find at run time, or not.
//
// Thread safety: any thread. Errors: none are thrown, unless it says otherwise.

#include <span>
#include <string>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::port {

// Who finds what a library brings: only who asks for it by symbol_of(), or what it loads itself, too.
enum class found_by : bool { handle, others };

// The handle of a library that stays loaded to the end of the process; null: none of these names can be loaded, and
// `why` says so of the last.
void* open_library(std::span<const char* const> names, std::string& why, found_by who = found_by::handle);

// The address of what the library calls so; null: it has nothing of that name.
void* symbol_of(void* library, const char* name) noexcept;

// Of the file that this code is in, and of the program: without a slash at the end; empty if the system does not tell.
// Errors: std::bad_alloc.
std::string folder_of_this_code();
std::string folder_of_the_program();

bool is_readable(const std::string& path) noexcept;

} // namespace skerry::inline SKERRY_ABI::port
