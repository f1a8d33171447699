// SPDX-License-Identifier: Apache-2.0

#include "frontend/event/event_group.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

namespace skerry::inline SKERRY_ABI::detail {

event_groups::event_group* event_groups::of(em_event_group_t handle) const noexcept {
    return groups_.of(number_of(handle));
}

event_groups::event_group* event_groups::under_way(group_tag tag) const noexcept {
    event_group* const g = groups_.of(tag.number());
    return g != nullptr && g->under_way && g->tag == tag ? g : nullptr;
}

em_event_group_t event_groups::create() {
    auto made = std::make_unique<event_group>();
    const std::lock_guard lock(lock_);
    const std::size_t number = groups_.free_number();
    if (number == 0) {
        return EM_EVENT_GROUP_UNDEF;
    }
    made->tag = {number, ++generation_}; // no event has it
    groups_.put(number, std::move(made));
    return handle_of<em_event_group_t>(number);
}

bool event_groups::exists(em_event_group_t handle) noexcept {
    const std::lock_guard lock(lock_);
    return of(handle) != nullptr;
}

event_groups::done event_groups::remove(em_event_group_t handle) noexcept {
    std::unique_ptr<event_group> gone;
    const std::lock_guard lock(lock_);
    const event_group* const g = of(handle);
    if (g == nullptr) {
        return done::no_group;
    }
    if (g->under_way) {
        return done::no;
    }
    gone = groups_.take(g->tag.number());
    return done::yes;
}

event_groups::done event_groups::apply(em_event_group_t handle, std::uint64_t count,
                                       std::span<const notice> then) noexcept {
    const std::lock_guard lock(lock_);
    event_group* const g = of(handle);
    if (g == nullptr) {
        return done::no_group;
    }
    if (g->under_way) {
        return done::no;
    }
    g->tag = {g->tag.number(), ++generation_};
    g->to_begin = g->left = count;
    g->notice_count = then.size();
    std::ranges::copy(then, g->notices.begin());
    g->under_way = true;
    return done::yes;
}

event_groups::done event_groups::abort(em_event_group_t handle) noexcept {
    const std::lock_guard lock(lock_);
    event_group* const g = of(handle);
    if (g == nullptr) {
        return done::no_group;
    }
    return std::exchange(g->under_way, false) ? done::yes : done::no;
}

event_groups::done event_groups::is_ready(em_event_group_t handle) noexcept {
    const std::lock_guard lock(lock_);
    const event_group* const g = of(handle);
    return g == nullptr ? done::no_group : g->under_way ? done::no : done::yes;
}

int event_groups::copy_notices(em_event_group_t handle, std::span<em_notif_t> to) noexcept {
    const std::lock_guard lock(lock_);
    const event_group* const g = of(handle);
    if (g == nullptr) {
        return -1;
    }
    const std::size_t count = g->under_way ? std::min(g->notice_count, to.size()) : 0;
    for (std::size_t i = 0; i < count; ++i) {
        to[i] = {g->notices[i].event, g->notices[i].queue, g->notices[i].group};
    }
    return static_cast<int>(count);
}

group_tag event_groups::tag_of(em_event_group_t handle) noexcept {
    const std::lock_guard lock(lock_);
    const event_group* const g = of(handle);
    return g != nullptr ? g->tag : group_tag();
}

bool event_groups::counts(group_tag tag) noexcept {
    const std::lock_guard lock(lock_);
    return under_way(tag) != nullptr;
}

unsigned event_groups::begin(group_tag tag, unsigned events) noexcept {
    const std::lock_guard lock(lock_);
    event_group* const g = under_way(tag);
    if (g == nullptr) {
        return 0;
    }
    const auto count = static_cast<unsigned>(std::min<std::uint64_t>(g->to_begin, events));
    g->to_begin -= count;
    return count;
}

event_groups::done event_groups::begin(em_event_group_t handle, group_tag& tag) noexcept {
    const std::lock_guard lock(lock_);
    event_group* const g = of(handle);
    if (g == nullptr) {
        return done::no_group;
    }
    if (!g->under_way || g->to_begin == 0) {
        return done::no;
    }
    --g->to_begin;
    tag = g->tag;
    return done::yes;
}

bool event_groups::add(group_tag tag, std::uint64_t more) noexcept {
    const std::lock_guard lock(lock_);
    event_group* const g = under_way(tag);
    if (g == nullptr) {
        return false;
    }
    g->to_begin += more;
    g->left += more;
    return true;
}

void event_groups::end(group_tag tag, unsigned events) noexcept {
    std::array<notice, most_notices> then;
    std::size_t count = 0;
    {
        const std::lock_guard lock(lock_);
        event_group* const g = under_way(tag);
        if (g == nullptr) {
            return;
        }
        g->left -= events;
        if (g->left != 0) {
            return;
        }
        g->under_way = false; // before the first of them can be received: that one may apply the group again
        count = g->notice_count;
        then = g->notices;
    }
    send_notices(std::span(then).first(count));
}

em_event_group_t event_groups::after(em_event_group_t handle) noexcept {
    const std::lock_guard lock(lock_);
    const event_group* const next = groups_.after(number_of(handle));
    return next != nullptr ? handle_of<em_event_group_t>(next->tag.number()) : EM_EVENT_GROUP_UNDEF;
}

unsigned event_groups::count() noexcept {
    const std::lock_guard lock(lock_);
    return static_cast<unsigned>(groups_.count());
}

} // namespace skerry::inline SKERRY_ABI::detail
