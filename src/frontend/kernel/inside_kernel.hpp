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
    inside_kernel() noexcept : before_(inside_) { inside_ = true; }
    inside_kernel(const inside_kernel&) = delete;
    inside_kernel& operator=(const inside_kernel&) = delete;
    ~inside_kernel() { inside_ = before_; }

    [[nodiscard]] static bool here() noexcept { return inside_; }

  private:
    static constinit thread_local bool inside_;

    const bool before_;
};

} // namespace skerry::inline SKERRY_ABI::detail
