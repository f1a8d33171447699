// SPDX-License-Identifier: Apache-2.0

#include "frontend/event/scheduler.hpp"

#include <algorithm>
#include <bit>

namespace skerry::inline SKERRY_ABI::detail {

void locked_scheduler::ready(schedulable& s) noexcept {
    if (s.home >= 0) {
        home(s.home).put(s);
        return;
    }
    if (s.group->ready.empty()) {
        groups_.push_back(*s.group);
    }
    s.group->ready.put(s, now_);
}

void locked_scheduler::withdraw(schedulable& s) noexcept {
    if (s.home >= 0) {
        home(s.home).take(s);
        return;
    }
    s.group->ready.take(s);
    if (s.group->ready.empty()) {
        groups_.erase(*s.group);
    }
}

unsigned locked_scheduler::shared(int core) const noexcept {
    unsigned priorities = 0;
    for (const queue_group* g = groups_.first(); g != nullptr; g = groups_.after(*g)) {
        priorities |= (g->mask >> core & 1) != 0 ? g->ready.priorities() : 0;
    }
    return priorities;
}

// Half of the queues of the highest priority that another core has ready, at most most_taken_over. False: none has.
// They are the core's then, or nobody's if it does not work at home.
bool locked_scheduler::take_over(int core, bool at_home) noexcept {
    home_ready* from = nullptr;
    for (int c = 0; c < cores_; ++c) {
        home_ready& one = home(c);
        if (c != core && !one.common.empty() && (from == nullptr || one.common.highest() > from->common.highest())) {
            from = &one;
        }
    }
    if (from == nullptr) {
        return false;
    }
    const unsigned priority = from->common.highest();
    std::size_t n = std::min((from->common.count(priority) + 1) / 2, most_taken_over);
    for (; n != 0; --n) {
        schedulable& s = from->common.first(priority);
        from->take(s);
        s.move_home(at_home ? core : -1);
        ready(s);
    }
    return true;
}

event_scheduler::choice locked_scheduler::choose(int core, unsigned resumed, bool at_home) noexcept {
    home_ready& mine = home(core);
    unsigned of_all = shared(core);
    unsigned priorities = resumed | mine.priorities() | of_all;
    if (priorities == 0 && take_over(core, at_home)) {
        of_all = shared(core);
        priorities = mine.priorities() | of_all;
    }
    if (priorities == 0) {
        return {};
    }
    const unsigned priority = (at_home ? mine.guard : guard_).next(priorities, starvation_);
    if ((resumed >> priority & 1) != 0) {
        return {.goes_on = true, .priority = priority};
    }
    schedulable* chosen = (mine.priorities() >> priority & 1) != 0 ? &mine.first(priority) : nullptr;
    const bool turn_goes_on = chosen != nullptr && chosen->turn != 0;
    if (chosen != nullptr && ((of_all >> priority & 1) == 0 || turn_goes_on || !from_home_)) {
        from_home_ = true;
        mine.take(*chosen);
        return {.from = chosen};
    }
    chosen = nullptr;
    for (const queue_group* g = groups_.first(); g != nullptr; g = groups_.after(*g)) {
        if ((g->mask >> core & 1) != 0 && (g->ready.priorities() >> priority & 1) != 0) {
            schedulable& first = g->ready.first(priority);
            chosen = chosen == nullptr || first.since < chosen->since ? &first : chosen;
        }
    }
    if (chosen != nullptr) {            // always
        from_home_ = chosen->turn != 0; // its turn goes on
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

std::uint64_t locked_scheduler::cores(bool to_take) const noexcept {
    std::uint64_t all = 0;
    for (const queue_group* g = groups_.first(); g != nullptr; g = groups_.after(*g)) {
        all |= g->mask;
    }
    for (int c = 0; c < cores_; ++c) {
        const home_ready& one = homes_[static_cast<std::size_t>(c)].ready;
        all |= one.priorities() == 0 ? 0 : std::uint64_t{1} << c;
        all |= one.common.empty() || !to_take ? 0 : ~std::uint64_t{0};
    }
    return all;
}

} // namespace skerry::inline SKERRY_ABI::detail
