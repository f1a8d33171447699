// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which count of which event group an event belongs to, in one word.
//
// | bits | what |
// |---|---|
// | 0-15 | the group's number, from 1; 0: no group |
// | 16-63 | the generation: which count of all that were ever begun |
//
// A generation never comes again: 2^48 take thousands of years.

#include <cstddef>
#include <cstdint>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

class group_tag {
  public:
    constexpr group_tag() noexcept = default;
    constexpr group_tag(std::size_t number, std::uint64_t generation) noexcept
        : word_(number | generation << number_bits) {}

    [[nodiscard]] constexpr bool any() const noexcept { return word_ != 0; }
    [[nodiscard]] constexpr std::size_t number() const noexcept {
        return word_ & ((std::uint64_t{1} << number_bits) - 1);
    }
    friend constexpr bool operator==(group_tag, group_tag) noexcept = default;

  private:
    static constexpr int number_bits = 16;

    std::uint64_t word_ = 0;
};

} // namespace skerry::inline SKERRY_ABI::detail
