// SPDX-License-Identifier: Apache-2.0
#pragma once

// What lies below the private caches: mesh, shared banks, DRAM. Only times and tags; the bytes are in host memory.
// Calls come in the order of time, which is what makes the queues at banks and controllers one number each.

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "sim/machine_description.hpp"

namespace skerry_sim::detail {

struct place {
    int x;
    int y;
};

class shared_memory {
  public:
    static constexpr std::uint32_t nothing = ~std::uint32_t{0};

    shared_memory(const machine_description& machine, std::uint64_t seed);

    // A request of `request` bytes from a core and the answer of `response` bytes: when the answer is there.
    // `fetch`: the line's bytes are needed, so a miss goes to DRAM.
    std::int64_t round_trip(place from, std::uint32_t frame_line, std::int64_t time, unsigned request,
                            unsigned response, bool fetch);

    // Bytes sent down without waiting: when the acknowledgement is there.
    std::int64_t post(place from, std::uint32_t frame_line, std::int64_t time, unsigned bytes) {
        return round_trip(from, frame_line, time, bytes, 0, false);
    }

    std::int64_t between(place a, place b) const noexcept {
        return hop_ * (std::abs(a.x - b.x) + std::abs(a.y - b.y)) + 2; // into the network and out of it
    }
    std::int64_t to_bank(place from, std::uint32_t frame_line) const noexcept {
        const auto bank = static_cast<int>(frame_line % machine_.l2.banks);
        return hop_ * (std::abs(from.x - bank % columns_) + rows_ - from.y);
    }

    // The line that the last call pushed out of the shared cache, or `nothing`.
    std::uint32_t evicted() const noexcept { return evicted_; }
    std::uint64_t misses() const noexcept { return misses_; }

  private:
    struct slot {
        std::uint32_t frame_line = nothing;
        std::uint32_t used = 0;
    };

    bool touch(std::uint32_t frame_line) noexcept;
    std::int64_t flits(unsigned bytes) const noexcept {
        return (bytes + machine_.network.flit_bytes - 1) / machine_.network.flit_bytes;
    }

    machine_description machine_;
    int columns_;
    int rows_;
    std::int64_t hop_;
    unsigned sets_;
    std::vector<slot> slots_;
    std::vector<std::int64_t> bank_free_;
    std::vector<std::int64_t> dram_free_;
    std::uint32_t clock_ = 0;
    std::uint32_t evicted_ = nothing;
    std::uint64_t misses_ = 0;
    std::uint64_t noise_; // 0: none
};

} // namespace skerry_sim::detail
