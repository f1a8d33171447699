// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the loader and the module's file know of an address in code. Thread safety: any thread.

#include <cstdint>
#include <optional>
#include <string>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::port {

// "function(int&)" where one begins that the module exports or its file names, else "module+0x1a2b", which addr2line
// understands, else the address itself. Reads the file. Errors: std::bad_alloc.
std::string describe_code(std::uintptr_t address);

// Where in the main program's image an address lies: the same number in every process that runs the program, wherever
// it was loaded. 0: the address lies elsewhere, in a library.
std::uint64_t program_offset(const void* address) noexcept;
// Precondition: the offset came from program_offset() in a process of this program.
const void* program_address(std::uint64_t offset) noexcept;

// What tells this program from others, and from other builds of it: the same in every process that runs it. Of the
// build id that linkers note, else of the code itself, all of which is read then.
std::uint64_t program_identity() noexcept;

// The same of code alone; nothing for code of libraries, which need not be there, and for what is no code.
std::optional<std::uint64_t> code_offset(std::uintptr_t address) noexcept;
// The address for an offset of the same program; nothing if there is no code.
std::optional<std::uintptr_t> code_address(std::uint64_t offset) noexcept;

} // namespace skerry::inline SKERRY_ABI::port
