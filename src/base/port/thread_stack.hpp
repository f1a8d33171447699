// SPDX-License-Identifier: Apache-2.0
#pragma once

// The calls on another thread's stack. A thread that computes, or that waits for a lock or a condition without a time,
// is sent a signal, whose handler writes its calls down; it goes on as if nothing had been. One in another call of the
// system would see that call fail with EINTR: its stack is read from outside, where what looks like a return address
// may be left over from a call that is over.
//
// Thread safety: a reader belongs to one thread. Readers take turns.

#include <cstdint>
#include <vector>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::port {

struct thread_stack {
    std::vector<const void*> calls; // as call_stack() has them; empty: nothing could be read
    bool exact = false;             // false: among them may be some of calls that are over
};

class thread_stack_reader {
  public:
    thread_stack_reader() noexcept = default;
    thread_stack_reader(const thread_stack_reader&) = delete;
    thread_stack_reader& operator=(const thread_stack_reader&) = delete;
    // Gives the signal back.
    ~thread_stack_reader();

    // Of another thread of this process. Waits for it, for a tenth of a second at most. The first call takes a
    // real-time signal for which the program has no handler. Errors: std::bad_alloc.
    thread_stack read(std::uint32_t thread);

  private:
    bool holds_ = false; // a share in the signal
};

} // namespace skerry::inline SKERRY_ABI::port
