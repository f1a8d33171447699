// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a task inherits from the code that begins it. A fork stores a pointer to it; nothing is copied.

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/sync/latch.hpp>
#include <skerry/detail/sync/machine.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// Lives in the frame that waits for all tasks begun under it, so it outlives them.
//
// Thread safety: constant after construction, but for `stop`.
struct context {
    // `own`: counts the tasks begun under this context and not waited for by a frame; null: the enclosing one's does.
    context(const context* enclosing, latch<machine>* own) noexcept
        : parent(enclosing),
          pending(own != nullptr || enclosing == nullptr ? own : enclosing->pending) {}

    // Of one task, in which it lives, that a group or a scope outside `enclosing` waits for too.
    context(const context& enclosing, const context& also) noexcept
        : parent(&enclosing),
          pending(enclosing.pending),
          member_of(&also) {}

    // The next context outwards; null at the root of a runtime.
    const context* const parent;
    // What covers tasks that are begun here.
    latch<machine>* const pending;
    // The group or scope that this one task joined; null for all others.
    const context* const member_of = nullptr;
    // Somebody asked the tasks under this context to stop.
    machine::atomic<bool> stop{false};

    // The frame that covers tasks begun here, which outlives them: a task's own context dies with the task.
    [[nodiscard]] const context& frame() const noexcept { return member_of != nullptr ? *parent : *this; }

    // Where a task begun under this context is waited for.
    [[nodiscard]] const context& cover() const noexcept { return member_of != nullptr ? *member_of : *this; }

    // Whether this context is `outer`, or lies within it or within a task that joined it. O(nesting depth).
    [[nodiscard]] bool within(const context* outer) const noexcept {
        for (const context* c = this; c != nullptr; c = c->parent) {
            if (c == outer || c->member_of == outer) {
                return true;
            }
        }
        return false;
    }

    // Whether this context or one around it was asked to stop. O(nesting depth).
    [[nodiscard]] bool stopping() const noexcept {
        for (const context* c = this; c != nullptr; c = c->parent) {
            // relaxed: a hint; data is ordered by the join
            if (c->stop.load(std::memory_order_relaxed) ||
                (c->member_of != nullptr && c->member_of->stop.load(std::memory_order_relaxed))) {
                return true;
            }
        }
        return false;
    }
};

} // namespace skerry::inline SKERRY_ABI::detail
