// SPDX-License-Identifier: Apache-2.0

#include "happens_before.hpp"

#include <algorithm>
#include <stdexcept>

namespace skerry::model {

namespace {

bool overlap(const event& a, const event& b) {
    return a.address < b.address + b.size && b.address < a.address + a.size;
}

bool of_futex(const event& e) {
    return e.of == event::kind::self_wake || e.what == action::futex_wake || (e.what == action::futex_wait && e.sleeps);
}

// Who falls asleep and who wakes by itself only change a set; who wakes others looks at it.
bool futex_conflict(const event& a, const event& b) {
    if (!of_futex(a) || !of_futex(b) || a.address != b.address) {
        return false;
    }
    const bool a_wakes = a.what == action::futex_wake;
    const bool b_wakes = b.what == action::futex_wake;
    return a_wakes && b_wakes ? a.woken != 0 || b.woken != 0 : a_wakes || b_wakes;
}

bool heavy_conflict(const event& a, const event& b) {
    return a.what == action::heavy_fence &&
           (b.what == action::heavy_fence || b.what == action::heavy_fence_end || b.what == action::light_fence);
}

bool found_by_another(const event& end, const event& probe) {
    return probe.of == event::kind::probe && probe.thread != end.thread && overlap(probe, end);
}

// Whether memory that one step has ended is found alive in another.
bool ends_for(const std::vector<event>& ended, const std::vector<event>& found) {
    return std::any_of(ended.begin(), ended.end(), [&found](const event& end) {
        return end.of == event::kind::end &&
               std::any_of(found.begin(), found.end(), [&end](const event& e) { return found_by_another(end, e); });
    });
}

} // namespace

bool conflict(const visible_event& a, const visible_event& b) {
    if (a.process == b.process) {
        return true;
    }
    if (a.what.thread == b.what.thread) {
        return false; // a thread and its stores, or two of its stores: either in order or free
    }
    return (overlap(a.what, b.what) && (a.what.reads || a.what.writes) && (b.what.reads || b.what.writes) &&
            (a.what.writes || b.what.writes)) ||
           futex_conflict(a.what, b.what) || heavy_conflict(a.what, b.what) || heavy_conflict(b.what, a.what);
}

bool conflict(const visible_event& a, const std::vector<event>& a_lives, const happened_step& b) {
    return conflict(a, b.visible) || ends_for(a_lives, b.lives) || ends_for(b.lives, a_lives);
}

void happens_before::begin(const options& o) {
    options_ = o;
    steps_.clear();
    standings_.assign(1, standing{});
    words_.clear();
}

void happens_before::start(const std::vector<event>& events) {
    for (const event& e : events) {
        note_local(standings_[0], e, -1);
    }
}

unsigned happens_before::process_of(std::size_t depth, const transition& t) {
    if (t.kind != transition_kind::flush) {
        return t.thread;
    }
    if (options_.memory != memory_order_of::partial) {
        return max_threads + t.thread;
    }
    const std::pair<unsigned, std::uintptr_t> word(t.thread,
                                                   standings_[depth].buffers[t.thread][t.alternative].address);
    const auto at = std::find(words_.begin(), words_.end(), word);
    const auto process = static_cast<unsigned>(2 * max_threads + (at - words_.begin()));
    if (process >= max_processes) {
        throw std::logic_error("model: more than 56 words are stored to: walk by states");
    }
    if (at == words_.end()) {
        words_.push_back(word);
    }
    return process;
}

// What no other thread can notice: it only moves the thread's own clock.
void happens_before::note_local(standing& s, const event& e, int step) const {
    const unsigned t = e.thread;
    if (e.of == event::kind::flush) {
        s.buffers[t].erase(s.buffers[t].begin() + e.index);
        return;
    }
    if (e.of != event::kind::operation) {
        return;
    }
    if (e.drains) {
        s.threads[t].join(s.flushed[t]);
    }
    if (e.what == action::light_fence) {
        s.fenced[t] = s.stores[t];
    }
    if (e.buffered) {
        s.buffers[t].push_back({e.address, s.stores[t]++, s.fenced[t], step, e.release});
    }
}

// Whether the first had to happen before the second could.
bool happens_before::before_by_rule(const visible_event& first, const visible_event& second,
                                    const std::array<std::uint32_t, max_threads>* covered) const {
    if (first.process == second.process) {
        return true;
    }
    if (first.what.of != event::kind::flush) {
        return first.what.what == action::heavy_fence_end && second.what.what == action::heavy_fence &&
               second.what.sleeps; // it has waited for its turn
    }
    if (covered != nullptr && first.what.thread != second.what.thread) {
        return first.number < (*covered)[first.what.thread];
    }
    return second.what.of == event::kind::flush && first.what.thread == second.what.thread &&
           first.number < (second.what.release ? second.number : second.fenced);
}

// The clock of the event, which is the next one. Backwards, so that what an event found so far is ordered behind is not
// taken for a race.
clock_vector happens_before::order(std::size_t depth, const visible_event& e, std::vector<std::size_t>& races) const {
    const standing& s = standings_[depth];
    const unsigned t = e.what.thread;
    clock_vector clock;
    const std::array<std::uint32_t, max_threads>* covered = nullptr;
    if (e.what.of == event::kind::flush) {
        const auto entry = std::find_if(s.buffers[t].begin(), s.buffers[t].end(),
                                        [&e](const stored& w) { return w.number == e.number; });
        if (entry->step >= 0) {
            clock = standings_[static_cast<std::size_t>(entry->step) + 1].threads[t];
        }
    } else {
        clock = s.threads[t];
        if (e.what.drains) {
            clock.join(s.flushed[t]);
        }
    }
    if (e.what.what == action::heavy_fence_end) {
        for (std::size_t i = depth; i != 0 && covered == nullptr; --i) {
            covered = steps_[i - 1].visible.process == t ? &steps_[i - 1].visible.covered : nullptr;
        }
    }
    clock_vector turn; // of what let a heavy fence have its turn: where that fence began is a race all the same
    for (std::size_t i = depth; i-- != 0;) {
        const happened_step& before = steps_[i];
        if (clock[before.visible.process] >= before.index) {
            continue;
        }
        if (before_by_rule(before.visible, e, covered)) {
            (before.visible.what.what == action::heavy_fence_end ? turn : clock).join(before.clock);
        } else if (conflict(before.visible, e)) {
            races.push_back(i);
            clock.join(before.clock);
        }
    }
    clock.join(turn);
    return clock;
}

void happens_before::add(std::size_t depth, const transition& by, const std::vector<event>& events,
                         std::vector<std::size_t>& races) {
    steps_.resize(std::max(steps_.size(), depth + 1));
    standings_.resize(std::max(standings_.size(), depth + 2));
    happened_step& made = steps_[depth];
    const event& first = events.front();
    const unsigned t = first.thread;
    made.by = by;
    made.visible = {.what = first, .process = static_cast<std::uint8_t>(process_of(depth, by))};
    if (first.of == event::kind::flush) {
        const stored& w = standings_[depth].buffers[t][first.index];
        made.visible.number = w.number;
        made.visible.fenced = w.fenced;
        made.visible.what.release = w.release;
    }
    if (first.what == action::heavy_fence) {
        made.visible.covered = standings_[depth].fenced;
    }
    races.clear();
    made.clock = order(depth, made.visible, races);
    made.index = 1;
    for (std::size_t i = depth; i-- != 0;) {
        if (steps_[i].visible.process == made.visible.process) {
            made.index = static_cast<std::uint16_t>(steps_[i].index + 1);
            break;
        }
    }
    made.clock.set(made.visible.process, made.index);

    standing& after = standings_[depth + 1];
    after = standings_[depth];
    if (first.of == event::kind::flush) {
        after.flushed[t].join(made.clock);
    } else {
        after.threads[t] = made.clock;
    }
    for (unsigned u = 0; u < max_threads; ++u) {
        if ((first.woken >> u & 1) != 0) {
            after.threads[u].join(made.clock);
        }
    }
    made.lives.clear();
    for (const event& e : events) {
        note_local(after, e, static_cast<int>(depth));
        if (e.of == event::kind::probe || e.of == event::kind::end) {
            made.lives.push_back(e);
        }
    }
    find_lost_lives(depth, races);
}

// Memory that ends where another thread has found it alive, with nothing between them: it could have found it dead.
void happens_before::find_lost_lives(std::size_t depth, std::vector<std::size_t>& races) const {
    for (const event& end : steps_[depth].lives) {
        if (end.of != event::kind::end) {
            continue;
        }
        const clock_vector& known = standings_[depth + 1].threads[end.thread];
        for (std::size_t i = depth; i-- != 0;) {
            const happened_step& before = steps_[i];
            if (known[before.visible.process] >= before.index ||
                std::find(races.begin(), races.end(), i) != races.end()) {
                continue;
            }
            if (std::any_of(before.lives.begin(), before.lives.end(),
                            [&end](const event& e) { return found_by_another(end, e); })) {
                races.push_back(i);
            }
        }
    }
}

} // namespace skerry::model
