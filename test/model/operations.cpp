// SPDX-License-Identifier: Apache-2.0

// What the operations do, and when they may.

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine.hpp"
#include "testing_pause.hpp"

namespace skerry::model {

namespace {

std::uint64_t mask(unsigned size) { return size >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * size)) - 1; }

bool overlap(std::uintptr_t a, unsigned a_size, std::uintptr_t b, unsigned b_size) {
    return a < b + b_size && b < a + a_size;
}

std::uint64_t modified(const request& r, std::uint64_t old) {
    switch (r.what) {
    case action::add: return (old + r.operand) & mask(r.size);
    case action::bit_and: return old & r.operand;
    case action::bit_or: return old | r.operand;
    case action::bit_xor: return old ^ r.operand;
    default: return r.operand;
    }
}

bool is_comparison(action a) { return a == action::compare_exchange || a == action::compare_exchange_weak; }

// Waits until the thread's own stores have reached memory, as every locked instruction of x86 does.
bool drains(action a) {
    switch (a) {
    case action::exchange:
    case action::compare_exchange:
    case action::compare_exchange_weak:
    case action::add:
    case action::bit_and:
    case action::bit_or:
    case action::bit_xor:
    case action::full_fence:
    case action::heavy_fence:
    case action::futex_wait: // the kernel takes its bucket's lock
    case action::futex_wake: return true;
    default: return false;
    }
}

bool is_store(action a) { return a == action::store || a == action::plain_store; }

} // namespace

// --- on the fiber's side --------------------------------------------------------------------------------------------

reply engine::perform(request r) {
    if (!on_thread()) {
        return perform_directly(r);
    }
    if (reply answer; options_.fault != nullptr && options_.fault(r, answer)) {
        return answer;
    }
    const auto t = static_cast<unsigned>(running_);
    {
        const testing_pause pause(*this); // what it says must not need memory that the code under test does not get
        check_address(t, r);
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
    if (visible(t, r)) {
        leave();
    } else {
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
    return {std::exchange(c.value, 0), std::exchange(c.done, 0) != 0};
}

// Before the threads start and after they have ended.
reply engine::perform_directly(const request& r) {
    if (inside(r.address)) {
        check_address(host, r);
    }
    reply answer;
    if (r.size != 0) {
        answer.value = read_memory(r.address, r.size);
    }
    switch (r.what) {
    case action::load:
    case action::plain_load:
    case action::full_fence:
    case action::light_fence:
    case action::heavy_fence:
    case action::heavy_fence_end:
    case action::futex_wake:
    case action::none: break;
    case action::choose: answer.value = 0; break;
    case action::futex_wait:
        if (answer.value == r.expected) {
            fail("deadlock", "a futex wait with nobody left to wake it");
        }
        break;
    default:
        if (is_comparison(r.what) && answer.value != r.expected) {
            answer.done = false;
        } else {
            write_memory(r.address, modified(r, answer.value), r.size);
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
    const buffer& b = buffers_[t];
    switch (r.what) {
    case action::load:
    case action::plain_load: return others_write(t, r.address);
    case action::store:
    case action::plain_store:
        return options_.memory == memory_order_of::sequential ? others_touch(t, r.address)
                                                              : b.count >= options_.buffer_entries;
    case action::full_fence: return b.count != 0;
    case action::light_fence:
        // Which stores a heavy fence covers depends on whether it began before or after this.
        return heavy_used_ && std::any_of(b.entries.begin(), b.entries.begin() + b.count,
                                          [](const entry& e) { return e.sealed == 0; });
    case action::choose: return r.operand > 1;
    case action::heavy_fence:
    case action::heavy_fence_end:
    case action::futex_wait:
    case action::futex_wake: return true;
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
    if (r.what == action::heavy_fence_end) {
        return std::none_of(buffers_.begin(), buffers_.end(), [t](const buffer& other) {
            return std::any_of(other.entries.begin(), other.entries.begin() + other.count,
                               [t](const entry& e) { return (e.owed >> t & 1) != 0; });
        });
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
    if (r.what == action::compare_exchange_weak) {
        return options_.spurious_wakes && read_memory(r.address, r.size) == r.expected ? 2 : 1;
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
    switch (r.what) {
    case action::load:
    case action::plain_load: c.value = read(t, r); break;
    case action::store:
    case action::plain_store:
        if (options_.memory == memory_order_of::sequential) {
            write_memory(r.address, r.operand, r.size);
        } else {
            append(t, r);
        }
        break;
    case action::full_fence:
    case action::heavy_fence_end:
    case action::none: break;
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
        c.value = read_memory(r.address, r.size);
        if (c.value == r.expected) {
            c.state = thread_state::waiting;
            c.waiting_on = r.address;
            c.timed = r.operand == 1;
        }
        break;
    case action::futex_wake: {
        const std::vector<unsigned> asleep = waiters(r.address);
        for (unsigned i = 0; i < asleep.size(); ++i) {
            if (r.operand > 1 || (r.operand == 1 && i == alternative)) {
                of(asleep[i]).state = thread_state::ready;
                of(asleep[i]).waiting_on = 0;
                of(asleep[i]).timed = false;
                ++c.value;
            }
        }
        break;
    }
    case action::choose: c.value = alternative; break;
    default:
        c.value = read_memory(r.address, r.size);
        if (is_comparison(r.what) && (c.value != r.expected || alternative == 1)) {
            c.done = 0;
        } else {
            write_memory(r.address, modified(r, c.value), r.size);
        }
        break;
    }
    if (log != nullptr) {
        const testing_pause pause(*this);
        std::string text = request_text(r);
        if (r.what == action::heavy_fence && c.done == 0) {
            text += " refused: another is in flight";
        } else if (r.what == action::futex_wait) {
            text += c.state == thread_state::waiting ? ": sleeps" : ": holds " + value_text(c.value, r.size);
        } else if (r.what == action::futex_wake) {
            text += ": wakes " + std::to_string(c.value);
        } else if (r.what == action::choose) {
            text += " -> " + std::to_string(c.value);
        } else if (r.size != 0 && !is_store(r.what)) {
            text += " -> " + value_text(c.value, r.size) + (c.done == 0 ? " (failed)" : "");
        }
        const std::string token = alternative == 0 ? "" : "." + std::to_string(alternative);
        write_log(t, ("s" + token).c_str(), text);
    }
}

// --- memory ---------------------------------------------------------------------------------------------------------

bool engine::may_flush(unsigned t, std::size_t index) const {
    const buffer& b = buffers_[t];
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
    const entry e = b.entries[index];
    if (log != nullptr) {
        const testing_pause pause(*this);
        write_log(t, index == 0 ? "f" : ("f." + std::to_string(index)).c_str(),
                  "    " + name_of(e.address) + " = " + value_text(e.value, e.size) + " reaches memory");
    }
    write_memory(e.address, e.value, e.size);
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
    e.release = r.release ? 1 : 0;
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
    return read_memory(r.address, r.size);
}

std::uint64_t engine::look(std::uintptr_t address, unsigned size) const {
    request r;
    r.address = address;
    r.size = static_cast<std::uint8_t>(size);
    return read(static_cast<unsigned>(running_), r);
}

bool engine::holds(std::uintptr_t address, unsigned size, std::uint64_t value) const {
    const buffer& b = buffers_[static_cast<unsigned>(running_)];
    return read_memory(address, size) == value &&
           std::none_of(b.entries.begin(), b.entries.begin() + b.count,
                        [&](const entry& e) { return overlap(e.address, e.size, address, size); });
}

void engine::write_memory(std::uintptr_t address, std::uint64_t value, unsigned size) {
    std::memcpy(reinterpret_cast<void*>(address), &value, size);
}

std::uint64_t engine::read_memory(std::uintptr_t address, unsigned size) const {
    std::uint64_t value = 0;
    std::memcpy(&value, reinterpret_cast<const void*>(address), size);
    return value;
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
