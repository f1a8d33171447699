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

// The earliest match that a search knows of. Once a second thread takes part, a match is a request to stop for what
// runs further right: it counts as one from before it is known until the search ends.
class shared_match : public shared_minimum<machine> {
  public:
    explicit shared_match(std::uint64_t value) noexcept : shared_minimum(value), owner_(current_page) {}
    shared_match(const shared_match&) = delete;
    shared_match& operator=(const shared_match&) = delete;
    ~shared_match() {
        if (requests_.load(memory_order::relaxed) != 0) end_request(); // relaxed: all that took part has ended
    }

    SKERRY_EXPORT void lower_to(std::uint64_t value) noexcept;
    // The calling thread begins to search a part, before it looks at any match.
    void take_part(const worker_page* page) const noexcept;

  private:
    SKERRY_EXPORT static void end_request() noexcept;

    const worker_page* const owner_;
    mutable machine::atomic<bool> shared_{false};
    machine::atomic<std::uint32_t> requests_{0}; // how many of stops_in_force are this one's: 0 or 1
};

// While this lives, what the calling thread runs is a part of a search that begins at `first`: stop_requested() is true
// in it once there is a match further left. Nothing for a thread that holds no slot, which searches alone.
class search_part {
  public:
    SKERRY_EXPORT search_part(const shared_match& earliest, std::uint64_t first) noexcept;
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
