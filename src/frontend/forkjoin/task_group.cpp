// SPDX-License-Identifier: Apache-2.0

#include <skerry/task_group.hpp>

#include <optional>
#include <system_error>
#include <utility>

#include "sched/entry.hpp"
#include "sched/latch_done.hpp"

namespace skerry::inline SKERRY_ABI {

using detail::coherence_step;
using detail::machine;
using detail::wanted;
using detail::worker;

task_group::~task_group() { wait_for_members(); }

void task_group::wait() {
    if (detail::current_page != nullptr && detail::current_page->ctx->within(&members_.ctx)) {
        throw std::system_error(std::make_error_code(std::errc::resource_deadlock_would_occur),
                                "skerry: task_group::wait() inside a task of the same group");
    }
    wait_for_members();
    members_.pending.reset();
    members_.ctx.stop.store(false, detail::memory_order::release);
    if (members_.error.any()) {
        members_.error.rethrow();
    }
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
