// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/export.hpp>
#include <skerry/detail/core/context.hpp>
#include <skerry/detail/core/worker_page.hpp>
#include <skerry/detail/frontend/algorithm/minimum.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// While this lives, what the calling thread runs is a part of a search that begins at `first`: stop_requested() is true
// in it once there is a match further left. Nothing for a thread that holds no slot, which searches alone.
class search_part {
  public:
    SKERRY_EXPORT search_part(const shared_minimum<machine>& earliest, std::uint64_t first) noexcept;
    search_part(const search_part&) = delete;
    search_part& operator=(const search_part&) = delete;
    SKERRY_EXPORT ~search_part();

  private:
    const overtaken by_;
    worker_page* const page_;
    const context* outer_ = nullptr;
    const void* outer_entered_ = nullptr;
    alignas(context) std::byte own_[sizeof(context)]; // a context, if there is a page
};

} // namespace skerry::inline SKERRY_ABI::detail
