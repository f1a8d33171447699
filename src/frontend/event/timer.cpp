// SPDX-License-Identifier: Apache-2.0

#include "frontend/event/timer.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <span>

#include <event_machine/api/event_machine_event.h>

#include "base/port/clock.hpp"
#include "frontend/event/event_machine.hpp"
#include "frontend/event/hooks.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// --- timers ---------------------------------------------------------------------------------------------------------

em_timer_t event_timers::add_timer(const em_timer_attr_t& attr) {
    auto made = std::make_unique<timer>();
    made->attr = attr;
    const std::lock_guard lock(lock_);
    const std::size_t number = timers_.free_number();
    if (number == 0) {
        return EM_TIMER_UNDEF;
    }
    if (!thread_.joinable()) {
        thread_.start(stack_size, "skerry timers", &run, this);
    }
    made->handle = handle_of<em_timer_t>(number);
    timers_.put(number, std::move(made));
    return handle_of<em_timer_t>(number);
}

event_timers::done event_timers::remove_timer(em_timer_t handle) noexcept {
    std::unique_ptr<timer> gone;
    const std::lock_guard lock(lock_);
    const timer* const t = of(handle);
    if (t == nullptr) {
        return done::no_timer;
    }
    if (t->timeouts != 0) {
        return done::in_use;
    }
    gone = timers_.take(number_of(handle));
    return done::yes;
}

event_timers::done event_timers::attributes(em_timer_t handle, em_timer_attr_t& attr) noexcept {
    const std::lock_guard lock(lock_);
    const timer* const t = of(handle);
    if (t == nullptr) {
        return done::no_timer;
    }
    attr = t->attr;
    return done::yes;
}

bool event_timers::exists(em_timer_t handle) noexcept {
    const std::lock_guard lock(lock_);
    return of(handle) != nullptr;
}

std::size_t event_timers::all(em_timer_t* to, std::size_t room) noexcept {
    const std::lock_guard lock(lock_);
    std::size_t count = 0;
    timers_.each([&](const timer& t) {
        if (count < room) {
            to[count] = t.handle;
        }
        ++count;
    });
    return count;
}

// --- timeouts -------------------------------------------------------------------------------------------------------

event_timers::timeout* event_timers::of(em_tmo_t handle) noexcept {
    const std::size_t number = number_of(handle);
    return number != 0 && number <= timeouts_.size() ? timeouts_[number - 1].get() : nullptr;
}

event_timers::done event_timers::add(em_timer_t handle, bool periodic, bool skips, em_queue_t queue, em_tmo_t& made) {
    auto t = std::make_unique<timeout>();
    t->periodic = periodic;
    t->skips = skips;
    t->queue = queue;
    due_set nodes;
    t->node = nodes.extract(nodes.insert(due{}).first);
    const std::lock_guard lock(lock_);
    timer* const owner = of(handle);
    if (owner == nullptr) {
        return done::no_timer;
    }
    if (owner->timeouts == owner->attr.num_tmo) {
        return done::too_many;
    }
    while (first_free_ < timeouts_.size() && timeouts_[first_free_] != nullptr) {
        ++first_free_;
    }
    if (first_free_ == timeouts_.size()) {
        timeouts_.emplace_back();
    }
    t->owner = owner;
    timeouts_[first_free_] = std::move(t);
    made = handle_of<em_tmo_t>(++first_free_);
    ++owner->timeouts;
    return done::yes;
}

event_timers::done event_timers::remove(em_tmo_t handle, em_event_t& left) noexcept {
    std::unique_ptr<timeout> gone;
    const std::lock_guard lock(lock_);
    timeout* const t = of(handle);
    if (t == nullptr) {
        return done::no_timeout;
    }
    left = t->now == phase::armed ? disarm(*t) : EM_EVENT_UNDEF;
    --t->owner->timeouts;
    const std::size_t place = number_of(handle) - 1;
    gone = std::move(timeouts_[place]);
    first_free_ = std::min(first_free_, place);
    return done::yes;
}

void event_timers::arm(timeout& t, std::size_t number, std::uint64_t at, em_event_t e) noexcept {
    event::of(e)->timeout = {static_cast<std::uint32_t>(number), t.periodic};
    t.last = {at, ++turn_, number};
    t.event = e;
    t.now = phase::armed;
    t.canceled = false;
    t.node.value() = t.last;
    const auto place = due_.insert(std::move(t.node)).position;
    if (place == due_.begin()) { // the thread sleeps until a later one
        changed_.notify_all();
    }
}

em_event_t event_timers::disarm(timeout& t) noexcept {
    t.node = due_.extract(t.last);
    t.now = phase::idle;
    const em_event_t e = std::exchange(t.event, EM_EVENT_UNDEF);
    event::of(e)->timeout = {};
    return e;
}

event_timers::done event_timers::check(const timeout& t, std::uint64_t at, std::uint64_t now) noexcept {
    if (at < now + least_ns) {
        return done::too_near;
    }
    return at - now > t.owner->attr.resparam.max_tmo ? done::too_far : done::yes;
}

event_timers::done event_timers::set(em_tmo_t handle, when how, std::uint64_t ticks, em_event_t e) noexcept {
    const std::lock_guard lock(lock_);
    timeout* const t = of(handle);
    if (t == nullptr) {
        return done::no_timeout;
    }
    if (t->periodic) {
        return done::wrong_kind;
    }
    if (t->now == phase::armed) {
        return done::wrong_state;
    }
    const std::uint64_t now = port::now_ns();
    if (how == when::after && ticks > greatest_ns) { // the sum might be small again
        return done::too_far;
    }
    const std::uint64_t at = how == when::after ? now + ticks : ticks;
    if (const done wrong = check(*t, at, now); wrong != done::yes) {
        return wrong;
    }
    arm(*t, number_of(handle), at, e);
    return done::yes;
}

event_timers::done event_timers::set_periodic(em_tmo_t handle, std::uint64_t start, std::uint64_t period,
                                              em_event_t e) noexcept {
    const std::lock_guard lock(lock_);
    timeout* const t = of(handle);
    if (t == nullptr) {
        return done::no_timeout;
    }
    if (!t->periodic) {
        return done::wrong_kind;
    }
    if (t->now == phase::armed || (t->now == phase::expired && !t->canceled)) {
        return done::wrong_state;
    }
    if (period < least_ns) {
        return done::too_near;
    }
    if (period > greatest_ns) {
        return done::too_far;
    }
    const std::uint64_t now = port::now_ns();
    for (const std::uint64_t at : {start != 0 ? start : now + period, now + period}) {
        if (const done wrong = check(*t, at, now); wrong != done::yes) {
            return wrong;
        }
    }
    t->period = period;
    arm(*t, number_of(handle), start != 0 ? start : now + period, e);
    return done::yes;
}

event_timers::done event_timers::cancel(em_tmo_t handle, em_event_t& taken) noexcept {
    const std::lock_guard lock(lock_);
    timeout* const t = of(handle);
    if (t == nullptr) {
        return done::no_timeout;
    }
    switch (t->now) {
    case phase::idle: return done::wrong_state;
    case phase::armed: taken = disarm(*t); return done::yes;
    case phase::expired: break;
    }
    t->canceled = true;
    return done::too_near;
}

event_timers::done event_timers::acknowledge(em_tmo_t handle, em_event_t next) noexcept {
    const std::lock_guard lock(lock_);
    timeout* const t = of(handle);
    if (t == nullptr) {
        return done::no_timeout;
    }
    if (!t->periodic) {
        return done::wrong_kind;
    }
    if (t->now != phase::expired) {
        return done::wrong_state;
    }
    if (std::exchange(t->canceled, false)) {
        t->now = phase::idle;
        return done::canceled;
    }
    const std::uint64_t now = port::now_ns();
    std::uint64_t at = t->last.at + t->period;
    ++t->stats.num_acks;
    if (at <= now) {
        ++t->stats.num_late_ack;
        if (t->skips) {
            const std::uint64_t over = (now - at) / t->period + 1;
            t->stats.num_period_skips += over;
            at += over * t->period;
        }
    }
    arm(*t, number_of(handle), at, next);
    return done::yes;
}

event_timers::done event_timers::look_at(em_tmo_t handle, view& v) noexcept {
    const std::lock_guard lock(lock_);
    const timeout* const t = of(handle);
    if (t == nullptr) {
        return done::no_timeout;
    }
    v.timer = t->owner->handle;
    v.stats = t->stats;
    const bool active = t->now == phase::armed || (t->now == phase::expired && t->periodic && !t->canceled);
    v.state = active ? EM_TMO_STATE_ACTIVE : EM_TMO_STATE_IDLE;
    return done::yes;
}

// --- the thread -----------------------------------------------------------------------------------------------------

void event_timers::stop() noexcept {
    {
        const std::lock_guard lock(lock_);
        stopping_ = true;
        changed_.notify_all();
    }
    if (thread_.joinable()) { // nobody begins it any more
        thread_.join();
    }
}

void event_timers::run(void* self) noexcept { static_cast<event_timers*>(self)->run(); }

void event_timers::run() noexcept {
    std::array<expiry, batch> now;
    std::unique_lock lock(lock_);
    while (!stopping_) {
        const std::uint64_t retry =
            late_.empty() ? std::numeric_limits<std::uint64_t>::max() : port::now_ns() + retry_ns;
        changed_.wait_for(
            lock, [&] { return stopping_; },
            [&]() -> std::uint64_t {
                const std::uint64_t next = std::min(due_.empty() ? retry : due_.begin()->at, retry);
                if (next == std::numeric_limits<std::uint64_t>::max()) {
                    return next; // somebody will arm the first one
                }
                const std::uint64_t time = port::now_ns();
                return next > time ? next - time : 0;
            });
        const std::size_t count = stopping_ ? 0 : take_due(now);
        lock.unlock();
        send_late();
        for (const expiry& e : std::span(now).first(count)) {
            send(e);
        }
        lock.lock();
    }
    lock.unlock();
    for (const expiry& e : late_) {
        em_free(e.event);
    }
}

std::size_t event_timers::take_due(std::span<expiry> to) noexcept {
    const std::uint64_t time = port::now_ns();
    std::size_t count = 0;
    while (count < to.size() && !due_.empty() && due_.begin()->at <= time) {
        const due first = *due_.begin();
        timeout& t = *timeouts_[first.number - 1];
        t.node = due_.extract(due_.begin());
        t.now = phase::expired;
        to[count++] = {std::exchange(t.event, EM_EVENT_UNDEF), t.queue, first};
    }
    return count;
}

void event_timers::send(const expiry& e) noexcept {
    tell_sent(std::span(&e.event, 1), e.queue, EM_EVENT_GROUP_UNDEF);
    const bool others_wait = std::ranges::any_of(late_, [&](const expiry& before) { return before.queue == e.queue; });
    if (!others_wait && is_sent(e)) {
        return;
    }
    try {
        late_.push_back(e);
    } catch (const std::bad_alloc&) {
        static_cast<void>(event_error(EM_ERR_ALLOC_FAILED, EM_ESCOPE_TIMER_CREATE,
                                      "a timer: there is no memory to keep the event of timeout %p until queue %p has "
                                      "room; it is freed",
                                      handle_of<void*>(e.what.number), static_cast<void*>(e.queue)));
        em_free(e.event);
    }
}

bool event_timers::is_sent(const expiry& e) noexcept {
    const event_machine::sent result = event_machine::instance()->send(e.event, e.queue);
    switch (result) {
    case event_machine::sent::yes: return true;
    case event_machine::sent::full:
    case event_machine::sent::refused: return false;
    default: break;
    }
    {
        const std::lock_guard lock(lock_); // nobody will acknowledge it
        timeout* const t = of(handle_of<em_tmo_t>(e.what.number));
        if (t != nullptr && t->now == phase::expired && t->last == e.what) {
            t->now = phase::idle;
        }
    }
    static_cast<void>(event_error(result == event_machine::sent::no_queue ? EM_ERR_BAD_ID : EM_ERR_BAD_STATE,
                                  EM_ESCOPE_TIMER_CREATE,
                                  "a timer: nobody receives from queue %p now; the event of timeout %p is freed",
                                  static_cast<void*>(e.queue), handle_of<void*>(e.what.number)));
    em_free(e.event);
    return true;
}

void event_timers::send_late() noexcept {
    std::size_t left = 0; // at the front, in their order: none overtakes another one of its queue
    for (const expiry& e : late_) {
        const auto is_before = [&](const expiry& before) { return before.queue == e.queue; };
        if (std::ranges::any_of(std::span(late_).first(left), is_before) || !is_sent(e)) {
            late_[left++] = e;
        }
    }
    late_.resize(left);
}

} // namespace skerry::inline SKERRY_ABI::detail
