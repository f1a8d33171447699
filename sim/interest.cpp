// SPDX-License-Identifier: Apache-2.0

// Regions of interest. What figures are of begins and ends here for the whole machine at once:
//
//  1. Whoever begins the first one waits for its turn. No other core is behind it then.
//  2. All caches, the shared one too, are emptied, and the latest value of every byte stands in memory.
//  3. Counters go on; what they are now is kept, and taken away from what they are at the end.
//  4. At the end the caches are emptied again, and no core's accesses are observed: hooks find `observed` null, atomic
//     accesses and publishing cost nothing. Blocks still count, so that a core that only looks gives up its turn.

#include <algorithm>

#include "base/panic.hpp"
#include "sim/engine.hpp"

namespace skerry_sim::detail {

namespace {

constexpr core_statistics operator-(core_statistics a, const core_statistics& b) noexcept {
    for (const auto member :
         {&core_statistics::cycles, &core_statistics::instructions, &core_statistics::loads, &core_statistics::stores,
          &core_statistics::load_misses, &core_statistics::store_misses, &core_statistics::atomics,
          &core_statistics::discards, &core_statistics::lines_discarded, &core_statistics::publishes,
          &core_statistics::lines_published, &core_statistics::interrupts_sent, &core_statistics::interrupts_accepted,
          &core_statistics::interrupts_refused, &core_statistics::stale_reads, &core_statistics::stale_reads_allowed}) {
        a.*member -= b.*member;
    }
    return a;
}

constexpr void operator+=(core_statistics& a, const core_statistics& b) noexcept { a = a - (core_statistics{} - b); }

} // namespace

core_statistics engine::seen_of(const core& c) const noexcept {
    core_statistics s = c.counts;
    s.cycles = static_cast<std::uint64_t>(c.clock());
    s.instructions = static_cast<std::uint64_t>(c.clock() - c.stalled);
    s.loads = c.loads;
    s.stores = c.stores;
    return s;
}

void engine::observe(bool yes) {
    for (core& c : cores_) {
        *c.observed_at = yes ? &c : nullptr;
    }
}

// Precondition: nothing old stands in memory for the running core.
void engine::make_cold() {
    for (core& c : cores_) {
        std::fill(c.ways.begin(), c.ways.end(), way{});
        c.swaps.clear();
        std::fill_n(c.read_line, filter_slots, no_line);
        std::fill_n(c.write_line, filter_slots, no_line);
        std::fill_n(c.dirty, filter_slots, 0);
    }
    frames_.forget_copies();
    images_.clear();
    free_images_.clear();
    memory_ = shared_memory(machine_, set_.seed);
    protocol_->make_cold();
}

void engine::begin_interest(core& c) {
    order(c);
    if (interest_++ != 0) {
        return;
    }
    while (!c.swaps.empty()) {
        swap_out(c, c.ways[c.swaps.back()]);
    }
    {
        const host_section host;
        make_cold();
        had_interest_ = true;
        interest_from_ = c.clock();
        interest_base_.clear();
        for (const core& o : cores_) {
            interest_base_.push_back(seen_of(o));
            interest_base_.back().cycles =
                std::max(interest_base_.back().cycles, static_cast<std::uint64_t>(interest_from_));
        }
    }
    outside_ = false;
    tracking_ = finds_stale_;
    observe(true);
}

void engine::end_interest(core& c) {
    order(c);
    if (interest_ == 0) {
        skerry::detail::panic("skerry_sim::end_interest() without a begin on core ", c.id);
    }
    if (interest_ != 1) {
        --interest_;
        return;
    }
    while (!c.swaps.empty()) {
        swap_out(c, c.ways[c.swaps.back()]);
    }
    {
        const host_section host;
        statistics seen;
        add_seen(seen, c.clock());
        interest_seen_ = seen;
        make_cold();
    }
    interest_ = 0;
    outside_ = true;
    tracking_ = false;
    observe(false);
}

// Adds what fill() reports of each core, and the cycles of regions: of one that is open, until `clock`.
void engine::add_seen(statistics& to, std::int64_t clock) const {
    if (!had_interest_) {
        for (const core& c : cores_) {
            to.cores.push_back(seen_of(c));
        }
        to.l2_misses = memory_.misses();
        return;
    }
    to = interest_seen_;
    if (interest_ == 0) {
        return;
    }
    to.cores.resize(cores_.size());
    for (const core& c : cores_) {
        core_statistics now = seen_of(c);
        now.cycles = std::max(now.cycles, interest_base_[c.id].cycles);
        to.cores[c.id] += now - interest_base_[c.id];
    }
    to.total.cycles += static_cast<std::uint64_t>(std::max(clock, interest_from_) - interest_from_);
    to.l2_misses += memory_.misses();
}

} // namespace skerry_sim::detail
