// SPDX-License-Identifier: Apache-2.0

#include "frontend_world.hpp"

#include <exception>
#include <new>

#include "coherence/region_tree.hpp"
#include "deps/containment.hpp"
#include "sched/entry.hpp"

namespace skerry::inline SKERRY_ABI::detail {

team& current_team() { return model::frontend_world::team_around(); }
const context& current_context() { return current_page != nullptr ? *current_page->ctx : current_team().root(); }

// As in src/runtime/standard_engine.cpp.
void begin_task(loose_task& task) {
    if (current_page == nullptr) {
        current_team().inject(task);
        return;
    }
    worker& self = worker::of(*current_page);
    const context* const joined = &task.ctx->cover();
    task.place = &self;
    if (self.mine().push_loose(task) && self.mine().attend()) {
        static_cast<void>(self.home.answer_push(self, joined));
    }
}
void begin_task_in(team&, loose_task& task) { begin_task(task); }
void hand_over(team& home, loose_task& task) noexcept { home.inject(task); }

// No slot is free for a thread from outside, so that none is ever left.
team_entry::team_entry(team&) { throw std::bad_alloc(); }
team_entry::~team_entry() { std::terminate(); }

// No object lies in a region, and no task of these worlds has declared any.
region_id region_of(const void*) noexcept { return region_id::none; }
bool lies_within(region_id, region_id) noexcept { return false; }
region_id region_above(region_id) noexcept { return region_id::none; }
bool region_exists(region_id) noexcept { return false; }
void check_containment(const task_context&, const dependent_task&) {}

} // namespace skerry::inline SKERRY_ABI::detail
