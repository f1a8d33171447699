// SPDX-License-Identifier: Apache-2.0
#pragma once

// Queues, and the atomic groups that join some of them. Thread safety: what is not constant is guarded by
// event_machine's lock.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <event_machine/api/event_machine_queue.h>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/sync/machine.hpp>

#include "frontend/event/event_list.hpp"
#include "frontend/event/notices.hpp"
#include "frontend/event/schedulable.hpp"

namespace skerry::inline SKERRY_ABI::detail {

struct atomic_group;
struct event_queue;
struct execution_object;

// Queues that are being removed from their owner, until nobody receives from them.
struct removal {
    std::size_t left = 0; // queues
    bool deletes = false; // them
    std::vector<notice> then;
};

// The place of a core among those that receive from an ordered queue, in the order in which they took their events.
//
// Invariant: of the first one `own` is empty, since what it sends goes to the target at once.
struct ordered_place {
    event_queue* source = nullptr; // null: the core has none
    event_list own;                // what was sent under it
    event_list after;              // and under places behind it that have ended
    links<ordered_place> neighbours;
};

// Where the events of an output queue go.
struct output {
    em_output_func_t function = nullptr;
    void* arguments = nullptr;
    std::vector<std::byte> copy; // what `arguments` points to, if its size was given
};

// The types of queues that the scheduler chooses among.
inline bool is_scheduled(em_queue_type_t type) noexcept {
    return type >= EM_QUEUE_TYPE_ATOMIC && type <= EM_QUEUE_TYPE_PARALLEL_ORDERED;
}

struct event_queue final : schedulable {
    event_queue(em_queue_type_t t, queue_group* of) noexcept : schedulable(kind::queue, of), type(t) {}

    // As what comes last of the base: its owner writes these at each step.
    event_list events;
    bool held = false;      // atomic and in no group, and a core receives one of its events
    bool is_lent = false;   // some of its events to a core that works at home and had nothing
    unsigned receiving = 0; // cores; threads in the output function

    // The borrower's.
    alignas(cache_line) event_list lent;
    std::uint64_t borrowed_round = 0; // of the borrower, in which it has received the last one
    links<event_queue> of_borrower;

    // Constant but for `context`, which is the program's, and for `owner` and `open`, which change when nobody sends or
    // receives.
    alignas(cache_line) const em_queue_type_t type;
    bool open = false; // events are taken and received
    em_queue_t handle = EM_QUEUE_UNDEF;
    std::size_t most = 0; // events; 0: any number
    atomic_group* atomics = nullptr;
    execution_object* owner = nullptr;
    machine::atomic<void*> context{nullptr};
    std::array<char, EM_QUEUE_NAME_LEN> name{};
    std::unique_ptr<output> out; // of an output queue

    std::size_t elsewhere = 0; // events for it that wait at cores
    linked_list<ordered_place, &ordered_place::neighbours> places;
    enum class drained : std::uint8_t { no, listed, stalled, running };
    drained drain = drained::no; // its events to the output function
    std::shared_ptr<removal> leaving;
    links<event_queue> of_owner;
    links<event_queue> of_group;
    links<event_queue> of_atomics;
    links<event_queue> with_output;

    [[nodiscard]] bool atomic() const noexcept { return type == EM_QUEUE_TYPE_ATOMIC; }
    [[nodiscard]] bool ordered() const noexcept { return type == EM_QUEUE_TYPE_PARALLEL_ORDERED; }
    // Cores choose it, and its events are received by an execution object.
    [[nodiscard]] bool scheduled() const noexcept { return is_scheduled(type); }
    // Execution objects receive from it.
    [[nodiscard]] bool is_received() const noexcept { return scheduled() || type == EM_QUEUE_TYPE_LOCAL; }
    [[nodiscard]] bool has_room() const noexcept { return most == 0 || events.size() + elsewhere < most; }
};

// Atomic queues of which a core receives from one at a time.
struct atomic_group final : schedulable {
    explicit atomic_group(queue_group& of) noexcept : schedulable(kind::atomic_group, &of) {}

    // Constant.
    em_atomic_group_t handle = EM_ATOMIC_GROUP_UNDEF;
    std::array<char, EM_ATOMIC_GROUP_NAME_LEN> name{};

    bool held = false; // a core receives an event of one of its queues
    ready_set ready;   // queues
    starvation_guard guard;
    linked_list<event_queue, &event_queue::of_atomics> queues;
};

} // namespace skerry::inline SKERRY_ABI::detail
