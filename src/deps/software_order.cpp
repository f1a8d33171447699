// SPDX-License-Identifier: Apache-2.0

#include "deps/software_order.hpp"

#include <mutex>

#include "deps/task_scope.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// --- entering -------------------------------------------------------------------------------------------------------

void software_order::look_for_elements(dependent_task& task) noexcept { task.home->look_again(task); }

// A group of which the node is the only member so far.
void software_order::prepare(access_group& g, group_kind kind, access_node& node) noexcept {
    node.older_waiting.store(nullptr, memory_order::relaxed); // relaxed, all: published before others find it
    g.unfinished.store(2, memory_order::relaxed);
    g.kind = kind;
    g.waiting.store(&node, memory_order::relaxed);
    g.next.store(nullptr, memory_order::relaxed);
    g.host = &g == &node.own ? node.task : nullptr;
}

// Under the lock: which group the access belongs to. True: its turn has come. False: enter() links it, once others may
// find the node.
bool software_order::place(name_table::entry& e, group_kind kind, access_node& node) noexcept {
    access_group* const last = e.last;
    if (last != nullptr && common(last->kind, kind) != group_kind::single) {
        last->kind = common(last->kind, kind);
        node.joined = last;
        last->unfinished.fetch_add(1, memory_order::relaxed);        // relaxed: the group is held open by the lock
        return last->waiting.load(memory_order::acquire) == begun(); // W3 <- W2
    }
    // Of a group whose members have all ended only the entry knows: no operation needs to be atomic.
    const bool over = last == nullptr || last->unfinished.load(memory_order::acquire) == 1; // E3 <- E1
    if (over && last != nullptr) {
        give_up(*last);
    }
    access_group& g =
        e.room.unfinished.load(memory_order::acquire) == access_group::vacant ? e.room : node.own; // V2 <- V1
    node.joined = &g;
    prepare(g, kind, node);
    if (over) {
        e.last = &g;
        g.waiting.store(begun(), memory_order::relaxed); // relaxed: nobody else knows the group
    }
    return over;
}

// The same for an access whose turn had not come; others may find the node.
bool software_order::enter(name_table::entry& e, access_node& node) noexcept {
    access_group& g = *node.joined;
    access_group& last = *e.last;
    if (&g == &last) {
        access_node* seen = g.waiting.load(memory_order::acquire); // W3 <- W2
        while (seen != begun()) {
            node.older_waiting.store(seen, memory_order::release);                  // published by W1
            if (g.waiting.compare_exchange_weak(seen, &node, memory_order::release, // W1 -> W2
                                                memory_order::acquire)) {
                return false;
            }
        }
        return true;
    }
    e.last = &g;
    last.next.store(&g, memory_order::release);                     // published by E2
    if (last.unfinished.fetch_sub(1, memory_order::acq_rel) != 1) { // E2 -> E1; <- E1
        return false;
    }
    g.waiting.store(begun(), memory_order::release); // the node is its only member
    give_up(last);
    return true;
}

// Under the lock: whether all accesses so far that write what the entry stands for have ended.
bool software_order::nobody_writes(const name_table::entry& e) noexcept {
    const access_group* const last = e.last;
    return last == nullptr || last->unfinished.load(memory_order::acquire) == 1 || // E3 <- E1
           (common(last->kind, group_kind::readers) == group_kind::readers &&      // its members only read
            last->waiting.load(memory_order::acquire) == begun());                 // W3 <- W2
}

// --- ending ---------------------------------------------------------------------------------------------------------

void software_order::begin(access_group& g, ready_list& ready) noexcept {
    access_node* node = g.waiting.exchange(begun(), memory_order::acq_rel); // W2 -> W3; <- W1
    while (node != nullptr) {
        access_node* const older = node->older_waiting.load(memory_order::acquire);
        dependent_task& task = *node->task;
        if (task.unresolved) [[unlikely]] {
            const std::lock_guard lock(task.home->mutex_);
            task.home->look_again(task);
        }
        if (task.unmet.fetch_sub(1, memory_order::acq_rel) == 1) { // U2 -> U1, U2
            task_scope::turn_came(task);
            ready.push(task);
        }
        node = older;
    }
}

void software_order::let_go(dependent_task& task, std::uint32_t references) noexcept {
    // Whoever holds all that are left is alone, and needs nothing that costs.
    if (task.references.load(memory_order::acquire) == references ||
        task.references.fetch_sub(references, memory_order::acq_rel) == references) {
        delete[] task.more;
        task.type.release(&task);
    }
}

// Of a group that is over and that nobody else knows.
void software_order::give_up(access_group& g) noexcept {
    if (g.host != nullptr) {
        let_go(*g.host, 1);
    } else {
        g.unfinished.store(access_group::vacant, memory_order::release); // V1 -> V2
    }
}

// One member has ended. True: the group has.
bool software_order::leave(access_group& g, ready_list& ready) noexcept {
    if (g.unfinished.fetch_sub(1, memory_order::acq_rel) == 1) { // E1 -> E1, E2, E3; <- E2
        machine::discard_all(coherence_step::found);
        begin(*g.next.load(memory_order::acquire), ready);
        return true;
    }
    return false;
}

void software_order::finish(dependent_task& task, ready_list& ready) noexcept {
    access_node* last_host = nullptr; // the group in it keeps the block until the end
    std::uint32_t ended = 0;          // of the other groups that live here
    task.for_each_ordered([&](access_node& node) {
        if (node.joined == nullptr) {
            return;
        }
        access_node& now = node.joined != &node.own || last_host == nullptr ? node : *last_host;
        if (node.joined == &node.own) {
            last_host = &node;
            if (&now == &node) {
                return;
            }
        }
        access_group& g = *now.joined;
        if (leave(g, ready)) {
            if (g.host == &task) {
                ++ended;
            } else {
                give_up(g);
            }
        }
    });
    if (last_host == nullptr) {
        let_go(task, 1);
    } else {
        if (ended != 0) {
            task.references.fetch_sub(ended, memory_order::release);
        }
        if (leave(last_host->own, ready)) {
            let_go(task, 1);
        }
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
