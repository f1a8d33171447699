// SPDX-License-Identifier: Apache-2.0
#pragma once

// Queues and execution objects. Thread safety: what is not constant is guarded by event_machine's lock.

#include <array>
#include <cstddef>
#include <vector>

#include <event_machine/api/event_machine_eo.h>
#include <event_machine/api/event_machine_queue.h>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/sync/machine.hpp>

#include "frontend/event/event.hpp"
#include "frontend/event/notices.hpp"

namespace skerry::inline SKERRY_ABI::detail {

struct execution_object;

struct event_queue {
    // Constant.
    em_queue_t handle = EM_QUEUE_UNDEF;
    em_queue_type_t type = EM_QUEUE_TYPE_UNDEF;
    em_queue_prio_t priority = EM_QUEUE_PRIO_NORMAL;
    std::size_t most = 0; // events; 0: any number
    std::array<char, EM_QUEUE_NAME_LEN> name{};

    machine::atomic<void*> context{nullptr}; // the program's

    execution_object* owner = nullptr;
    bool open = false;      // events are taken and received
    bool leaving = false;   // is being removed from its owner
    bool held = false;      // atomic, and a core receives one of its events
    bool listed = false;    // the scheduler has it
    unsigned receiving = 0; // cores
    event* first = nullptr;
    event* last = nullptr;
    std::size_t count = 0;
    event_queue* next_listed = nullptr;
    std::vector<notice> when_gone;

    [[nodiscard]] bool atomic() const noexcept { return type == EM_QUEUE_TYPE_ATOMIC; }

    void push(event& e) noexcept {
        e.next = nullptr;
        (first == nullptr ? first : last->next) = &e;
        last = &e;
        ++count;
    }
    [[nodiscard]] event& pop() noexcept {
        event* const e = first;
        first = e->next;
        --count;
        return *e;
    }
    // All there are.
    [[nodiscard]] event* take_all() noexcept {
        event* const all = first;
        first = last = nullptr;
        count = 0;
        return all;
    }
};

struct execution_object {
    // Constant.
    em_eo_t handle = EM_EO_UNDEF;
    em_start_func_t start = nullptr;
    em_stop_func_t stop = nullptr;
    em_receive_func_t receive = nullptr;
    void* context = nullptr;
    std::array<char, EM_EO_NAME_LEN> name{};

    machine::atomic<em_error_handler_t> on_error{nullptr};

    em_eo_state_t state = EM_EO_STATE_CREATED;
    unsigned receiving = 0; // cores
    std::vector<event_queue*> queues;
    std::vector<notice> when_stopped;
};

} // namespace skerry::inline SKERRY_ABI::detail
