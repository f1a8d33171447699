// SPDX-License-Identifier: Apache-2.0

#include "frontend/event/scheduler.hpp"

#include <bit>

namespace skerry::inline SKERRY_ABI::detail {

void locked_scheduler::ready(schedulable& s) noexcept {
    if (s.group->ready.empty()) {
        groups_.push_back(*s.group);
    }
    s.group->ready.put(s, now_);
}

void locked_scheduler::withdraw(schedulable& s) noexcept {
    s.group->ready.take(s);
    if (s.group->ready.empty()) {
        groups_.erase(*s.group);
    }
}

event_scheduler::choice locked_scheduler::choose(int core, unsigned resumed) noexcept {
    unsigned priorities = resumed;
    for (const queue_group* g = groups_.first(); g != nullptr; g = groups_.after(*g)) {
        priorities |= (g->mask >> core & 1) != 0 ? g->ready.priorities() : 0;
    }
    if (priorities == 0) {
        return {};
    }
    const unsigned priority = guard_.next(priorities, starvation_);
    if ((resumed >> priority & 1) != 0) {
        return {.goes_on = true, .priority = priority};
    }
    schedulable* chosen = nullptr;
    for (const queue_group* g = groups_.first(); g != nullptr; g = groups_.after(*g)) {
        if ((g->mask >> core & 1) != 0 && (g->ready.priorities() >> priority & 1) != 0) {
            schedulable& first = g->ready.first(priority);
            chosen = chosen == nullptr || first.since < chosen->since ? &first : chosen;
        }
    }
    if (chosen != nullptr) { // always
        withdraw(*chosen);
    }
    return {.from = chosen};
}

unsigned starvation_guard::next(unsigned priorities, unsigned starvation) noexcept {
    const auto highest = static_cast<unsigned>(31 - std::countl_zero(priorities));
    unsigned chosen = highest;
    for (unsigned lower = starvation != 0 ? priorities & ~(1U << highest) : 0; lower != 0; lower &= lower - 1) {
        const auto p = static_cast<unsigned>(std::countr_zero(lower));
        ++passed_[p];
        if (passed_[p] > starvation && (chosen == highest || passed_[p] > passed_[chosen])) {
            chosen = p;
        }
    }
    passed_[chosen] = 0;
    return chosen;
}

std::uint64_t locked_scheduler::cores() const noexcept {
    std::uint64_t all = 0;
    for (const queue_group* g = groups_.first(); g != nullptr; g = groups_.after(*g)) {
        all |= g->mask;
    }
    return all;
}

} // namespace skerry::inline SKERRY_ABI::detail
