// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// The steps at which a protocol moves data between a core's cache and the memory that cores share (Wang et al., Fig.
// 3). Each publish() and discard() of a machine policy names its step, so that a simulated machine can count the steps
// and leave one out: that is how tests show that each is needed. docs/design/0008-the-steal-contract.md has the table.
enum class coherence_step : std::uint8_t {
    gate_entered,  // discard: behind a lock, before what it guards is read
    gate_left,     // publish: what it guards, and every task that lies in the deque, before the lock opens
    request_sent,  // publish: a thief's request, before the interrupt
    request_taken, // discard: the request, in the victim's handler
    reply_sent,    // publish: the stolen task and all that it may read, before the thief hears
    reply_taken,   // discard: whatever the thief's cache held of it before
    task_ended,    // publish: what a task wrote, before whoever waits for it hears
    task_joined,   // discard: whatever the joiner's cache held of it before
    handed_over,   // publish: an object that others find by an atomic pointer
    found,         // discard: whatever was held of such an object
    turn_passed,   // publish: what a task wrote, before those that wait for its accesses may begin
    turn_taken,    // discard: before a task begins that may have waited for others
};

} // namespace skerry::inline SKERRY_ABI::detail
