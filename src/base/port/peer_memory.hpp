// SPDX-License-Identifier: Apache-2.0
#pragma once

// Another process's private memory, read and written without its help, where the system allows that to this one.
//
// Thread safety: any thread. Nobody is told of an access: who wants bytes that mean something orders it himself.

#include <cstddef>
#include <cstdint>
#include <span>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/port/watched.hpp>

namespace skerry::inline SKERRY_ABI::port {

// Whether to use it in this build: ThreadSanitizer does not see such accesses, and would miss the other process's races
// with them.
inline constexpr bool uses_peer_memory = !detail::accesses_are_watched;

struct peer_range {
    void* here;
    std::uint64_t there; // an address in the other process
    std::size_t bytes;
};

// How many ranges one call takes.
inline constexpr std::size_t most_peer_ranges = 16;

// Copies, in the order of the ranges, until one is not accessible here or there: returns the bytes of which it is known
// that they were copied; more may have been. 0: the process has ended, or the system does not allow it.
[[nodiscard]] std::size_t read_peer(std::uint32_t process, std::span<const peer_range> ranges) noexcept;
[[nodiscard]] std::size_t write_peer(std::uint32_t process, std::span<const peer_range> ranges) noexcept;

// Where a process may be accessed by its ancestors only (Yama's ptrace_scope 1), lets the other descendants of its
// parent do so too. Elsewhere it changes nothing.
void admit_siblings() noexcept;

} // namespace skerry::inline SKERRY_ABI::port
