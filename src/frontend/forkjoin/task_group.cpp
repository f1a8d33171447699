// SPDX-License-Identifier: Apache-2.0

#include <skerry/task_group.hpp>

#include <optional>
#include <system_error>
#include <utility>

#include "frontend/forkjoin/entry.hpp"
#include "frontend/forkjoin/latch_done.hpp"

namespace skerry::inline SKERRY_ABI {

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
    members_.ctx.stop.store(false, std::memory_order_relaxed);
    if (members_.error.any()) {
        members_.error.rethrow();
    }
}

void task_group::wait_for_members() noexcept {
    detail::arrive(members_.pending);
    detail::latch_done condition{members_.pending};
    if (condition.done()) {
        return;
    }
    std::optional<detail::team_entry> entry;
    if (detail::current_page == nullptr) {
        try {
            entry.emplace(detail::current_team());
        } catch (...) { // no slot is free
            detail::wait_without_slot(condition);
            return;
        }
    }
    worker& self = worker::of(*detail::current_page);
    self.home.check_process();
    const wanted members = wanted::within(&members_.ctx);
    // Its tasks in the own deque, newest first, each with what it leaves behind: that lies above the others.
    for (std::size_t at = self.mine().depth();
         detail::task_header* const task = self.home.take_own(self, members, at);) {
        const std::size_t base = self.mine().depth();
        const std::size_t floor = std::exchange(self.floor, base);
        self.home.execute(self, *task);
        while (detail::task_header* const left = self.mine().take_newest(base)) {
            self.home.execute(self, *left);
        }
        self.floor = floor;
    }
    self.home.wait(self, members, self.mine().depth(), condition, "task_group: its tasks", this);
}

} // namespace skerry::inline SKERRY_ABI
