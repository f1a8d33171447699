// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a task inherits from the code that begins it: {what covers it, the dataflow task around it, whether it was asked
// to stop}. Nothing of it is copied: a fork says which one it is (task_header).

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/stop_word.hpp>
#include <skerry/detail/sync/latch.hpp>
#include <skerry/detail/sync/machine.hpp>

namespace skerry::inline SKERRY_ABI::detail {

struct task_context;

// Lives in the frame that waits for all tasks begun under it, so it outlives them.
//
// Thread safety: constant after construction, but for `stop`.
struct context {
    // `own`: counts the tasks begun under this context and not waited for by a frame; null: the enclosing one's does.
    context(const context* enclosing, latch<machine>* own) noexcept
        : context(enclosing, own, enclosing != nullptr ? enclosing->spawner : nullptr) {}

    // `spawning`: what is spawned under this context is a child of that one. `left_by`: a reference to what may be
    // asked to stop around the task and does not outlive it, or null.
    context(const context* enclosing, latch<machine>* own, const task_context* spawning,
            const stop_state* left_by = nullptr) noexcept
        : parent(enclosing),
          pending(own != nullptr || enclosing == nullptr ? own : enclosing->pending),
          spawner(spawning),
          stop(stop_word::of(left_by)) {}

    // Of one task, in which it lives, that a group or a scope outside `enclosing` waits for too. `left_by`: as above.
    context(const context& enclosing, const context& also, const stop_state* left_by = nullptr) noexcept
        : parent(&enclosing),
          pending(enclosing.pending),
          spawner(enclosing.spawner),
          member_of(&also),
          stop(stop_word::of(left_by)) {}

    // Of a part of a search, in which it lives.
    context(const context& enclosing, const overtaken& by) noexcept : context(enclosing, enclosing) {
        stop.store(stop_word::of(by), memory_order::relaxed); // relaxed: published as the context is
    }

    // Of a group, which can be asked to stop. `around`: the context in which it was made, if that outlives it.
    context(latch<machine>& own, const context* around) noexcept
        : parent(around),
          pending(&own),
          spawner(nullptr),
          stop(stop_word::source) {}

    // The next context outwards; null at the root of a runtime.
    const context* const parent;
    // What covers tasks that are begun here.
    latch<machine>* const pending;
    // The dataflow task, or the root, whose children tasks spawned here are; null where nothing can be spawned.
    const task_context* const spawner;
    // The group or scope that this one task joined; null for all others.
    const context* const member_of = nullptr;
    // Whether somebody asked the tasks under this context to stop: stop_word.
    mutable machine::atomic<std::uintptr_t> stop{stop_word::nothing};

    // The frame that covers tasks begun here, which outlives them: a task's own context dies with the task.
    [[nodiscard]] const context& frame() const noexcept {
        const context* c = this;
        while (c->member_of != nullptr) {
            c = c->parent;
        }
        return *c;
    }

    // What this context is inside of, for whoever asks it to stop: a task is inside the group or scope that it joined.
    [[nodiscard]] const context* around() const noexcept { return member_of != nullptr ? member_of : parent; }

    // Where a task begun under this context is waited for.
    [[nodiscard]] const context& cover() const noexcept { return member_of != nullptr ? *member_of : *this; }

    // Whether this context is `outer`, or lies within it, within a task that joined it, or within a child of it.
    // O(nesting depth).
    [[nodiscard]] inline bool within(const context* outer) const noexcept;

    // Whether this context or one around it was asked to stop. O(nesting depth).
    [[nodiscard]] bool stopping() const noexcept {
        for (const context* c = this; c != nullptr; c = c->around()) {
            // acquire, though it is only a hint: where caches are kept by software it would never arrive
            const std::uintptr_t word = c->stop.load(memory_order::acquire);
            if (word != stop_word::nothing && stop_word::stops(word)) {
                return true;
            }
        }
        return false;
    }
};

static_assert(std::is_standard_layout_v<context> && sizeof(context) == 5 * sizeof(void*));
static_assert(offsetof(context, parent) == 0 && offsetof(context, pending) == sizeof(void*) &&
              offsetof(context, spawner) == 2 * sizeof(void*) && offsetof(context, member_of) == 3 * sizeof(void*) &&
              offsetof(context, stop) == 4 * sizeof(void*));

struct dependent_task;
class task_scope;

// Of a dataflow task, of a root task, or of what runs outside all tasks: the parent of what is spawned under it.
struct task_context : context {
    // `in`: whose child the task is; null for a root. `of`: the task itself; null for a root.
    task_context(const context* enclosing, latch<machine>* own, const task_context* in, dependent_task* of,
                 const stop_state* left_by = nullptr) noexcept
        : context(enclosing, own, this, left_by),
          child_of(in),
          task(of) {}

    const task_context* const child_of;
    dependent_task* const task;
    // The analysis of the children's accesses, made by the first spawn. Any thread under this context may make it.
    mutable machine::atomic<task_scope*> scope{nullptr};
};

static_assert(sizeof(task_context) == 8 * sizeof(void*));

bool context::within(const context* outer) const noexcept {
    for (const context* c = this; c != nullptr; c = c->parent) {
        if (c == outer || c->member_of == outer || (c == c->spawner && c->spawner->child_of == outer)) {
            return true;
        }
    }
    return false;
}

} // namespace skerry::inline SKERRY_ABI::detail
