// SPDX-License-Identifier: Apache-2.0

#include <skerry/detail/sched/named_section.hpp>

#include "base/port/clock.hpp"
#include "sched/team.hpp"

namespace skerry::inline SKERRY_ABI::detail {

constinit machine::atomic<bool> sections_wanted{false};

void named_section::begin(const char* name) noexcept {
    if (current_page == nullptr) {
        return;
    }
    const worker& self = worker::of(*current_page);
    wait_observer* const observer = self.home.observer();
    if (!self.trace.on() && observer == nullptr) {
        return; // another runtime is observed
    }
    page_ = current_page;
    self.trace.section(trace_id(name), task_naming::text);
    if (observer != nullptr) {
        const running_note around = observer->running(self.slot);
        observer->runs(
            self.slot,
            {.what = {trace_id(name), task_naming::text}, .since = port::now_ns(), .task_since = around.task_since});
        code_ = around.what.address;
        naming_ = static_cast<std::uint16_t>(around.what.kind);
        since_ = around.since;
        task_since_ = around.task_since;
    }
}

void named_section::end() noexcept {
    const worker& self = worker::of(*page_);
    self.trace.section_end();
    if (wait_observer* const observer = self.home.observer()) {
        observer->runs(
            self.slot,
            {.what = {code_, static_cast<task_naming>(naming_)}, .since = since_, .task_since = task_since_});
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
