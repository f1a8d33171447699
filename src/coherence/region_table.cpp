// SPDX-License-Identifier: Apache-2.0

#include "coherence/region_table.hpp"

#include <mutex>
#include <new>
#include <utility>

namespace skerry::inline SKERRY_ABI::detail {

namespace {

// Needs neither a first use nor an end: regions may be used before main and in static destructors.
constinit region_table table;

} // namespace

region_table& region_table::instance() noexcept { return table; }

region_state& region_table::take() {
    const std::lock_guard guard(mutex_);
    if (free_ != nullptr) {
        region_state& s = *std::exchange(free_, free_->next_free);
        ++s.serial;
        return s;
    }
    if (next_slot_ == region_slots) {
        throw std::bad_alloc();
    }
    const std::size_t k = static_cast<unsigned>(std::bit_width(next_slot_ / first_size + 1)) - 1;
    region_state* segment = k == 0 ? first_.data() : segments_[k].load(memory_order::relaxed); // relaxed: locked
    if (segment == nullptr) {
        segment = new region_state[first_size << k];
        segments_[k].store(segment, memory_order::release); // T1 -> T2: publishes the states
    }
    region_state& s = segment[next_slot_ - begin_of(k)];
    s.slot = next_slot_++;
    s.serial = 1;
    return s;
}

void region_table::give(region_state& s) noexcept {
    const std::lock_guard guard(mutex_);
    if (s.serial + 1 < region_serials) {
        s.next_free = std::exchange(free_, &s);
    }
}

region_state* region_table::find_guest(region_id id) noexcept {
    if (id == region_id::root) {
        return first_.data();
    }
    guests* const of = guests_[process_of(id)].load(memory_order::acquire); // T6 <- T5
    region_state* const piece =
        of != nullptr ? of->pieces[slot_of(id) / piece_size].load(memory_order::acquire) : nullptr; // T6 <- T5
    return piece != nullptr ? &piece[slot_of(id) % piece_size] : nullptr;
}

region_state& region_table::guest(region_id id) {
    if (region_state* const found = find_guest(id)) {
        return *found;
    }
    const std::lock_guard guard(mutex_);
    auto& of = guests_[process_of(id)];
    if (of.load(memory_order::relaxed) == nullptr) { // relaxed: locked, here and below
        of.store(new guests, memory_order::release); // T5 -> T6: publishes the directory
    }
    auto& piece = of.load(memory_order::relaxed)->pieces[slot_of(id) / piece_size];
    if (piece.load(memory_order::relaxed) == nullptr) {
        piece.store(new region_state[piece_size], memory_order::release); // T5 -> T6: publishes the states
    }
    return piece.load(memory_order::relaxed)[slot_of(id) % piece_size];
}

bool region_table::set_process(std::uint64_t number) noexcept {
    const std::lock_guard guard(mutex_);
    if (number != process_ && next_slot_ != 1) {
        return false;
    }
    process_ = number;
    region_state& root = first_.front();
    const std::lock_guard root_guard(root.guard);
    root.away = number != 0;
    return true;
}

} // namespace skerry::inline SKERRY_ABI::detail
