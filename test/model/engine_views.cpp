// SPDX-License-Identifier: Apache-2.0

// The machine with the memory of C++: which operations views.hpp does, and when they may be left to themselves.

#include <bit>
#include <string>

#include "engine.hpp"
#include "operation.hpp"
#include "testing_pause.hpp"

namespace skerry::model {

// What no other thread conflicts with is done in the arena, and has no history.
bool engine::tracked(unsigned t, const request& r) const {
    switch (r.what) {
    case action::none:
    case action::choose: return false;
    case action::light_fence: return heavy_used_ || !options_.reduce;
    case action::load:
    case action::plain_load: return !options_.reduce || others_write(t, r.address);
    default: return r.size == 0 || r.what == action::futex_wait || !options_.reduce || others_touch(t, r.address);
    }
}

// A store that can stand in one place only is done at once: others may go on to read what is older, and put theirs
// before it, as long as the older ones fit the bound. So is a fence that changes nothing: as a later one it would only
// forbid more.
bool engine::visible_in_views(unsigned t, const request& r) const {
    if (!tracked(t, r)) {
        return r.what == action::choose && r.operand > 1;
    }
    const testing_pause pause(*const_cast<engine*>(this));
    switch (r.what) {
    case action::store: return views_.choices(t, r, false) > 1 || views_.hides(r) || !views_.race(t, r).empty();
    case action::full_fence:
    case action::light_fence: return !views_.idle(t, r);
    case action::fence: return false;
    default: return true;
    }
}

void engine::execute_in_views(unsigned t, const request& r, unsigned alternative) {
    control& c = of(t);
    if (r.what == action::heavy_fence && heavy_in_flight()) {
        c.done = 0; // the caller that comes second is refused
        return;
    }
    const reply got = views_.execute(t, r, alternative, options_.spurious_wakes);
    c.value = got.value;
    c.done = got.done ? 1 : 0;
    if (r.what == action::heavy_fence) {
        views_.ask(((1U << threads_) - 1) & ~(1U << t));
    } else if (r.what == action::futex_wait) {
        sleep_if(t, r);
    } else if (r.what == action::futex_wake) {
        c.value = static_cast<std::uint64_t>(std::popcount(static_cast<unsigned>(wake(r, alternative))));
    }
}

void engine::pass(unsigned t) {
    views_.pass(t);
    write_log(t, "f", "    passes the fence that another one asks for");
}

// Memory that is freed: to all of it that is a store, and whatever others have done there must be known.
void engine::forget_in_views(std::uintptr_t begin, std::uintptr_t end) {
    if (!weak()) {
        return;
    }
    const unsigned t = on_thread() ? static_cast<unsigned>(running_) : max_threads;
    for (std::uintptr_t at = begin; at < end && t < max_threads; at += granule) {
        note_touch(t, at, false, true);
    }
    if (restart_) {
        leave();
    }
    const testing_pause pause(*this);
    const std::string wrong = views_.die(t, begin, end);
    if (!wrong.empty()) {
        fail("race", wrong + ": " + name_of(views_.broken()));
    }
}

// After each transition: frames that were left are dead, and what nobody can tell is dropped.
void engine::reduce_views() {
    std::uint32_t running = 0;
    for (unsigned t = 0; t < stacks; ++t) {
        const auto end = reinterpret_cast<std::uintptr_t>(stack_top(t));
        const void* const live = t == host ? nullptr : of(t).context;
        const std::string wrong =
            views_.die(t, end - stack_size, live == nullptr ? end : reinterpret_cast<std::uintptr_t>(live));
        if (!wrong.empty()) {
            failure_kind_ = "race";
            failure_text_ = "T" + std::to_string(t) + ": " + wrong + ": " + name_of(views_.broken());
        }
        running |= t < threads_ && of(t).state != thread_state::finished ? 1U << t : 0U;
    }
    views_.reduce(running);
    views_.encode();
    if (!views_.full().kind.empty()) {
        failure_kind_ = views_.full().kind;
        failure_text_ = views_.full().text;
    }
}

std::string engine::race_in_views() const {
    for (unsigned t = 0; t < threads_; ++t) {
        const request& r = of(t).pending;
        if (of(t).state == thread_state::ready && r.size != 0 && r.what != action::futex_wake && tracked(t, r)) {
            if (const std::string wrong = views_.race(t, r); !wrong.empty()) {
                return "T" + std::to_string(t) + wrong + ": " + name_of(r.address);
            }
        }
    }
    return {};
}

std::string engine::describe_views() const {
    std::string text;
    for (const views::line& place : views_.describe()) {
        text += name_of(place.address) + " may be read as";
        for (std::size_t i = 0; i < place.values.size(); ++i) {
            text += (i == 0 ? " " : ", ") + value_text(place.values[i], place.size);
            for (unsigned t = 0; t < threads_; ++t) {
                if (place.known[t] == i && of(t).state != thread_state::finished) {
                    text += " (from here by T" + std::to_string(t) + ")";
                }
            }
        }
        text += "\n";
    }
    return text;
}

} // namespace skerry::model
