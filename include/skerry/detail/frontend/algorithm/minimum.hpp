// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/detail/sync/machine.hpp>

#include <cstdint>

namespace skerry::inline SKERRY_ABI::detail {

// A number that only falls: the place of the earliest match that a search knows of.
//
// Thread safety: any thread may call both. The number only says what need not be looked at; the answer itself travels
// through the joins of the forks. Acquire, so that caches kept by software do not show an old number for ever.
template <class Machine>
class shared_minimum {
  public:
    explicit shared_minimum(std::uint64_t value) noexcept : value_{value} {}

    [[nodiscard]] std::uint64_t get() const noexcept { return value_.load(memory_order::acquire); }
    // Where it is, for search_part.
    [[nodiscard]] const typename Machine::template atomic<std::uint64_t>& place() const noexcept { return value_; }

    void lower_to(std::uint64_t value) noexcept {
        std::uint64_t now = get();
        while (value < now && !value_.compare_exchange_weak(now, value, memory_order::relaxed, memory_order::relaxed)) {
        }
    }

  private:
    typename Machine::template atomic<std::uint64_t> value_;
};

} // namespace skerry::inline SKERRY_ABI::detail
