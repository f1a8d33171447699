// SPDX-License-Identifier: Apache-2.0
#pragma once

// Placement across processes, the one policy: a process asks for as many tasks as it has room for, by its load; who is
// asked gives the ready task of which the asking process holds most, by where the current bytes are. Both are pure.

#include <cstdint>
#include <span>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/access.hpp>
#include <skerry/detail/deps/dependent_task.hpp>

#include "sched/message_steal.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// What a process has to do. Hints: the numbers may be of different moments.
struct process_load {
    bool first = false; // the process that runs the program
    unsigned workers = 1;
    // Workers that find nothing: of those that take anything, that wait for what descends from a task, that wait for a
    // branch and take nothing out of the queue.
    unsigned idle = 0;
    unsigned waiting = 0;
    unsigned joining = 0;
    unsigned here = 0;    // tasks that came from others and whose end has not been told
    unsigned unbegun = 0; // of those that nobody has begun
    bool queued = false;  // there are tasks in the queue
    bool lent = false;    // tasks of its own are away
};

struct placement {
    // How many tasks of each wish it would have under way from process `from`.
    [[nodiscard]] static message_steal::appetite appetite(const process_load& l, unsigned from) noexcept;

    // How much a process holds of what a task accesses, less what it would have to fetch, in bytes.
    // `holds(first byte, bytes)`: whether it has that run in the current version. O(accesses), of a part its rows.
    template <class Holds>
    [[nodiscard]] static std::int64_t nearness(std::span<const access_node> accesses, Holds&& holds) {
        std::int64_t bytes = 0;
        for (const access_node& n : accesses) {
            for_each_run(n.what, [&](std::uintptr_t at, std::size_t run) {
                const auto size = static_cast<std::int64_t>(run);
                bytes += holds(at, run) ? size : reads(n.what.mode) ? -size : 0;
            });
        }
        return bytes;
    }
};

} // namespace skerry::inline SKERRY_ABI::detail
