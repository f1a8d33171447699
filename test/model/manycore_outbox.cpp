// SPDX-License-Identifier: Apache-2.0

// The source that ships, and where its requests lie, for the explorer: a global is no part of its arena.

#include "sched/steal_interrupt.cpp" // NOLINT(bugprone-suspicious-include): its unnamed namespace is meant

#include "manycore_programs.hpp"

namespace skerry::model {

std::span<const std::byte> outbox() { return std::as_bytes(std::span(detail::outbox)); }

} // namespace skerry::model
