// SPDX-License-Identifier: Apache-2.0
#pragma once

// Thread safety: constant after construction.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/deps/crossing_type.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// The types of tasks that can cross, in an order that is the same in every process that runs this program.
class crossing_table {
  public:
    static const crossing_table& instance();

    [[nodiscard]] std::uint64_t hash() const noexcept { return hash_; }
    [[nodiscard]] std::size_t size() const noexcept { return types_.size(); }
    // Null: there is none.
    [[nodiscard]] const crossing_type* at(std::uint32_t index) const noexcept {
        return index < types_.size() ? types_[index] : nullptr;
    }

  private:
    crossing_table();

    std::vector<const crossing_type*> types_;
    std::uint64_t hash_ = 0;
};

} // namespace skerry::inline SKERRY_ABI::detail
