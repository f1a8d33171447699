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
#include <cstdint>
#include <span>

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

class software_order {
  public:
    // Under the scope's lock: enters the task, which has its number and its scope, into the orders of what it touches.
    // True: it is ready. `behind`: a manager that may have to finish others first, or null. Nothing fails.
    [[nodiscard]] static bool submit(dependent_task& task, std::span<touch> touched, task_manager* behind) noexcept;
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

    static void look_for_elements(dependent_task& task) noexcept;
    static void prepare(access_group& g, group_kind kind, access_node& node) noexcept;
    [[nodiscard]] static bool place(name_table::entry& e, group_kind kind, access_node& node) noexcept;
    [[nodiscard]] static bool enter(name_table::entry& e, access_node& node) noexcept;
    [[nodiscard]] static bool leave(access_group& g, ready_list& ready) noexcept;
    static void begin(access_group& g, ready_list& ready) noexcept;
};

// Here, for each spawn pays for the call otherwise.
inline bool software_order::submit(dependent_task& task, std::span<touch> touched, task_manager* behind) noexcept {
    // A manager that may have to finish others first counts as one access more.
    const std::uint32_t count = static_cast<std::uint32_t>(touched.size()) + (behind != nullptr ? 1U : 0U);
    task.unmet.store(count + 1, memory_order::relaxed); // published below
    std::uint32_t met = 0;
    std::uint32_t hosted = 0;
    for (touch& t : touched) {
        if (t.node == nullptr) {
            t.node = &task.more[task.more_count++];
            t.node->what = t.object->name;
        }
        t.node->task = &task;
        t.met = place(*t.object, t.kind, *t.node);
        met += t.met ? 1U : 0U;
        hosted += t.node->joined == &t.node->own ? 1U : 0U;
    }
    task.references.store(std::max(hosted, 1U), memory_order::relaxed);
    if (met != count) {
        machine::publish_all(coherence_step::handed_over); // others find the nodes from here on
        for (const touch& t : touched) {
            met += !t.met && enter(*t.object, *t.node) ? 1U : 0U;
        }
    }
    if (behind != nullptr) [[unlikely]] {
        task.held = behind->hold(*task.home, task);
        met += task.held ? 0U : 1U;
    }
    if (task.unresolved) [[unlikely]] { // the turn of its containers may have come meanwhile
        look_for_elements(task);
    }
    machine::publish_all(coherence_step::handed_over); // whoever begins the task finds what it has joined
    // If all have been met nobody else knows the task.
    return met == count || task.unmet.fetch_sub(met + 1, memory_order::acq_rel) == met + 1; // U1 <- U2
}

} // namespace skerry::inline SKERRY_ABI::detail
