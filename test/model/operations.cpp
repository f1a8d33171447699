// SPDX-License-Identifier: Apache-2.0

// What the operations do, and when they may.

#include <algorithm>
#include <bit>
#include <utility>

#include "engine.hpp"
#include "held.hpp"
#include "operation.hpp"
#include "testing_pause.hpp"

namespace skerry::model {

namespace {

// Waits until the thread's own stores have reached memory, as every locked instruction of x86 does.
bool drains(action a) {
    switch (a) {
    case action::full_fence:
    case action::heavy_fence:
    case action::futex_wait: // the kernel takes its bucket's lock
    case action::futex_wake: return true;
    default: return is_read_modify_write(a);
    }
}

} // namespace

// --- on the fiber's side --------------------------------------------------------------------------------------------

reply engine::perform(request r) {
    place_globals(r);
    // As compilers make it on x86.
    if (r.what == action::store && r.order == to_byte(memory_order::seq_cst) && !weak()) {
        r.what = action::exchange;
    }
    if (!on_thread()) {
        return perform_directly(r);
    }
    if (reply answer; options_.fault != nullptr && answered_by_fault(r, answer)) {
        return answer;
    }
    const auto t = static_cast<unsigned>(running_);
    {
        const testing_pause pause(*this); // what it says must not need memory that the code under test does not get
        check_address(t, r);
    }
    if (r.size != 0) {
        note_event(
            {.address = r.address, .size = r.size, .of = event::kind::probe, .thread = static_cast<std::uint8_t>(t)});
    }
    note_access(t, r);
    if (restart_) {
        leave();
    }
    control& c = of(t);
    c.pending = r;
    if (is_store(r.what) && buffers_[t].count >= options_.buffer_entries) {
        ++full_buffers;
    }
    if (!wait_for_turn(t, r)) {
        if (++steps_ > step_limit - 2000 && r.size != 0) {
            // It spins on what nobody has been seen to write. Perhaps somebody will.
            touched& seen = conflicts_[granule_of(r.address)];
            newly_forced_ = newly_forced_ || !seen.forced;
            seen.forced = true;
        }
        if (steps_ > step_limit) {
            if (!std::exchange(newly_forced_, false)) {
                fail("endless loop", "a loop in which nothing can change: " + request_text(r));
            }
            learned_ = true;
            restart_ = true;
            leave();
        }
        execute(t, 0);
    }
    while (failed()) {
        leave();
    }
    return {std::exchange(c.value, 0), std::exchange(c.done, 0) != 0};
}

// Out of line, so that the copy is no part of the stack of a thread that waits for its turn.
[[gnu::noinline]] bool engine::answered_by_fault(request& r, reply& answer) {
    const request asked = r;
    const bool instead = options_.fault(r, answer);
    faults += instead || r != asked ? 1U : 0U;
    return instead;
}

reply engine::perform_besides(request r) {
    ++faults;
    r.function = nullptr;
    return perform(r);
}

// False: it is no scheduling point.
bool engine::wait_for_turn(unsigned t, const request& r) {
    // A store into views is done by the scheduler, too: what it leaves on a stack would be a part of the state.
    while (visible(t, r) || (weak() && is_store(r.what) && tracked(t, r))) {
        leave();
        if (cores_[t].asked_by == 0 || cores_[t].handling != 0) {
            return true;
        }
        take_interrupt(t);
        of(t).pending = r;
    }
    return false;
}

// Before the threads start and after they have ended.
reply engine::perform_directly(const request& r) {
    if (inside(r.address)) {
        check_address(host, r);
    }
    reply answer;
    if (r.size != 0) {
        answer.value = held(r.address, r.size);
    }
    switch (r.what) {
    case action::load:
    case action::plain_load:
    case action::full_fence:
    case action::fence:
    case action::light_fence:
    case action::heavy_fence:
    case action::heavy_fence_end:
    case action::futex_wake:
    case action::publish:
    case action::discard:
    case action::mask:
    case action::unmask:
    case action::on_interrupt:
    case action::none: break;
    case action::choose: answer.value = 0; break;
    case action::interrupt:
    case action::interrupt_end:
    case action::thread_end: fail("require", "an interrupt where no threads are");
    case action::futex_wait:
        if (answer.value == r.expected) {
            fail("deadlock", "a futex wait with nobody left to wake it");
        }
        break;
    default:
        if (is_comparison(r.what) && answer.value != r.expected) {
            answer.done = false;
        } else {
            write_memory(host, r.address, modified(r, answer.value), r.size);
        }
        break;
    }
    return answer;
}

// --- on the scheduler's side ----------------------------------------------------------------------------------------

bool engine::visible(unsigned t, const request& r) const {
    if (!options_.reduce) {
        return true;
    }
    if (weak()) {
        return visible_in_views(t, r);
    }
    const buffer& b = buffers_[t];
    switch (r.what) {
    case action::load:
    case action::plain_load: return caches() ? visible_beside_caches(t, r) : others_write(t, r.address);
    case action::store:
    case action::plain_store:
        if (caches()) {
            return visible_beside_caches(t, r);
        }
        return options_.memory == memory_order_of::sequential ? others_touch(t, r.address)
                                                              : b.count >= options_.buffer_entries;
    case action::full_fence: return b.count != 0;
    case action::fence: return false;
    case action::light_fence:
        // Which stores a heavy fence covers depends on whether it began before or after this.
        return heavy_used_ &&
               (options_.walk == walk_by::traces || std::any_of(b.entries.begin(), b.entries.begin() + b.count,
                                                                [](const entry& e) { return e.sealed == 0; }));
    case action::choose: return r.operand > 1;
    case action::heavy_fence:
    case action::heavy_fence_end:
    case action::futex_wait:
    case action::futex_wake:
    case action::on_interrupt:
    case action::interrupt: return true;
    case action::interrupt_end: return cores_[t].asking != 0;
    case action::thread_end: return cores_[t].handler != 0; // until then an interrupt may come
    case action::mask: return options_.interrupts && cores_[t].handling == 0 && cores_[t].masks == 0;
    case action::unmask: return options_.interrupts && cores_[t].handling == 0 && cores_[t].masks == 1;
    case action::publish:
    case action::discard: return caches() && visible_beside_caches(t, r);
    default: return b.count != 0 || others_touch(t, r.address);
    }
}

bool engine::possible(unsigned t) const {
    const request& r = of(t).pending;
    const buffer& b = buffers_[t];
    if (is_store(r.what)) {
        return b.count < options_.buffer_entries;
    }
    if (r.what == action::heavy_fence && r.operand == 1 && heavy_in_flight()) {
        return false;
    }
    if (r.what == action::heavy_fence_end && weak()) {
        return views_.all_passed();
    }
    if (r.what == action::heavy_fence_end) {
        return std::none_of(buffers_.begin(), buffers_.end(), [t](const buffer& other) {
            return std::any_of(other.entries.begin(), other.entries.begin() + other.count,
                               [t](const entry& e) { return (e.owed >> t & 1) != 0; });
        });
    }
    if (r.what == action::interrupt_end) {
        return cores_[t].asking == 0;
    }
    return !drains(r.what) || b.count == 0;
}

bool engine::heavy_in_flight() const {
    for (unsigned t = 0; t < threads_; ++t) {
        if (of(t).pending.what == action::heavy_fence_end) {
            return true;
        }
    }
    return false;
}

std::vector<unsigned> engine::waiters(std::uintptr_t address) const {
    std::vector<unsigned> result;
    for (unsigned t = 0; t < threads_; ++t) {
        if (of(t).state == thread_state::waiting && of(t).waiting_on == address) {
            result.push_back(t);
        }
    }
    return result;
}

unsigned engine::alternatives(unsigned t) const {
    const request& r = of(t).pending;
    if (r.what == action::choose) {
        return static_cast<unsigned>(r.operand);
    }
    if (weak() && tracked(t, r) && r.what != action::futex_wake) {
        return views_.choices(t, r, options_.spurious_wakes);
    }
    if (r.what == action::load || r.what == action::plain_load) {
        return served_by_cache(r) ? 1 + static_cast<unsigned>(old_copies(t, r.address)) : 1;
    }
    if (r.what == action::compare_exchange_weak) {
        return options_.spurious_wakes && held(r.address, r.size) == r.expected ? 2 : 1;
    }
    if (r.what == action::futex_wake && r.operand == 1) {
        return static_cast<unsigned>(std::max<std::size_t>(1, waiters(r.address).size()));
    }
    return 1;
}

void engine::execute(unsigned t, unsigned alternative) {
    control& c = of(t);
    const request r = c.pending;
    c.pending = request{};
    c.value = 0;
    c.done = 1;
    if (weak() && tracked(t, r)) {
        execute_in_views(t, r, alternative);
        write_step(t, r, alternative);
        return;
    }
    if (caches() && r.size != 0 && r.what != action::futex_wake && !served_by_cache(r)) {
        go_past_cache(t, r);
    }
    event happened{.address = r.address,
                   .size = r.size,
                   .what = r.what,
                   .thread = static_cast<std::uint8_t>(t),
                   .plain = r.what == action::plain_load || r.what == action::plain_store,
                   .release = r.ordered(),
                   .drains = drains(r.what),
                   .sleeps = r.what == action::heavy_fence && r.operand == 1};
    switch (r.what) {
    case action::load:
    case action::plain_load:
        c.value = served_by_cache(r) ? load_cached(t, r, alternative) : read(t, r);
        happened.reads = true;
        break;
    case action::store:
    case action::plain_store:
        happened.writes = options_.memory == memory_order_of::sequential || caches() || weak();
        happened.buffered = !happened.writes;
        if (served_by_cache(r)) {
            store_cached(t, r);
        } else if (happened.writes) {
            write_memory(t, r.address, r.operand, r.size);
        } else {
            append(t, r);
        }
        break;
    case action::full_fence:
    case action::heavy_fence_end:
    case action::none: break;
    case action::fence:
        buffers_[t].fence_pending |=
            options_.memory == memory_order_of::partial && r.releases() && buffers_[t].count != 0;
        break;
    case action::light_fence:
        if (heavy_used_ || !options_.reduce) {
            for (std::size_t i = 0; i < buffers_[t].count; ++i) {
                buffers_[t].entries[i].sealed = 1;
            }
        }
        buffers_[t].fence_pending = options_.memory == memory_order_of::partial && buffers_[t].count != 0 ? 1 : 0;
        break;
    case action::heavy_fence:
        // One in flight: the caller that comes second is refused.
        c.done = heavy_in_flight() ? 0 : 1;
        for (unsigned u = 0; u < threads_ && c.done != 0; ++u) {
            for (std::size_t i = 0; u != t && i < buffers_[u].count; ++i) {
                entry& e = buffers_[u].entries[i];
                e.owed = static_cast<std::uint8_t>(e.owed | (e.sealed != 0 ? 1U << t : 0U));
            }
        }
        break;
    case action::futex_wait:
        c.value = held(r.address, r.size);
        happened.reads = true;
        happened.sleeps = c.value == r.expected;
        sleep_if(t, r);
        break;
    case action::futex_wake:
        happened.woken = wake(r, alternative);
        c.value = static_cast<std::uint64_t>(std::popcount(static_cast<unsigned>(happened.woken)));
        break;
    case action::choose: c.value = alternative; break;
    case action::publish: publish(t, r); break;
    case action::discard: discard(t, r); break;
    case action::mask: change_mask(t, 1); break;
    case action::unmask: change_mask(t, -1); break;
    case action::on_interrupt: cores_[t].handler = r.operand; break;
    case action::interrupt: send_interrupt(t, static_cast<unsigned>(r.operand)); break;
    case action::interrupt_end:
    case action::thread_end: break;
    default:
        c.value = held(r.address, r.size);
        happened.reads = true;
        if (is_comparison(r.what) && (c.value != r.expected || alternative == 1)) {
            c.done = 0;
        } else {
            write_memory(t, r.address, modified(r, c.value), r.size);
            happened.writes = true;
        }
        break;
    }
    note_event(happened);
    write_step(t, r, alternative);
}

// Sleeps on what was just read.
void engine::sleep_if(unsigned t, const request& r) {
    control& c = of(t);
    if (c.value == r.expected) {
        c.state = thread_state::waiting;
        c.waiting_on = r.address;
        c.timed = r.operand == 1;
    }
}

// Whom it wakes: bit i, thread i.
std::uint8_t engine::wake(const request& r, unsigned alternative) {
    const std::vector<unsigned> asleep = waiters(r.address);
    unsigned woken = 0;
    for (unsigned i = 0; i < asleep.size(); ++i) {
        if (r.operand > 1 || (r.operand == 1 && i == alternative)) {
            of(asleep[i]).state = thread_state::ready;
            of(asleep[i]).waiting_on = 0;
            of(asleep[i]).timed = false;
            woken |= 1U << asleep[i];
        }
    }
    return static_cast<std::uint8_t>(woken);
}

void engine::write_step(unsigned t, const request& r, unsigned alternative) {
    const control& c = of(t);
    if (log != nullptr) {
        const testing_pause pause(*this);
        std::string text = request_text(r);
        if (r.what == action::heavy_fence && c.done == 0) {
            text += " refused: another is in flight";
        } else if (r.what == action::interrupt && c.done == 0) {
            text += " refused";
        } else if (r.what == action::futex_wait) {
            text += c.state == thread_state::waiting ? ": sleeps" : ": holds " + value_text(c.value, r.size);
        } else if (r.what == action::futex_wake) {
            text += ": wakes " + std::to_string(c.value);
        } else if (r.what == action::choose) {
            text += " -> " + std::to_string(c.value);
        } else if (r.size != 0 && !is_store(r.what)) {
            text += " -> " + value_text(c.value, r.size) + (c.done == 0 ? " (failed)" : "");
        }
        if (weak() && alternative != 0 && r.size != 0 && r.what != action::futex_wake) {
            text += is_store(r.what) ? " (before what is newer)" : " (there is newer)";
        }
        const std::string token = alternative == 0 ? "" : "." + std::to_string(alternative);
        write_log(t, ("s" + token).c_str(), text);
    }
}

// --- memory ---------------------------------------------------------------------------------------------------------

bool engine::may_flush(unsigned t, std::size_t index) const {
    const buffer& b = buffers_[t];
    if (caches()) {
        return may_evict(t, index);
    }
    if (index == 0) {
        return true;
    }
    const entry& e = b.entries[index];
    if (options_.memory == memory_order_of::tso || e.release != 0) {
        return false;
    }
    for (std::size_t i = 0; i < index; ++i) {
        if (b.entries[i].address == e.address || b.entries[i + 1].fence_before != 0) {
            return false;
        }
    }
    return true;
}

void engine::flush(unsigned t, std::size_t index) {
    buffer& b = buffers_[t];
    const entry e = caches() ? entry{} : b.entries[index];
    const cached_word w = caches() ? *dirty_word_at(t, index) : cached_word{e.address, e.value, e.size};
    if (log != nullptr) {
        const testing_pause pause(*this);
        write_log(t, index == 0 ? "f" : ("f." + std::to_string(index)).c_str(),
                  "    " + name_of(w.address) + " = " + value_text(w.value, w.size) + " reaches memory");
    }
    if (caches()) {
        write_back(t, index);
        return;
    }
    write_memory(t, e.address, e.value, e.size);
    note_event({.address = e.address,
                .size = e.size,
                .of = event::kind::flush,
                .thread = static_cast<std::uint8_t>(t),
                .index = static_cast<std::uint16_t>(index),
                .writes = true,
                .plain = e.plain != 0});
    std::move(b.entries.begin() + static_cast<std::ptrdiff_t>(index) + 1, b.entries.begin() + b.count,
              b.entries.begin() + static_cast<std::ptrdiff_t>(index));
    b.entries[--b.count] = entry{};
    b.entries[0].fence_before = 0;
    if (b.count == 0) {
        b.fence_pending = 0;
    }
}

void engine::append(unsigned t, const request& r) {
    buffer& b = buffers_[t];
    entry e{};
    e.address = r.address;
    e.value = r.operand;
    e.size = r.size;
    e.release = r.releases() ? 1 : 0;
    e.plain = r.what == action::plain_store ? 1 : 0;
    e.fence_before = static_cast<std::uint8_t>(b.fence_pending);
    b.fence_pending = 0;
    b.entries[b.count++] = e;
}

std::uint64_t engine::read(unsigned t, const request& r) const {
    const buffer& b = buffers_[t];
    for (std::size_t i = b.count; i-- != 0;) {
        const entry& e = b.entries[i];
        if (e.address == r.address && e.size == r.size) {
            return e.value;
        }
        if (overlap(e.address, e.size, r.address, r.size)) {
            const_cast<engine*>(this)->fail("mixed sizes", request_text(r) + " overlaps a store of another size");
        }
    }
    return held(r.address, r.size);
}

std::uint64_t engine::look(std::uintptr_t address, unsigned size) const {
    request r;
    r.address = address;
    r.size = static_cast<std::uint8_t>(size);
    if (const cached_word* const own = dirty_word(static_cast<unsigned>(running_), address, size)) {
        return own->value;
    }
    return read(static_cast<unsigned>(running_), r);
}

bool engine::holds(std::uintptr_t address, unsigned size, std::uint64_t value) const {
    const auto t = static_cast<unsigned>(running_);
    const buffer& b = buffers_[t];
    return held(address, size) == value && dirty_word(t, address, size) == nullptr && old_copies(t, address) == 0 &&
           (!weak() || views_.settled(address)) &&
           std::none_of(b.entries.begin(), b.entries.begin() + b.count,
                        [&](const entry& e) { return overlap(e.address, e.size, address, size); });
}

void engine::write_memory(unsigned t, std::uintptr_t address, std::uint64_t value, unsigned size) {
    if (caches() && t != host) {
        age_copies(t, address, value, size);
    }
    hold(address, value, size);
}

// --- data races -----------------------------------------------------------------------------------------------------

// Two threads race if both stand before conflicting accesses, at least one of them plain. A store that has not reached
// memory counts as still to come.
std::string engine::race() const {
    struct access {
        std::uintptr_t address;
        unsigned size;
        bool write;
        bool plain;
        unsigned thread;
    };
    if (const std::string known = weak() ? race_in_views() : std::string(); !known.empty()) {
        return known;
    }
    std::vector<access> all;
    for (unsigned t = 0; t < threads_; ++t) {
        const request& r = of(t).pending;
        if (of(t).state == thread_state::ready && r.size != 0 && r.what != action::futex_wake) {
            const bool reads = r.what == action::load || r.what == action::plain_load || r.what == action::futex_wait;
            all.push_back(
                {r.address, r.size, !reads, r.what == action::plain_load || r.what == action::plain_store, t});
        }
        for (std::size_t i = 0; i < buffers_[t].count; ++i) {
            const entry& e = buffers_[t].entries[i];
            all.push_back({e.address, e.size, true, e.plain != 0, t});
        }
        for (std::size_t i = 0; i < dirty_words(t); ++i) {
            const cached_word& w = *dirty_word_at(t, i);
            all.push_back({w.address, w.size, true, w.plain != 0, t});
        }
    }
    for (const access& a : all) {
        for (const access& b : all) {
            if (a.thread < b.thread && (a.write || b.write) && (a.plain || b.plain) &&
                overlap(a.address, a.size, b.address, b.size)) {
                return "T" + std::to_string(a.thread) + (a.write ? " writes " : " reads ") + name_of(a.address) +
                       " while T" + std::to_string(b.thread) + (b.write ? " writes" : " reads") + " it";
            }
        }
    }
    return {};
}

} // namespace skerry::model
