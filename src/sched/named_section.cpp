// SPDX-License-Identifier: Apache-2.0

#include <skerry/detail/sched/named_section.hpp>

#include <exception>

#include "base/port/clock.hpp"
#include "sched/entry.hpp"
#include "sched/team.hpp"

namespace skerry::inline SKERRY_ABI::detail {

constinit machine::atomic<sections> sections_wanted{sections::not_known};

namespace {

bool enters() noexcept {
    try {
        enter_default_team();
        return true;
    } catch (const std::exception&) { // the call itself will meet the same, and report it
        return false;
    }
}

} // namespace

void named_section::begin(const void* what, section_kind kind) noexcept {
    took_slot_ = current_page == nullptr && kind == section_kind::algorithm && enters();
    if (current_page == nullptr) {
        return;
    }
    const worker& self = worker::of(*current_page);
    wait_observer* const observer = self.home.observer();
    if (!self.trace.on() && observer == nullptr) { // another runtime is observed
        if (took_slot_) {
            leave_team();
        }
        return;
    }
    page_ = current_page;
    const naming name{trace_id(what), kind == section_kind::function ? task_naming::code : task_naming::text};
    self.trace.section(name.address, name.kind);
    if (observer != nullptr) {
        const running_note around = observer->running(self.slot);
        observer->runs(self.slot, {.what = name, .since = port::now_ns(), .task_since = around.task_since});
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
    if (took_slot_) {
        leave_team();
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
