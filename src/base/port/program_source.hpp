// SPDX-License-Identifier: Apache-2.0
#pragma once

// What debug information and symbols say of an address of the program's code: the functions it lies in, and whose they
// are. Thread safety: one at a time, under program_sources_mutex() of call_stack.hpp.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::port {

// As the compiler calls this file.
inline constexpr const char* a_header_of_the_port = __FILE__;

// One function on the way to an address, inlined or not.
struct code_level {
    bool internal = false;   // Skerry's or the standard library's
    bool runs_task = false;  // Skerry's, and what a task begins with
    bool system = false;     // a library's of the system, or a sanitizer's
    std::string text;        // "file.cpp:12 (function)"; empty: nothing is known of it
    std::string declaration; // "file.cpp:10", where the function's declaration stands; empty: that is not known
};

// Whether the code of the module that lies at this path is none of the program's: a library of the system or of a
// sanitizer, or Skerry's own.
[[nodiscard]] bool is_system_module(std::string_view path) noexcept;

// Debug information is read by libdw, and libdw is loaded when it is needed: a program that never asks goes without.
class program_source {
  public:
    // Errors: std::bad_alloc, as in all of it.
    program_source();
    program_source(const program_source&) = delete;
    program_source& operator=(const program_source&) = delete;
    ~program_source();

    // By its symbol alone.
    [[nodiscard]] bool runs_a_task(std::uintptr_t address) const;

    // From the innermost inlined function outwards; one level at least.
    [[nodiscard]] std::vector<code_level> find(std::uintptr_t address) const;

  private:
    class tables;
    const std::unique_ptr<const tables> tables_;
};

} // namespace skerry::inline SKERRY_ABI::port
