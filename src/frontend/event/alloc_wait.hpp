// SPDX-License-Identifier: Apache-2.0
#pragma once

// Calls that wait for an event while em_term() may be called.
//
// Thread safety: any thread.
//
// Invariant: a machine that a call has got from enter() stays until the call has left.

#include <mutex>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/sync/machine.hpp>

#include "sync/condition.hpp"
#include "sync/mutex.hpp"

namespace skerry::inline SKERRY_ABI::detail {

class event_machine;

class alloc_waits {
  public:
    // Null: there is none, and the call is not inside.
    [[nodiscard]] event_machine* enter() noexcept;
    void leave() noexcept;
    // From here on there is no machine. Ends the waits, and returns when all calls have left.
    void end(event_machine& em) noexcept;

  private:
    mutex<machine> lock_;
    condition<machine> left_;
    // Guarded by lock_.
    int inside_ = 0;
    bool ending_ = false; // end() waits
};
extern constinit alloc_waits waiting_calls;

} // namespace skerry::inline SKERRY_ABI::detail
