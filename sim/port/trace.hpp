// SPDX-License-Identifier: Apache-2.0
#pragma once

// The trace of a simulation, kept by its host: the events that the simulated library writes and the publishing and
// discarding that the machine does, a ring for each core, in simulated cycles. The rings lie in the host's memory and
// nothing here is instrumented, so a traced run takes the same cycles as any other.
//
// Thread safety: the thread that simulates; listen() and write_trace() between simulations.

#include <cstddef>
#include <string>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/sync/coherence_step.hpp>

namespace skerry::inline SKERRY_ABI::port {

// From now on each core's newest events are kept, in so many bytes. 0: none. Errors: std::bad_alloc.
void listen(unsigned cores, std::size_t bytes);

// Writes what was kept since then, as a picture. Errors: std::system_error names the file; std::bad_alloc.
void write_trace(const std::string& path);

// One event of the calling core.
void note_publish(std::size_t bytes, detail::coherence_step step) noexcept;
void note_discard(std::size_t bytes, detail::coherence_step step) noexcept;

} // namespace skerry::inline SKERRY_ABI::port
