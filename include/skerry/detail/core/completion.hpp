// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// Called by the last one that arrives at a latch, where nobody sleeps until then: what stands in the latch instead of a
// sleeper. Told apart from one by a bit that an address does not have.
struct completion {
    void (*ended)(completion*) noexcept;

    static constexpr std::uintptr_t tag = 2;

    [[nodiscard]] void* word() noexcept {
        return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(this) | tag);
    }
    // The completion that a word stands for, or null: it is a sleeper.
    [[nodiscard]] static completion* of(void* word) noexcept {
        const auto bits = reinterpret_cast<std::uintptr_t>(word);
        return (bits & tag) != 0 ? reinterpret_cast<completion*>(bits & ~tag) : nullptr;
    }
};
static_assert(std::is_standard_layout_v<completion> && sizeof(completion) == sizeof(void*));
static_assert(alignof(completion) > completion::tag);

} // namespace skerry::inline SKERRY_ABI::detail
