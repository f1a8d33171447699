// SPDX-License-Identifier: Apache-2.0
#pragma once

// Event groups: they count what is received, and say when all of it is done with.
//
// Thread safety: any thread. No other lock is taken under the one of this class.
//
// Invariants
//  1. A group is under way from apply() until its last event is done with, or until abort(). Each time it has a tag of
//     its own, which no event had before.
//  2. A tag counts if it is that of a group under way. So what is left of a count that is over counts for no later one.
//  3. Of a group under way, `left` - `to_begin` events are being received that count for it, and `left` is not 0.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <event_machine/api/event_machine_types.h>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/sync/machine.hpp>

#include "frontend/event/group_tag.hpp"
#include "frontend/event/handle_table.hpp"
#include "frontend/event/notices.hpp"
#include "sync/mutex.hpp"

namespace skerry::inline SKERRY_ABI::detail {

class event_groups {
  public:
    static constexpr std::size_t most = EM_MAX_EVENT_GROUPS;
    static constexpr std::size_t most_notices = EM_EVENT_GROUP_MAX_NOTIF;

    event_groups() = default; // errors: std::bad_alloc
    event_groups(const event_groups&) = delete;
    event_groups& operator=(const event_groups&) = delete;

    // EM_EVENT_GROUP_UNDEF: there are `most`. Errors: std::bad_alloc.
    em_event_group_t create();
    [[nodiscard]] bool exists(em_event_group_t handle) noexcept;

    enum class done : std::uint8_t { yes, no_group, no }; // no: the state does not allow it
    [[nodiscard]] done remove(em_event_group_t handle) noexcept;
    // Precondition: `count` is not 0, and there are at most most_notices.
    [[nodiscard]] done apply(em_event_group_t handle, std::uint64_t count, std::span<const notice> then) noexcept;
    [[nodiscard]] done abort(em_event_group_t handle) noexcept;
    [[nodiscard]] done is_ready(em_event_group_t handle) noexcept;
    // Writes as many as there is room for; -1: no such group.
    [[nodiscard]] int copy_notices(em_event_group_t handle, std::span<em_notif_t> to) noexcept;

    // What an event sent to the group carries; none: no such group.
    [[nodiscard]] group_tag tag_of(em_event_group_t handle) noexcept;
    [[nodiscard]] bool counts(group_tag tag) noexcept;
    // A receive function begins, with so many events that were sent to the group. Returns how many of them count.
    [[nodiscard]] unsigned begin(group_tag tag, unsigned events) noexcept;
    // A receive function that has begun takes the group on.
    [[nodiscard]] done begin(em_event_group_t handle, group_tag& tag) noexcept;
    // False: the tag counts no more.
    [[nodiscard]] bool add(group_tag tag, std::uint64_t more) noexcept;
    // So many that have begun are done with; the last one sends the notifications.
    void end(group_tag tag, unsigned events) noexcept;

    // The one with the lowest greater number; EM_EVENT_GROUP_UNDEF: there is none.
    [[nodiscard]] em_event_group_t after(em_event_group_t handle) noexcept;
    [[nodiscard]] unsigned count() noexcept;

  private:
    struct event_group {
        group_tag tag; // of the count that is under way, or was last
        bool under_way = false;
        std::uint64_t to_begin = 0;
        std::uint64_t left = 0;
        std::size_t notice_count = 0;
        std::array<notice, most_notices> notices{};
    };

    // Under lock_; null: there is no such group, or the tag does not count.
    [[nodiscard]] event_group* of(em_event_group_t handle) const noexcept;
    [[nodiscard]] event_group* under_way(group_tag tag) const noexcept;

    mutex<machine> lock_;
    // Guarded by it.
    handle_table<event_group> groups_{most};
    std::uint64_t generation_ = 0; // the newest
};

} // namespace skerry::inline SKERRY_ABI::detail
