// SPDX-License-Identifier: Apache-2.0
#pragma once

// Who says which pages of the arena are this process's to hand out. Processes that share addresses have a part each, so
// that no page is handed out twice and nobody has to ask.

#include <cstddef>
#include <map>
#include <optional>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/sync/machine.hpp>

#include "sync/mutex.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// Numbers of pages from the begin of the arena.
struct page_range {
    std::size_t first = 0;
    std::size_t count = 0;
    friend bool operator==(const page_range&, const page_range&) = default;
};

// Thread safety: any thread. No lock of the arena or of a region is held by the caller, so that a source may wait for
// an answer and serve others meanwhile.
class page_source {
  public:
    page_source() = default;
    page_source(const page_source&) = delete;
    page_source& operator=(const page_source&) = delete;
    virtual ~page_source() = default;

    // `count` pages in a row that are nobody's, or nothing if there are none. Errors: std::bad_alloc.
    virtual std::optional<page_range> take(std::size_t count) = 0;
    // A part of what take() gave, here or in another process: pages come along with the regions that use them, and
    // whoever frees them has them. It cannot fail: what cannot be noted stays unused.
    virtual void give(page_range range) noexcept = 0;
    // Whether it might give out any of these. For checks; who does not know says no.
    [[nodiscard]] virtual bool has(page_range) noexcept { return false; }
};

// Pages that this process has to itself, all of an arena or a part: the lowest that fit, so that memory stays together.
// Complexity: linear in the gaps below.
class local_pages final : public page_source {
  public:
    explicit local_pages(page_range all) { free_.emplace(all.first, all.count); }

    std::optional<page_range> take(std::size_t count) override;
    void give(page_range range) noexcept override;
    [[nodiscard]] bool has(page_range range) noexcept override;

  private:
    mutex<machine> mutex_;
    std::map<std::size_t, std::size_t> free_; // guarded: first page to count, no two adjacent
};

} // namespace skerry::inline SKERRY_ABI::detail
