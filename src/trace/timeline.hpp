// SPDX-License-Identifier: Apache-2.0
#pragma once

// The records of several domains on one axis of time: which record is about which task, and where a task went from one
// executor to another. A record names a task by an address, which may be another task's later; the order in time tells
// them apart.
//
// Thread safety: none; it belongs to whoever made it, and refers to the parts that it was made from.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <skerry/detail/base/abi.hpp>

#include "trace/part.hpp"

namespace skerry::inline SKERRY_ABI::detail {

class timeline {
  public:
    static constexpr std::uint32_t none = UINT32_MAX;

    // Where a record lies.
    struct place {
        std::uint32_t part = none;
        std::uint32_t executor = none; // index in the part
        std::uint32_t record = none;

        [[nodiscard]] bool known() const noexcept { return part != none; }
        [[nodiscard]] bool same_executor(const place& other) const noexcept {
            return part == other.part && executor == other.executor;
        }
    };

    // A task, or a transfer, which has the last two only.
    struct task {
        place spawned;
        place stolen;
        place started;
        place begun;
        place ended;
        // It began elsewhere than it was made, or was stolen: it gets an arrow, if there are slices at both ends.
        bool moved = false;
        // The end of another task made it ready, and both have slices: track::freed has it.
        bool freed = false;
    };

    // One executor's records, as the picture shows them.
    struct track {
        std::vector<std::int64_t> ns;       // of each record, never going back
        std::vector<std::uint32_t> task_of; // index of its task, or none
        std::vector<std::uint32_t> depth;   // slices that are open behind it
        // The record of a task's end, and the index of a task that it made ready. In the order of the records.
        std::vector<std::pair<std::uint32_t, std::uint32_t>> freed;
    };

    // Errors: std::bad_alloc.
    timeline(std::span<const trace_part> parts, std::uint64_t base_ns);

    [[nodiscard]] const track& track_of(std::size_t part, std::size_t executor) const {
        return tracks_[part][executor];
    }
    [[nodiscard]] std::span<const task> tasks() const noexcept { return tasks_; }
    [[nodiscard]] std::int64_t ns(const place& p) const { return tracks_[p.part][p.executor].ns[p.record]; }
    // Of the last event of a domain.
    [[nodiscard]] std::int64_t end_of(std::size_t part) const { return ends_[part]; }

  private:
    void find_tasks(std::span<const trace_part> parts);
    void find_moves(std::span<const trace_part> parts);
    void find_dependences(std::span<const trace_part> parts);

    std::vector<std::vector<track>> tracks_;
    std::vector<task> tasks_;
    std::vector<std::int64_t> ends_;
};

} // namespace skerry::inline SKERRY_ABI::detail
