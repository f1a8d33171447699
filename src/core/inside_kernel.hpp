// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether the calling thread is in a kernel's body. A loop over a kernel that such a body starts runs where it is: it
// cannot wait for the device that the loop around it has.
//
// Thread safety: each thread has its own.

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

class inside_kernel {
  public:
    inside_kernel() noexcept : before_(inside) { inside = true; }
    inside_kernel(const inside_kernel&) = delete;
    inside_kernel& operator=(const inside_kernel&) = delete;
    ~inside_kernel() { inside = before_; }

    [[nodiscard]] static bool here() noexcept { return inside; }

  private:
    static constinit inline thread_local bool inside = false;

    const bool before_;
};

} // namespace skerry::inline SKERRY_ABI::detail
