// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <event_machine/api/event_machine_eo.h>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/sync/machine.hpp>

#include "frontend/event/queue.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// An event that a start function has sent.
struct held_event {
    event* what;
    em_queue_t to;
};

// What receives events. Thread safety: what is not constant is guarded by event_machine's lock.
//
// Invariant: bits of `to_begin` and `late` are those of cores inside; while there is one, the object is in the
// machine's list of duties.
struct execution_object {
    // Constant.
    em_eo_t handle = EM_EO_UNDEF;
    em_start_func_t start = nullptr;
    em_start_local_func_t local_start = nullptr;
    em_stop_func_t stop = nullptr;
    em_stop_local_func_t local_stop = nullptr;
    em_receive_func_t receive = nullptr;
    em_receive_multi_func_t receive_multi = nullptr; // of the two one is null
    unsigned most_events = 1;                        // for one call
    void* context = nullptr;
    std::array<char, EM_EO_NAME_LEN> name{};

    machine::atomic<em_error_handler_t> on_error{nullptr};

    em_eo_state_t state = EM_EO_STATE_CREATED;
    unsigned receiving = 0; // cores, and a thread that ends a start: a stop waits for them
    linked_list<event_queue, &event_queue::of_owner> queues;
    std::vector<held_event> held;
    std::vector<notice> when_done; // the start or the stop
    // Functions of cores.
    std::uint64_t to_begin = 0; // cores that shall run the one of this start or stop
    std::uint64_t to_end = 0;   // that have not ended it
    std::uint64_t late = 0;     // that have come since the start, and shall run its function
    std::uint64_t started = 0;  // that have run the start function, or need not
    bool in_duties = false;
    bool local_begun = false; // a start: cores are marked for its functions, or need not be
    links<execution_object> with_duties;
    bool finishing = false;           // a start: what its functions have sent is being sent
    bool told = false;                // whoever started it waits and says itself what has failed
    em_status_t local_status = EM_OK; // the first of a local start function that is none
    int failed_core = 0;
};

// Calls its start function, and holds what that sends. EM_ERR_LIB_FAILED: it has thrown.
em_status_t call_start(execution_object& eo, const em_eo_conf_t* conf) noexcept;

} // namespace skerry::inline SKERRY_ABI::detail
