// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/export.hpp>
#include <skerry/detail/core/worker_page.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// Lends the calling worker's permit to run to another thread for as long as this lives. Nothing outside a region.
class SKERRY_EXPORT blocking_region {
  public:
    blocking_region() noexcept;
    blocking_region(const blocking_region&) = delete;
    blocking_region& operator=(const blocking_region&) = delete;
    ~blocking_region();

  private:
    worker_page* const page_;
};

} // namespace skerry::inline SKERRY_ABI::detail
