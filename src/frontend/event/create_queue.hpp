// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the functions that make queues have in common. Thread safety: any thread.

#include <event_machine/api/event_machine_queue.h>

#include <skerry/detail/base/abi.hpp>

#include "frontend/event/queue.hpp"

namespace skerry::inline SKERRY_ABI::detail {

struct queue_wanted {
    const char* function; // of event_machine.h
    em_escope_t scope;
    const char* name;
    em_queue_type_t type;
    em_queue_prio_t prio;
    em_queue_group_t group;
    const em_queue_conf_t* conf;
    em_queue_t handle = EM_QUEUE_UNDEF; // UNDEF: any
    atomic_group* atomics = nullptr;
};

// Not EM_OK: it has said what is wrong.
em_status_t create_queue(const queue_wanted& w, em_queue_t& made) noexcept;
em_status_t create_static_queue(const queue_wanted& w) noexcept;

} // namespace skerry::inline SKERRY_ABI::detail
