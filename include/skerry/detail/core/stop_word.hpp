// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a context says of being asked to stop, in one word.
//
// | bits | meaning                                                                                                 |
// |------|---------------------------------------------------------------------------------------------------------|
// | 0    | somebody asked the tasks under this context to stop                                                     |
// | 1    | this is a group, which can be asked; the address, if there is one, is its own state                     |
// | 2    | this is a part of a search; the address is that of an `overtaken`                                       |
// | rest | of a task that may outlive what it was begun in, or a group: the address of a stop_state; a reference   |
//
// Thread safety: any thread.

#include <cstdint>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/sync/machine.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// What is left of a group for tasks that outlive it or the one of its tasks that has begun them. On the heap; whoever
// holds a reference gives it up by let_go().
struct stop_state {
    explicit stop_state(const stop_state* around) noexcept : outer(around) {}

    // Whether the group, or one around it, was asked to stop.
    [[nodiscard]] bool stopping() const noexcept {
        const stop_state* s = this;
        while (s != nullptr && !s->asked.load(memory_order::acquire)) {
            s = s->outer;
        }
        return s != nullptr;
    }
    const stop_state* held() const noexcept {
        references.fetch_add(1, memory_order::relaxed); // relaxed: the caller's way to it keeps it alive
        return this;
    }

    const stop_state* const outer; // of the group around; a reference, or null
    mutable machine::atomic<bool> asked{false};
    mutable machine::atomic<std::uint32_t> references{1};
};

// Of a run of elements in a search: what a match further left makes useless.
struct overtaken {
    const machine::atomic<std::uint64_t>& earliest; // match that is known
    const std::uint64_t first;                      // element of the run

    [[nodiscard]] bool happened() const noexcept { return earliest.load(memory_order::acquire) < first; }
};

struct stop_word {
    static constexpr std::uintptr_t nothing = 0;
    static constexpr std::uintptr_t asked = 1;
    static constexpr std::uintptr_t source = 2;
    static constexpr std::uintptr_t search = 4;
    static constexpr std::uintptr_t marks = 7;

    static std::uintptr_t of(const stop_state* s) noexcept { return reinterpret_cast<std::uintptr_t>(s); }
    static std::uintptr_t of(const overtaken& o) noexcept { return reinterpret_cast<std::uintptr_t>(&o) | search; }

    // Null: none is there.
    static const stop_state* state_of(std::uintptr_t word) noexcept {
        return (word & search) == 0 ? reinterpret_cast<const stop_state*>(word & ~marks) : nullptr;
    }
    // Whether the context with this word was asked to stop, as far as the word tells.
    static bool stops(std::uintptr_t word) noexcept {
        if ((word & search) != 0) {
            return reinterpret_cast<const overtaken*>(word & ~marks)->happened();
        }
        const stop_state* const state = state_of(word);
        return (word & asked) != 0 || (state != nullptr && state->stopping());
    }
};

static_assert(alignof(stop_state) > stop_word::marks && alignof(overtaken) > stop_word::marks);

} // namespace skerry::inline SKERRY_ABI::detail
