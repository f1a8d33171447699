// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a team tells whoever wants to know how its workers wait and what they run: the watchdog, if there is one.
// Without, nothing is noted.
//
// Thread safety: called by the holder of the slot.

#include <cstdint>

#include <skerry/detail/base/abi.hpp>

#include "trace/naming.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// What a worker does that is not the program's own code.
struct wait_note {
    const char* text = nullptr;    // a literal; null: nothing
    const void* subject = nullptr; // what it waits for
    std::uint64_t since = 0;       // port::now_ns()
};

// What of the program a worker runs.
struct running_note {
    naming what{};                // address 0: what has no name of its own
    std::uint64_t since = 0;      // port::now_ns()
    std::uint64_t task_since = 0; // the same, of the innermost task around, or of the entry from outside; 0: neither
};

class wait_observer {
  public:
    // The calling thread holds the slot from now on.
    virtual void seated(unsigned slot) noexcept = 0;
    // What the worker does from now on; returns what was noted before, to be noted again when that is over.
    virtual wait_note notes(unsigned slot, const wait_note& now) noexcept = 0;
    // What it runs from now on, to be noted again when what it is about to run has ended.
    virtual void runs(unsigned slot, const running_note& now) noexcept = 0;
    [[nodiscard]] virtual running_note running(unsigned slot) const noexcept = 0;
    // It found nothing to do and is about to sleep.
    virtual void sleeps(unsigned slot) noexcept = 0;

  protected:
    ~wait_observer() = default;
};

} // namespace skerry::inline SKERRY_ABI::detail
