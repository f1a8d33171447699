// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <event_machine/api/event_machine_queue_group.h>

#include <skerry/detail/base/abi.hpp>

#include "frontend/event/queue.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// Cores that may receive from some queues. Thread safety: what is not constant is guarded by event_machine's lock.
struct queue_group {
    // Constant.
    em_queue_group_t handle = EM_QUEUE_GROUP_UNDEF;
    std::array<char, EM_QUEUE_GROUP_NAME_LEN> name{};

    std::uint64_t mask = 0;   // bit c: core c may take an event
    std::uint64_t shown = 0;  // the mask that em_queue_group_get_mask() gives: no other core receives any more
    std::uint64_t inside = 0; // cores that receive, or have suspended receive functions
    std::array<unsigned, EM_MAX_CORES> suspended{}; // of these functions those of each core
    std::vector<notice> when_changed;
    linked_list<event_queue, &event_queue::of_group> queues;
    std::size_t atomics = 0; // atomic groups of it

    ready_set ready; // the scheduler's, as are the links
    links<queue_group> neighbours;

    [[nodiscard]] bool changing() const noexcept { return (inside & ~mask) != 0; }
};

} // namespace skerry::inline SKERRY_ABI::detail
