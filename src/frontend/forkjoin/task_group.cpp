// SPDX-License-Identifier: Apache-2.0

#include <skerry/task_group.hpp>

#include <optional>
#include <system_error>
#include <utility>

#include "base/port/frame.hpp"
#include "sched/cancellation.hpp"
#include "sched/entry.hpp"
#include "sched/latch_done.hpp"

namespace skerry::inline SKERRY_ABI {

using detail::coherence_step;
using detail::machine;
using detail::wanted;
using detail::worker;

namespace {

// The caller's context, if it outlives `group`, which is then a variable of the task that runs or of what it calls.
const detail::context* around(const task_group* group) noexcept {
    detail::worker_page* const page = detail::current_page;
    return page != nullptr && port::lies_above(worker::of(*page).entered, group) ? page->ctx : nullptr;
}

} // namespace

task_group::task_group() : members_(around(this)) {
    if (detail::current_page != nullptr && members_.ctx.around() == nullptr) {
        detail::outlive(members_.ctx, *detail::current_page->ctx);
    }
}

task_group::~task_group() {
    wait_for_members();
    detail::forget_stop(members_.ctx);
}

group_status task_group::wait() {
    if (detail::current_page != nullptr && detail::current_page->ctx->within(&members_.ctx)) {
        throw std::system_error(std::make_error_code(std::errc::resource_deadlock_would_occur),
                                "skerry: task_group::wait() inside a task of the same group");
    }
    wait_for_members();
    members_.pending.reset();
    const bool stopped = detail::end_stop(members_.ctx);
    if (members_.error.any()) {
        members_.error.rethrow();
    }
    return stopped ? group_status::cancelled : group_status::complete;
}

void task_group::wait_for_members() noexcept {
    detail::latch_done condition(members_.pending);
    if (condition.done()) {
        machine::discard_all(coherence_step::task_joined);
        return;
    }
    std::optional<detail::team_entry> entry;
    if (detail::current_page == nullptr) {
        try {
            entry.emplace(detail::current_team());
        } catch (...) { // no slot is free
        }
        if (!entry.has_value()) {
            detail::wait_without_slot(condition);
            return;
        }
    }
    worker& self = worker::of(*detail::current_page);
    self.home.check_process();
    self.home.wait_from_here(self, wanted::within(&members_.ctx), condition, "task_group: its tasks", this);
}

} // namespace skerry::inline SKERRY_ABI
