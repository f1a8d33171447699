// SPDX-License-Identifier: Apache-2.0

// How a scope forgets the names of objects whose tasks have ended.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "deps/software_order.hpp"
#include "deps/task_scope.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// All groups are over, and nobody but the entries knows them.
void task_scope::give_up_groups() noexcept {
    names_.for_each([](name_table::entry& e) {
        if (e.last != nullptr) {
            software_order::give_up(*e.last);
            e.last = nullptr;
        }
    });
}

void task_scope::forget_names() noexcept {
    unwritten_.store(false, memory_order::relaxed); // relaxed: under the lock, or nobody else is left
    give_up_groups();
    names_.clear();
    names_seen_ = names_kept_ = 0;
}

// Under the lock: whether all accesses so far to the object have ended; what they have left is given up then.
bool task_scope::give_up_if_over(const name_table::entry& e) noexcept {
    if (e.last == nullptr) {
        return true;
    }
    if (e.last->unfinished.load(memory_order::acquire) != 1) { // E3 <- E1
        return false;
    }
    software_order::give_up(*e.last);
    return true;
}

// Under the lock, before a task names anything: the names are about to be more than they have been.
void task_scope::reuse_names() noexcept { names_.reuse(give_up_if_over); }

// Whoever spawns in another branch does it under the lock, so it finds all names or none, and its child is counted
// before or comes after.
void task_scope::tidy(std::uint64_t before) noexcept {
    const std::lock_guard lock(mutex_);
    if (cut_short_until_.load(memory_order::relaxed) <= before) { // relaxed, all: under the lock
        cut_short_until_.store(0, memory_order::relaxed);
    }
    if (static_cast<std::uint32_t>(children_.load(memory_order::acquire)) == 0 && // N2 <- N1
        guests_.load(memory_order::acquire) == 0) {                               // G2 <- G1
        forget_names();
        ordered_here_ = false;
    } else if (unwritten_.load(memory_order::relaxed)) {
        unwritten_.store(
            names_.end_unwritten([before](const name_table::entry& e) { return (e.unwritten & ~by_cancel) < before; }),
            memory_order::relaxed);
    }
}

void task_scope::end_unwritten(const latch<machine>& cover, std::uint64_t first) noexcept {
    if (unwritten_until_.load(memory_order::acquire) <= first) {
        return;
    }
    const std::lock_guard lock(mutex_);
    if (unwritten_.load(memory_order::relaxed)) { // relaxed, both: under the lock
        unwritten_.store(names_.end_unwritten([&cover](const name_table::entry& e) { return e.covered_by == &cover; }),
                         memory_order::relaxed);
    }
}

// As of tidy().
void task_scope::tidy_at_times() noexcept {
    // relaxed: a hint, so that small finishes need not take the lock
    if (next_number() - looked_at_.load(memory_order::relaxed) < few_names / 4) {
        return;
    }
    const std::lock_guard lock(mutex_);
    looked_at_.store(next_number(), memory_order::relaxed);
    const std::size_t known = names_.size();
    most_new_ = std::max(most_new_, known - std::min(known, names_seen_)); // some may have been used again
    names_seen_ = known;
    if (known <= std::max(few_names, 2 * (names_kept_ + most_new_)) || children() != 0 ||
        guests_.load(memory_order::acquire) != 0) { // G2 <- G1
        return;
    }
    if (!unwritten_.load(memory_order::relaxed)) { // relaxed: written under the lock
        forget_names();
        return;
    }
    give_up_groups();
    if (names_.forget_written() && names_.size() == 0) {
        unwritten_.store(false, memory_order::relaxed); // relaxed: no child is left who reads it without the lock
    }
    names_seen_ = names_kept_ = names_.size();
}

std::size_t task_scope::names() const noexcept {
    const std::lock_guard lock(mutex_);
    return names_.size();
}

} // namespace skerry::inline SKERRY_ABI::detail
