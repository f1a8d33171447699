// SPDX-License-Identifier: Apache-2.0

#include <skerry/detail/frontend/algorithm/search_part.hpp>

#include <new>
#include <utility>

#include "base/port/frame.hpp"
#include "sched/worker.hpp"

namespace skerry::inline SKERRY_ABI::detail {

search_part::search_part(const shared_minimum<machine>& earliest, std::uint64_t first) noexcept
    : by_{earliest.place(), first},
      page_(current_page) {
    if (page_ != nullptr) {
        worker& self = worker::of(*page_);
        outer_ = page_->ctx;
        outer_entered_ = std::exchange(self.entered, port::this_frame());
        self.contexts.enter(::new (static_cast<void*>(own_)) context(*outer_, by_));
    }
}

search_part::~search_part() {
    if (page_ != nullptr) {
        worker& self = worker::of(*page_);
        self.contexts.leave(outer_);
        self.entered = outer_entered_;
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
