// SPDX-License-Identifier: Apache-2.0
#pragma once

// The simulated machine's memory, line by line. A page of the program gets the next free frame when it is first
// touched, so what the machine sees does not depend on where the system put the page.

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sim/hot.hpp"

namespace skerry_sim::detail {

struct line_record {
    std::uint64_t holders = 0; // a bit per core whose private cache has the line
    std::uint64_t lost = 0;    // bytes of the shared cache that an older write-back has overwritten
    std::uint32_t image = 0;   // emulation: 1 + index of the shared cache's values of old bytes; 0: there are none
    std::int32_t owner = -1;   // coherent caches: who may write it
};

// Who wrote each granule last; 0 in `pc`: nobody yet.
struct writer_record {
    std::uint32_t pc[granules] = {};
    std::uint8_t core[granules] = {};
};

class frames {
  public:
    static constexpr unsigned page_shift = 12;
    static constexpr unsigned lines_per_page = 1U << (page_shift - line_shift);

    explicit frames(bool with_writers)
        : with_writers_(with_writers),
          near_pages_(near_size, no_line),
          near_frames_(near_size) {}

    // The line of the machine behind a line of the program.
    std::uint32_t line_of(std::uint64_t line) noexcept {
        const std::uint64_t page = line / lines_per_page;
        const std::size_t at = page % near_size;
        if (near_pages_[at] != page) [[unlikely]] {
            near_frames_[at] = find_or_touch(page);
            near_pages_[at] = page;
        }
        return near_frames_[at] * lines_per_page + static_cast<std::uint32_t>(line % lines_per_page);
    }

    // As line_of, but false for a page that nobody has touched.
    bool known(std::uint64_t line, std::uint32_t& frame_line) const;

    line_record& record(std::uint32_t frame_line) noexcept {
        return records_[frame_line / chunk_lines][frame_line % chunk_lines];
    }
    writer_record& writer(std::uint32_t frame_line) noexcept {
        return writers_[frame_line / chunk_lines][frame_line % chunk_lines];
    }

    // No cache has a line, and nothing in the shared cache is old.
    void forget_copies() noexcept;

    std::uint32_t count() const noexcept { return count_; }
    std::uint64_t foreign() const noexcept { return foreign_; }

    // Pages in none of the ranges are counted as foreign.
    void own(std::uint64_t begin, std::uint64_t end) { ranges_.push_back({begin, end}); }

  private:
    static constexpr std::size_t near_size = 4096;
    static constexpr std::uint32_t chunk_lines = 64 * lines_per_page;

    std::uint32_t find_or_touch(std::uint64_t page);

    struct range {
        std::uint64_t begin;
        std::uint64_t end;
    };

    bool with_writers_;
    std::uint32_t count_ = 0;
    std::uint64_t foreign_ = 0;
    std::vector<std::uint64_t> near_pages_;
    std::vector<std::uint32_t> near_frames_;
    std::unordered_map<std::uint64_t, std::uint32_t> far_;
    std::vector<std::unique_ptr<line_record[]>> records_;
    std::vector<std::unique_ptr<writer_record[]>> writers_;
    std::vector<range> ranges_;
};

} // namespace skerry_sim::detail
