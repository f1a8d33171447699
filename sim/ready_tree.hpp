// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which core is next: the least (clock, core) of those that can run. A tournament tree, since a sleeper's turn can be
// moved in either direction, which a heap has to search for.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace skerry_sim::detail {

class ready_tree {
  public:
    static constexpr std::uint64_t never = ~std::uint64_t{0};

    explicit ready_tree(unsigned cores)
        : leaves_(std::bit_ceil(std::max(cores, 2U))),
          least_(2 * std::size_t{leaves_}, never) {}

    static constexpr std::uint64_t key(std::int64_t clock, unsigned core) noexcept {
        return static_cast<std::uint64_t>(clock) << 6 | core;
    }
    static constexpr std::int64_t clock_of(std::uint64_t key) noexcept { return static_cast<std::int64_t>(key >> 6); }
    static constexpr unsigned core_of(std::uint64_t key) noexcept { return static_cast<unsigned>(key & 63); }

    std::uint64_t least() const noexcept { return least_[1]; }
    std::uint64_t of(unsigned core) const noexcept { return least_[leaves_ + core]; }

    void set(unsigned core, std::uint64_t key) noexcept {
        std::uint64_t* const nodes = least_.data();
        unsigned at = leaves_ + core;
        nodes[at] = key;
        while ((at /= 2) != 0) {
            const std::uint64_t left = nodes[2 * at];
            const std::uint64_t right = nodes[2 * at + 1];
            nodes[at] = left < right ? left : right;
        }
    }

  private:
    unsigned leaves_;
    std::vector<std::uint64_t> least_;
};

} // namespace skerry_sim::detail
