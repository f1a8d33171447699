// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/sync/machine.hpp>

#include "sync/mutex.hpp"

namespace skerry::inline SKERRY_ABI::detail {

class event_machine;

// The lock of the event machine. Whoever has it has all that lies at cores, too: those that work at their homes are
// outside of their gates until it opens (homes.cpp).
//
// Thread safety: any thread, outside of its own gate. Works with std::lock_guard and std::unique_lock.
class machine_lock {
  public:
    explicit machine_lock(event_machine& of) noexcept : of_(of) {}
    machine_lock(const machine_lock&) = delete;
    machine_lock& operator=(const machine_lock&) = delete;

    void lock() noexcept;
    void unlock() noexcept;

  private:
    event_machine& of_;
    mutex<machine> mutex_;
    bool stopped_ = false; // guarded by it: cores wait outside of their gates
};

} // namespace skerry::inline SKERRY_ABI::detail
