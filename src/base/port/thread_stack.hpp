// SPDX-License-Identifier: Apache-2.0
#pragma once

// The calls on another thread's stack. A thread that computes, or that waits for a lock or a condition without a time,
// is sent a signal, whose handler writes its calls down. One in another call of the system would see that call fail
// with EINTR: its stack is read from outside, where what looks like a return address may be left over from a call that
// is over. Between the look at what a thread does and the arrival of the signal it may have entered a call after all.
// The system takes most calls up again behind the handler (SA_RESTART), but not poll(), select(), epoll_wait(),
// nanosleep(), usleep(), sigtimedwait(), semop() and msgrcv() with their kin, nor what waits on a socket with a time:
// these end early, with EINTR, once for such a signal.
//
// Thread safety: a reader belongs to one thread. Readers take turns.

#include <cstdint>
#include <mutex>
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
    int holds_in_ = 0; // the process in which it has a share in the signal; 0: none
};

// Held while a stack is read, and to be held across fork(): who is asked then is not in the child.
std::mutex& thread_stacks_mutex() noexcept;

} // namespace skerry::inline SKERRY_ABI::port
