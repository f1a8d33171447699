// SPDX-License-Identifier: Apache-2.0
#pragma once

// The order of a scope's tasks in software: groups of accesses, a chain of them for each object. src/deps/README.md has
// the protocol. What else the scope does is not known here, but for the two things that a task whose turn has come asks
// of it (task_scope::turn_came(), look_again()).
//
// Invariants
//  1. A group begins when the group before it has ended: all its members have, and it is the last no more.
//  2. Accesses of one task enter the orders of all its objects together (under the lock), so the orders agree.
//  3. A group without a host lives in the entry of its object.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/deps/dependent_task.hpp>

#include "deps/name_table.hpp"
#include "deps/task_manager.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// One object that a task touches, and the node by which it stands in the object's order.
struct touch {
    name_table::entry* object;
    group_kind kind;
    access_node* node;
    bool met; // its turn had come when it entered
};

// What one task touches, each object once. Most tasks have few accesses and need no memory here.
class touch_list {
  public:
    touch_list() noexcept = default;
    touch_list(const touch_list&) = delete;
    touch_list& operator=(const touch_list&) = delete;
    // Room for so many. Errors: std::bad_alloc.
    void reserve(std::size_t n) {
        if (n > few_.size()) [[unlikely]] {
            auto more = std::make_unique_for_overwrite<touch[]>(n);
            std::copy(begin(), end(), more.get());
            many_ = std::move(more);
            begin_ = many_.get();
        }
    }
    // Precondition: there is room.
    void add(name_table::entry& object, group_kind kind, access_node* node) noexcept {
        for (touch& known : *this) {
            if (known.object == &object) { // a task must not wait for itself
                known.kind = common(known.kind, kind);
                return;
            }
        }
        begin_[size_++] = {&object, kind, node, false};
    }
    [[nodiscard]] touch* begin() noexcept { return begin_; }
    [[nodiscard]] touch* end() noexcept { return begin_ + size_; }
    [[nodiscard]] std::uint32_t size() const noexcept { return size_; }

  private:
    std::array<touch, 8> few_;
    std::unique_ptr<touch[]> many_;
    touch* begin_ = few_.data();
    std::uint32_t size_ = 0;
};

class software_order {
  public:
    // Under the scope's lock: enters the task, which has its number and its scope, into the orders of what it touches.
    // True: it is ready. `behind`: a manager that may have to finish others first, or null. Nothing fails.
    [[nodiscard]] static bool submit(dependent_task& task, touch_list& touched, task_manager* behind) noexcept;
    // All its memberships end. The task may be gone then.
    static void finish(dependent_task& task, ready_list& ready) noexcept;
    // Whoever holds so many references to the task's block gives them up: the block is freed with the last.
    static void let_go(dependent_task& task, std::uint32_t references) noexcept;
    // Of a group that is over and that nobody else knows.
    static void give_up(access_group& g) noexcept;

    // Under the lock: whether all accesses so far that write what the entry stands for have ended.
    [[nodiscard]] static bool nobody_writes(const name_table::entry& e) noexcept;
    // Whether the access waits for none before it.
    [[nodiscard]] static bool has_begun(const access_node& node) noexcept {
        return node.joined == nullptr || node.joined->waiting.load(memory_order::acquire) == begun(); // W3 <- W2
    }
    // Calls f for each node that waits for the node's group to end. Under the lock, while that group cannot end.
    template <class F>
    static void for_each_behind(const access_node& node, F&& f) noexcept {
        const access_group* g = node.joined;
        while (g != nullptr && (g = g->next.load(memory_order::acquire)) != nullptr) { // none of these has begun
            for (const access_node* n = g->waiting.load(memory_order::acquire); n != nullptr && n != begun();
                 n = n->older_waiting.load(memory_order::acquire)) {
                f(*n);
            }
        }
    }

  private:
    // Stands in access_group::waiting when the group has begun.
    static access_node* begun() noexcept { return reinterpret_cast<access_node*>(alignof(access_node)); }

    static void prepare(access_group& g, group_kind kind, access_node& node) noexcept;
    [[nodiscard]] static bool place(name_table::entry& e, group_kind kind, access_node& node) noexcept;
    [[nodiscard]] static bool enter(name_table::entry& e, access_node& node) noexcept;
    [[nodiscard]] static bool leave(access_group& g, ready_list& ready) noexcept;
    static void begin(access_group& g, ready_list& ready) noexcept;
};

} // namespace skerry::inline SKERRY_ABI::detail
