// SPDX-License-Identifier: Apache-2.0
#include "sim/frames.hpp"

#include "sim/core.hpp"

namespace skerry_sim::detail {

std::uint32_t frames::find_or_touch(std::uint64_t page) {
    const host_section host;
    const auto [at, fresh] = far_.try_emplace(page, count_);
    if (!fresh) {
        return at->second;
    }
    const std::uint64_t address = page << page_shift;
    bool ours = false;
    for (const range& r : ranges_) {
        ours = ours || (address >= r.begin && address < r.end);
    }
    foreign_ += ours ? 0 : 1;
    if (count_ * lines_per_page / chunk_lines == records_.size()) {
        records_.push_back(std::make_unique<line_record[]>(chunk_lines));
        if (with_writers_) {
            writers_.push_back(std::make_unique<writer_record[]>(chunk_lines));
        }
    }
    return count_++;
}

void frames::forget_copies() noexcept {
    for (const auto& chunk : records_) {
        for (std::uint32_t i = 0; i < chunk_lines; ++i) {
            chunk[i] = line_record{};
        }
    }
}

bool frames::known(std::uint64_t line, std::uint32_t& frame_line) const {
    const std::uint64_t page = line / lines_per_page;
    std::uint32_t frame = near_frames_[page % near_size];
    if (near_pages_[page % near_size] != page) {
        const host_section host;
        const auto at = far_.find(page);
        if (at == far_.end()) {
            return false;
        }
        frame = at->second;
    }
    frame_line = frame * lines_per_page + static_cast<std::uint32_t>(line % lines_per_page);
    return true;
}

} // namespace skerry_sim::detail
