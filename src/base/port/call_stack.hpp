// SPDX-License-Identifier: Apache-2.0
#pragma once

// The calls on a stack, and where in a program's source they stand. Thread safety: any thread.

#include <cstddef>
#include <mutex>
#include <span>
#include <string>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::port {

// The return addresses on the calling thread's stack, innermost first; returns how many. Some microseconds. Of what a
// signal has interrupted: one more than the address that was next.
std::size_t call_stack(std::span<const void*> to) noexcept;

// Where the innermost of these calls stands that neither Skerry's code makes nor the standard library's, inlined or
// not: "file.cpp:12 (function)" if the program has debug information and the machine libdw, "program+0x1a2b (function)"
// with symbols alone. Without them nobody can tell whose a call is: what describe_code() says of each, innermost first.
// Empty: there is none. Reads the files: for what is done seldom. Errors: std::bad_alloc.
std::string place_of_call(std::span<const void* const> return_addresses);

struct place_in_program {
    std::string call; // as place_of_call(), of calls that the system's libraries do not make either
    std::string task; // where the function stands that the task around it began with: "file.cpp:10"; empty: not known
};
// The same of a stack on which a task runs, or none. Not exact: some of the addresses are of calls that are over.
place_in_program place_in_task(std::span<const void* const> return_addresses, bool exact);

// Held by these two, which load and unload a library, and to be held across fork(): a child that is forked
// meanwhile could load none; glibc's loader ends it at the first.
std::mutex& program_sources_mutex() noexcept;

} // namespace skerry::inline SKERRY_ABI::port
