// SPDX-License-Identifier: Apache-2.0

// Containers among the accesses: where their elements lie, and what becomes of those that later tasks name.
//
// A container is ordered by its own name, which does not change; its elements are found out when nobody writes it: by
// submit(), or when its turn comes. Whoever names some of them hooks on the container (name_table::hold()).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>

#include "base/text.hpp"
#include "deps/access_text.hpp"
#include "deps/software_order.hpp"
#include "deps/task_scope.hpp"
#include "sched/team.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

void* pointer_to(const access& a) noexcept { return reinterpret_cast<void*>(a.first); }

// A task that names some of these bytes without the container that holds them.
bool names_some(const dependent_task& task, const access& lost, const access& container) noexcept {
    for (std::uint32_t i = 0; i < task.node_count; ++i) {
        const access& a = task.nodes[i].what;
        if (a.kind != access_kind::region && !a.nothing() && overlapping(a, lost) &&
            !covers(box_of(a), box_of(container))) {
            return true;
        }
    }
    return false;
}

// Calls f with what was a container's and is not any more: up to two pieces.
template <class F>
void for_each_lost(const access& was, const access& now, F&& f) noexcept {
    const std::uintptr_t end = was.first + was.extent;
    const std::uintptr_t from = std::clamp(now.first, was.first, end);
    const std::uintptr_t to = std::clamp(now.first + now.extent, from, end);
    const auto give_piece = [&](std::uintptr_t first, std::uintptr_t last) {
        if (first != last) {
            f(access{first, {last - first}, was.mode, access_kind::elements});
        }
    };
    if (from == to) { // nothing is left
        give_piece(was.first, end);
        return;
    }
    give_piece(was.first, from);
    give_piece(to, end);
}

std::logic_error left_behind(const dependent_task& by, const dependent_task& later, const access& container,
                             const access& was, const access& now) {
    fixed_text<900> text;
    text << "skerry: ";
    put_with_type(text, by);
    text << " changes where the elements of a container lie (";
    put(text, container);
    text << ", with " << was.extent << " bytes of elements at " << hex{was.first} << " before and " << now.extent
         << " at " << hex{now.first} << " after it), and ";
    put_with_type(text, later);
    text << ", which was spawned after it, names elements that are gone; name the container itself there, or wait for "
            "the first task before you name them";
    return std::logic_error(text.c_str());
}

} // namespace

// Under the lock, when nobody writes the container, or only the task. False: it cannot be read. Errors: std::bad_alloc;
// as before.
bool task_scope::look_into(dependent_task& task, std::uint32_t container) {
    const container_access& place = task.container(container);
    const access& object = task.nodes[place.node].what;
    if (outward* const edge = crew_.beyond(); edge != nullptr && !edge->will_read(pointer_to(object), object.extent)) {
        return false;
    }
    machine::discard_all(coherence_step::found); // what the last writer has written
    const elements_now now = place.look(pointer_to(object));
    access& elements = task.elements(container).what;
    elements = elements_access(now, object.mode);
    names_.hold(names_.at(object), elements.first, now.room);
    return true;
}

// Under the lock, before the task stands in any order.
void task_scope::look_into_containers(dependent_task& task) {
    for (std::uint32_t i = 0; i < task.containers; ++i) {
        const access& object = task.container_name(i);
        const name_table::entry& entry = names_.at(object);
        const auto is_still = [](const name_table::entry& e) {
            return e.managed_writers == 0 && software_order::nobody_writes(e);
        };
        const bool free = is_still(entry) && std::ranges::all_of(entry.hooks, [&](const name_table::entry* e) {
                              return !names_.touches(*e, object) || is_still(*e);
                          });
        if (free && look_into(task, i)) {
            task.elements(i).task = &task;
        } else {
            task.unresolved = true;
        }
    }
}

// Under the lock: the turn of some access of the task has come. If that is so for all that stand for a container, its
// elements are known from now on, though the task may not be ready: whoever waited for the one who wrote it may name
// them.
void task_scope::look_again(dependent_task& task) noexcept {
    if (task.reason.load(memory_order::relaxed) != no_child) { // relaxed: under the lock
        return;                                                // it is skipped, and the container may be gone
    }
    for (std::uint32_t i = 0; i < task.containers; ++i) {
        access_node& elements = task.elements(i);
        const access& object = task.container_name(i);
        bool turn = elements.task == nullptr && !task.held;
        task.for_each_ordered([&](const access_node& n) {
            turn = turn && (software_order::has_begun(n) || !names_.touches(names_.known(n.what), object));
        });
        if (!turn) {
            continue;
        }
        try {
            if (look_into(task, i)) {
                elements.task = &task;
            }
        } catch (const std::bad_alloc&) { // it must not run, as others would not wait for it
            elements.task = &task;
            task.failed = true;
            task.reason.store(task.number, memory_order::release);
            note_failure(task, std::current_exception());
        }
    }
}

// Under the lock: skips the tasks that wait for this one and name what was lost. The first of them; null: there is
// none. Not those that were spawned when it had begun: what they name may be something else, in memory that this one
// has freed.
const dependent_task* task_scope::skip_left_behind(dependent_task& by, const access& container,
                                                   const access& lost) noexcept {
    const dependent_task* first = nullptr;
    by.for_each_ordered([&](const access_node& own) {
        software_order::for_each_behind(own, [&](const access_node& n) {
            dependent_task& later = *n.task;
            if (&later != &by && later.number < by.number + by.spawned_before && names_some(later, lost, container)) {
                later.reason.store(std::min(by.number, later.reason.load(memory_order::relaxed)),
                                   memory_order::release);
                first = first == nullptr || later.number < first->number ? &later : first;
            }
        });
    });
    return first;
}

void task_scope::note_begin(dependent_task& task) noexcept {
    if (task.import == nullptr) {
        const std::uint64_t spawned = task.home->next_number() - task.number;
        task.spawned_before = static_cast<std::uint32_t>(std::min<std::uint64_t>(spawned, ~std::uint32_t{0}));
    }
}

void task_scope::look_for_changes(dependent_task& task) noexcept {
    if (task.skipped() || task.import != nullptr) { // what came from elsewhere stands in no order here
        return;
    }
    for (std::uint32_t i = 0; i < task.containers; ++i) {
        const container_access& place = task.container(i);
        const access& container = task.nodes[place.node].what;
        if (writes(container.mode)) {
            machine::discard_all(coherence_step::found); // the body may have run on another core
            const elements_now now = place.look(pointer_to(container));
            task.home->note_change(task, container, task.elements(i).what, now);
        }
    }
}

void task_scope::note_change(dependent_task& task, const access& container, const access& was,
                             const elements_now& look) noexcept {
    const access now = elements_access(look, was.mode);
    if (same_name(now, was)) {
        return;
    }
    const std::lock_guard lock(mutex_);
    const dependent_task* later = nullptr;
    for_each_lost(was, now, [&](const access& lost) {
        const dependent_task* const found = skip_left_behind(task, container, lost);
        if (later == nullptr || (found != nullptr && found->number < later->number)) {
            later = found;
        }
    });
    try {
        names_.hold(names_.at(container), now.first, look.room);
        if (later != nullptr && !task.failed) {
            throw left_behind(task, *later, container, was, now);
        }
    } catch (...) {
        task.failed = true;
        note_failure(task, std::current_exception());
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
