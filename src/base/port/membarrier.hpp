// SPDX-License-Identifier: Apache-2.0
#pragma once

// The heavy half of an asymmetric fence: membarrier(2), expedited and private to this process.
//
// A thread that pairs with heavy_barrier() needs a compiler barrier only; the caller of heavy_barrier() pays for both
// (about 11 us: an interrupt to each core that runs a thread of this process).
// Thread safety: any thread. Errors: false; the caller then uses a protocol that needs no membarrier.

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::port {

// Declares that this process will use heavy_barrier(). False where the kernel is too old, was built without it or a
// seccomp filter refuses it. May be called again; a forked child inherits the registration.
bool register_membarrier() noexcept;

// When it returns true, every running thread of this process has passed a full memory barrier between the call and the
// return. Precondition for true: register_membarrier() returned true before.
bool heavy_barrier() noexcept;

} // namespace skerry::inline SKERRY_ABI::port
