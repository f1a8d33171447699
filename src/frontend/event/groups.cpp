// SPDX-License-Identifier: Apache-2.0

// Queues, queue groups and atomic groups through their lives.

#include <utility>

#include "frontend/event/awaiting.hpp"
#include "frontend/event/event_machine.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

// Puts it where it gets the number, if that is free; the handle.
template <class Handle, class T>
Handle put_free(handle_table<T>& table, std::unique_ptr<T> one, std::size_t number) noexcept {
    if (number == 0 || table.of(number) != nullptr) {
        return nullptr;
    }
    one->handle = handle_of<Handle>(number);
    table.put(number, std::move(one));
    return handle_of<Handle>(number);
}

} // namespace

em_queue_t event_machine::add_queue(std::unique_ptr<event_queue> q, std::size_t wanted) noexcept {
    const std::lock_guard lock(lock_);
    event_queue& made = *q;
    const auto handle = put_free<em_queue_t>(queues_, std::move(q), wanted != 0 ? wanted : queues_.free_number());
    if (handle != EM_QUEUE_UNDEF) {
        if (made.group != nullptr) {
            made.group->queues.push_back(made);
        }
        if (made.atomics != nullptr) {
            made.atomics->queues.push_back(made);
        }
    }
    return handle;
}

// Its events have been taken out.
std::unique_ptr<event_queue> event_machine::forget(event_queue& q) noexcept {
    if (q.group != nullptr) {
        q.group->queues.erase(q);
    }
    if (q.atomics != nullptr) {
        q.atomics->queues.erase(q);
    }
    if (q.drain != event_queue::drained::no) {
        (q.drain == event_queue::drained::listed ? outputs_ : stalled_outputs_).erase(q);
    }
    return queues_.take(number_of(q.handle));
}

bool event_machine::delete_queue(event_queue& q) noexcept {
    event_list dropped;
    std::unique_ptr<event_queue> gone;
    {
        const std::lock_guard lock(lock_);
        if (q.owner != nullptr || q.receiving != 0) {
            return false;
        }
        close(q, dropped);
        gone = forget(q);
    }
    free_all(dropped);
    return true;
}

// --- queue groups ---------------------------------------------------------------------------------------------------

em_queue_group_t event_machine::add_group(std::unique_ptr<queue_group> g) noexcept {
    const std::lock_guard lock(lock_);
    return put_free<em_queue_group_t>(queue_groups_, std::move(g), queue_groups_.free_number());
}

bool event_machine::delete_group(queue_group& g) noexcept {
    std::unique_ptr<queue_group> gone;
    const std::lock_guard lock(lock_);
    if (g.queues.empty() && g.atomics == 0) {
        gone = queue_groups_.take(number_of(g.handle));
    }
    return gone != nullptr;
}

void event_machine::modify_group(queue_group& g, std::uint64_t mask, std::span<const notice> then) {
    std::vector<notice> over;
    {
        wake_ups w;
        const std::lock_guard lock(lock_);
        count_all();
        g.when_changed.insert(g.when_changed.end(), then.begin(), then.end());
        for (event_queue* q = g.queues.first(); q != nullptr; q = g.queues.after(*q)) {
            unsettle(*q); // while its mask is the old one
        }
        g.mask = mask; // from now on nobody else takes an event
        wake_one(note(), w);
        over = end_change(g);
    }
    send_notices(over);
}

std::vector<notice> event_machine::end_change(queue_group& g) noexcept {
    if (g.changing()) {
        return {};
    }
    if (g.shown != g.mask) {
        g.shown = g.mask;
        changed_.notify_all();
    }
    return std::exchange(g.when_changed, {});
}

std::uint64_t event_machine::mask_of(queue_group& g) noexcept {
    const std::lock_guard lock(lock_);
    return g.shown;
}

void event_machine::await_mask(queue_group& g) {
    await(waits_for_cores, [&] { return g.shown == g.mask; });
}

// --- atomic groups --------------------------------------------------------------------------------------------------

em_atomic_group_t event_machine::add_atomics(std::unique_ptr<atomic_group> a) noexcept {
    const std::lock_guard lock(lock_);
    queue_group& of = *a->group;
    const auto handle = put_free<em_atomic_group_t>(atomics_, std::move(a), atomics_.free_number());
    of.atomics += handle != EM_ATOMIC_GROUP_UNDEF ? 1 : 0;
    return handle;
}

bool event_machine::delete_atomics(atomic_group& a) noexcept {
    std::unique_ptr<atomic_group> gone;
    const std::lock_guard lock(lock_);
    if (a.queues.empty()) {
        --a.group->atomics;
        gone = atomics_.take(number_of(a.handle));
    }
    return gone != nullptr;
}

} // namespace skerry::inline SKERRY_ABI::detail
