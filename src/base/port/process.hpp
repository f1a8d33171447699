// SPDX-License-Identifier: Apache-2.0
#pragma once

// The process as a whole: its diagnostics, its forks, its loaded code.

#include <cstdint>
#include <string>
#include <string_view>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::port {

// Writes all of the text to stderr, past stdio. Async-signal-safe; leaves errno alone; a broken stderr is ignored.
void write_stderr(std::string_view text) noexcept;

// Writes the text to stderr and aborts. The first caller's text is the only one: others that come to the same end
// meanwhile wait for it. Any thread; async-signal-safe.
[[noreturn]] void abort_with(std::string_view text) noexcept;

// Writes the text to stderr and ends the process at once with this status. Any thread.
[[noreturn]] void end_with(std::string_view text, int status) noexcept;

// Whether a process that this signal has killed had touched memory that it does not have.
bool is_memory_fault(int signal) noexcept;

// The system's number of this process. Any thread; async-signal-safe.
std::uint32_t process_id() noexcept;

// What this machine calls itself; "?" if it does not say.
std::string host_name();

// How many forks lie between this process and the one in which the count began. Any thread; async-signal-safe.
// Precondition: track_forks() has returned, or the answer is 0 for ever.
std::uint32_t process_generation() noexcept;

// What a caller wants to do around fork(), each on the forking thread; null members are skipped.
struct fork_hooks {
    void (*prepare)() noexcept = nullptr;
    void (*parent)() noexcept = nullptr;
    void (*child)() noexcept = nullptr; // process_generation() has been bumped already
};

// Counts forks from now on, and calls the hooks around each. Registration lasts until the code is unloaded and happens
// once: the first call's hooks stay. Any thread. Throws std::bad_alloc without memory.
void track_forks(const fork_hooks& hooks);

// Keeps the code of this library loaded for the life of the process, so that a dlclose() of a plugin that brought it
// does not pull it from under its own threads and handlers. False if the loader refuses. Any thread.
bool keep_loaded() noexcept;

} // namespace skerry::inline SKERRY_ABI::port
