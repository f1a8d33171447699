// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reports an overflow of stacks that a thread switches by hand (thread.hpp does it for the stacks of threads).

#include <cstddef>
#include <memory>

#include <skerry/detail/base/abi.hpp>

#include "base/port/stack_guard.hpp"

namespace skerry::inline SKERRY_ABI::port {

// While it lives, a fault of the calling thread in the guard's range ends the process with a message. Made and
// destroyed by one thread. Throws std::bad_alloc without memory for a signal stack.
class overflow_scope {
  public:
    explicit overflow_scope(const stack_guard& guard);
    ~overflow_scope();
    overflow_scope(const overflow_scope&) = delete;
    overflow_scope& operator=(const overflow_scope&) = delete;

  private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace skerry::inline SKERRY_ABI::port
