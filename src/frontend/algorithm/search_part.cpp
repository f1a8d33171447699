// SPDX-License-Identifier: Apache-2.0

#include <skerry/detail/frontend/algorithm/search_part.hpp>

#include <new>
#include <utility>

#include "base/port/frame.hpp"
#include "sched/cancellation.hpp"
#include "sched/worker.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// A thread that takes part and a match: either the match finds the thread, or the thread, which looks for a match
// before it calls anything, the match.
void shared_match::take_part(const worker_page* page) const noexcept {
    if (page != owner_ && !shared_.load(memory_order::acquire)) { // acquire: before its look for a match
        shared_.store(true, memory_order::relaxed);
        machine::full_fence();
    }
}

void shared_match::lower_to(std::uint64_t value) noexcept {
    if (shared_.load(memory_order::relaxed)) { // relaxed, both: the fences order it
        request_for_search(requests_); // before anybody sees the match, so that who sees it skips what has not begun
    }
    shared_minimum::lower_to(value);
    machine::full_fence();
    if (shared_.load(memory_order::relaxed)) {
        request_for_search(requests_);
        alert_all();
    }
}

void shared_match::end_request() noexcept { end_search_request(); }

search_part::search_part(const shared_match& earliest, std::uint64_t first) noexcept
    : by_{earliest.place(), first},
      page_(current_page) {
    if (page_ != nullptr) {
        earliest.take_part(page_);
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
