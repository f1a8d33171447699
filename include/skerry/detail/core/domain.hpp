// SPDX-License-Identifier: Apache-2.0
#pragma once

// A domain is a set of executors over one coherent memory: the worker threads of a process, or one simulated core whose
// cache is kept by software. An edge joins two of them.

#include <cstdint>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/sync/machine.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// The process's number; where each worker is a domain of its own, the worker's.
enum class domain_id : std::uint32_t {};

// How data crosses from one domain to another: what coherence has to do. How a thief asks is not read from here: it is
// the team's steal_protocol, and message_steal to another process.
enum class edge : std::uint8_t {
    coherent, // nothing to do: the two are one domain
    flushed,  // one address space, caches kept by software: published and discarded at the steps of coherence_step
    copied,   // no memory in common: what tasks declare is transferred, and the bookkeeping of regions with it
};

static_assert(sizeof(domain_id) == 4 && sizeof(edge) == 1);

// Between the workers of one runtime in one process. Constant while the process, or the simulation, lasts.
[[nodiscard]] inline edge edge_between_workers() noexcept {
    return machine::coherent() ? edge::coherent : edge::flushed;
}

// Where a worker of process `process` runs.
[[nodiscard]] inline domain_id domain_of(unsigned process, unsigned worker) noexcept {
    return domain_id{edge_between_workers() == edge::coherent ? process : worker};
}

} // namespace skerry::inline SKERRY_ABI::detail
