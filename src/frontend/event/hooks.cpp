// SPDX-License-Identifier: Apache-2.0

#include "frontend/event/hooks.hpp"

#include <algorithm>

namespace skerry::inline SKERRY_ABI::detail {

constinit event_hooks the_event_hooks;

void event_hooks::note(hook kind) noexcept {
    // relaxed: as in any()
    if (rows_[static_cast<std::size_t>(kind)].count != 0) {
        flags_.fetch_or(bit(kind), memory_order::relaxed);
    } else {
        flags_.fetch_and(~bit(kind), memory_order::relaxed);
    }
}

bool event_hooks::add(hook kind, function f) noexcept {
    const std::lock_guard lock(lock_);
    row& r = rows_[static_cast<std::size_t>(kind)];
    if (r.count == r.functions.size()) {
        return false;
    }
    r.functions[r.count++] = f;
    note(kind);
    return true;
}

bool event_hooks::remove(hook kind, function f) noexcept {
    const std::lock_guard lock(lock_);
    row& r = rows_[static_cast<std::size_t>(kind)];
    const std::span all = std::span(r.functions).first(r.count);
    const auto place = std::ranges::find(all, f);
    if (place == all.end()) {
        return false;
    }
    std::ranges::rotate(place, place + 1, all.end());
    --r.count;
    note(kind);
    return true;
}

void event_hooks::remove_all() noexcept {
    const std::lock_guard lock(lock_);
    rows_ = {};
    flags_.store(0, memory_order::relaxed); // as in any()
}

} // namespace skerry::inline SKERRY_ABI::detail
