// SPDX-License-Identifier: Apache-2.0

#include "sched/cancellation.hpp"

#include <memory>
#include <mutex>
#include <new>

#include <skerry/cancelled.hpp>

#include "sched/team.hpp"

namespace skerry::inline SKERRY_ABI::detail {

constinit machine::atomic<std::uint32_t> stops_in_force{0};

namespace {

constinit mutex<machine> stopping_mutex; // orders a request and the end of another one of the same group
constinit team* alerted = nullptr;       // under it: the teams, linked by team::next_alerted

void count(int requests) noexcept {
    stops_in_force.fetch_add(static_cast<std::uint32_t>(requests), memory_order::release);
}

// Under the lock.
void alert_teams() noexcept {
    machine::full_fence(); // T1 before T3
    for (team* t = alerted; t != nullptr; t = t->next_alerted) {
        t->alert();
    }
}

// Under the lock, or of a state that nobody else knows yet.
void ask(const stop_state& state) noexcept {
    if (!state.asked.load(memory_order::relaxed)) {
        count(1);
        state.asked.store(true, memory_order::release);
    }
}

const stop_state* state_around(const context* c);

// The reference to `outer` is taken when nothing can fail any more. Errors: std::bad_alloc.
std::unique_ptr<stop_state> state_within(const stop_state* outer) {
    auto fresh = std::make_unique<stop_state>(outer);
    if (outer != nullptr) {
        static_cast<void>(outer->held());
    }
    return fresh;
}

// Of a group, whose tasks are asked by one store more from here on.
const stop_state* state_of_group(const context& group) {
    const stop_state* const outer = state_around(group.around());
    auto fresh = state_within(outer);
    machine::publish_all(coherence_step::handed_over);
    std::uintptr_t seen = group.stop.load(memory_order::acquire);
    while (stop_word::state_of(seen) == nullptr) {
        if ((seen & stop_word::asked) != 0) {
            ask(*fresh);
        }
        if (group.stop.compare_exchange_weak(seen, seen | stop_word::of(fresh.get()), memory_order::acq_rel,
                                             memory_order::acquire)) {
            return fresh.release();
        }
    }
    let_go(fresh.release()); // another task of the group was faster
    return stop_word::state_of(seen);
}

// What may be asked to stop at `c` and further out; null: nothing. It lives as long as `c`.
const stop_state* state_around(const context* c) {
    for (; c != nullptr; c = c->around()) {
        const std::uintptr_t word = c->stop.load(memory_order::acquire);
        if (const stop_state* const known = stop_word::state_of(word)) {
            return known;
        }
        if ((word & stop_word::source) != 0) {
            return state_of_group(*c);
        }
    }
    return nullptr;
}

} // namespace

void request_stop(const context& group) noexcept {
    if ((group.stop.load(memory_order::acquire) & stop_word::asked) != 0) {
        return;
    }
    const std::lock_guard lock(stopping_mutex);
    count(1);
    const std::uintptr_t before = group.stop.fetch_or(stop_word::asked, memory_order::acq_rel); // T1 -> T2
    if ((before & stop_word::asked) != 0) {
        count(-1);
        return;
    }
    if (const stop_state* const state = stop_word::state_of(before)) {
        ask(*state);
    }
    alert_teams();
}

void request_for_search(machine::atomic<std::uint32_t>& requests) noexcept {
    const std::lock_guard lock(stopping_mutex);
    if (requests.load(memory_order::relaxed) == 0) { // relaxed: under the lock
        count(1);
        requests.store(1, memory_order::release);
    }
}

void end_search_request() noexcept { count(-1); }

void alert_all() noexcept {
    const std::lock_guard lock(stopping_mutex);
    alert_teams();
}

void throw_cancelled() { throw cancelled(); }

bool is_stopping() noexcept {
    const worker_page* const page = current_page;
    return page != nullptr && page->ctx != nullptr && page->ctx->stopping();
}

const stop_state* left_by(const context& c) {
    const context& frame = c.frame();
    return &c == &frame ? nullptr : state_around(&c);
}

void outlive(const context& group, const context& c) {
    if (const stop_state* const around = state_around(&c)) {
        group.stop.store(stop_word::source | stop_word::of(state_within(around).release()), memory_order::release);
    }
}

bool renew(const context& group) noexcept {
    const bool stopped = stops(group);
    if (group.stop.load(memory_order::acquire) == stop_word::source) {
        return stopped;
    }
    const std::lock_guard lock(stopping_mutex);
    const std::uintptr_t before = group.stop.load(memory_order::acquire);
    // The state stays with what the group's tasks have left behind. A group that has no way outwards but it gets a new
    // one; without memory for that it stands alone.
    const stop_state* const old = stop_word::state_of(before);
    const stop_state* fresh = nullptr;
    if (old != nullptr && group.around() == nullptr && old->outer != nullptr) {
        fresh = new (std::nothrow) stop_state(old->outer);
        if (fresh != nullptr) {
            static_cast<void>(old->outer->held());
        }
    }
    group.stop.store(stop_word::source | stop_word::of(fresh), memory_order::release);
    if ((before & stop_word::asked) != 0) {
        count(-1);
    }
    if (old != nullptr) {
        let_go(old);
    }
    return stopped;
}

void end(const context& group) noexcept {
    const std::uintptr_t last = group.stop.load(memory_order::acquire);
    if ((last & stop_word::asked) != 0) {
        const std::lock_guard lock(stopping_mutex); // who has asked may be at it still
        count(-1);
    }
    if (const stop_state* const state = stop_word::state_of(last)) {
        let_go(state);
    }
}

void let_go(const stop_state* state) noexcept {
    while (state != nullptr && state->references.fetch_sub(1, memory_order::acq_rel) == 1) {
        const std::unique_ptr<const stop_state> last(state);
        if (last->asked.load(memory_order::relaxed)) {
            count(-1);
        }
        state = last->outer;
    }
}

alert_scope::alert_scope(team& t) noexcept : team_(t) {
    const std::lock_guard lock(stopping_mutex);
    t.next_alerted = alerted;
    alerted = &t;
}

alert_scope::~alert_scope() {
    const std::lock_guard lock(stopping_mutex);
    team** at = &alerted;
    while (*at != &team_) {
        at = &(*at)->next_alerted;
    }
    *at = team_.next_alerted;
}

mutex<machine>& stop_mutex() noexcept { return stopping_mutex; }

} // namespace skerry::inline SKERRY_ABI::detail
