// SPDX-License-Identifier: Apache-2.0

#include "frontend/event/event_group.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

namespace skerry::inline SKERRY_ABI::detail {

namespace {

em_event_group_t handle_of_group(std::size_t number) noexcept { return reinterpret_cast<em_event_group_t>(number); }

constexpr auto is_free = [](const auto& place) { return place == nullptr; };

} // namespace

event_groups::event_group* event_groups::of(em_event_group_t handle) const noexcept {
    const auto number = reinterpret_cast<std::uintptr_t>(handle);
    return number != 0 && number <= groups_.size() ? groups_[number - 1].get() : nullptr;
}

event_groups::event_group* event_groups::under_way(group_tag tag) const noexcept {
    event_group* const g = of(handle_of_group(tag.number()));
    return g != nullptr && g->under_way && g->tag == tag ? g : nullptr;
}

em_event_group_t event_groups::create() {
    auto made = std::make_unique<event_group>();
    const std::lock_guard lock(lock_);
    const auto place = std::ranges::find_if(groups_, is_free);
    const auto number = static_cast<std::size_t>(place - groups_.begin()) + 1;
    if (number > most) {
        return EM_EVENT_GROUP_UNDEF;
    }
    made->tag = {number, ++generation_}; // no event has it
    if (place == groups_.end()) {
        groups_.push_back(std::move(made));
    } else {
        *place = std::move(made);
    }
    return handle_of_group(number);
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
    gone = std::move(groups_[g->tag.number() - 1]);
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

bool event_groups::begin(group_tag tag) noexcept {
    const std::lock_guard lock(lock_);
    event_group* const g = under_way(tag);
    if (g == nullptr || g->to_begin == 0) {
        return false;
    }
    --g->to_begin;
    return true;
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

void event_groups::end(group_tag tag) noexcept {
    std::array<notice, most_notices> then;
    std::size_t count = 0;
    {
        const std::lock_guard lock(lock_);
        event_group* const g = under_way(tag);
        if (g == nullptr || --g->left != 0) {
            return;
        }
        g->under_way = false; // before the first of them can be received: that one may apply the group again
        count = g->notice_count;
        then = g->notices;
    }
    send_notices(std::span(then).first(count));
}

em_event_group_t event_groups::after(std::size_t number) noexcept {
    const std::lock_guard lock(lock_);
    while (number < groups_.size() && groups_[number] == nullptr) {
        ++number;
    }
    return number < groups_.size() ? handle_of_group(number + 1) : EM_EVENT_GROUP_UNDEF;
}

unsigned event_groups::count() noexcept {
    const std::lock_guard lock(lock_);
    return static_cast<unsigned>(groups_.size() - static_cast<std::size_t>(std::ranges::count_if(groups_, is_free)));
}

} // namespace skerry::inline SKERRY_ABI::detail
