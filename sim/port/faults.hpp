// SPDX-License-Identifier: Apache-2.0
#pragma once

// For tests: coherence steps and interrupt masks of the simulated library that are left out on purpose, and how often
// each step was done. Thread safety: the thread that simulates.

#include <cstdint>
#include <initializer_list>

#include <skerry/detail/sync/coherence_step.hpp>

namespace skerry::inline SKERRY_ABI::port {

// Until the next call, these are not done.
void leave_out(std::initializer_list<detail::coherence_step> steps);
// Until the next call: masking does nothing.
void leave_out_masks(bool yes);

// Since the process began.
[[nodiscard]] std::uint64_t steps_done(detail::coherence_step step);

} // namespace skerry::inline SKERRY_ABI::port
