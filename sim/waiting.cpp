// SPDX-License-Identifier: Apache-2.0

// Interrupts, sleepers, threads: whatever makes one core wait for another.
//
// An interrupt is on its way for the time that the mesh takes, and is decided at the receiver's state when it arrives:
//  1. The sender finds the receiver blocked or stalled beyond the arrival: its state is known already; a refusal is
//     decided at once, or it is woken to take it.
//  2. Otherwise the arrival caps the receiver's budget, so that it looks up then (`due`) and accepts or refuses. The
//     quantum is at most the mesh's least latency unless the user says otherwise, so the receiver cannot be past it.
//  3. A core that sends has nothing pending afterwards: what was on its way is refused, since its own answer may be
//     waiting for it. So no circle of senders waits for each other.

#include <algorithm>
#include <stdexcept>

#include "sim/engine.hpp"

namespace skerry_sim::detail {

// ---- Interrupts.

bool engine::accepts(const core& c) const noexcept {
    return c.handler != nullptr && c.masks == 0 && !c.in_handler &&
           (c.doing == activity::running || c.doing == activity::sleeping || c.doing == activity::receiving);
}

bool engine::interrupt(core& c, unsigned target) {
    order(c);
    due(c);
    order(c);
    ++c.counts.interrupts_sent;
    core& o = cores_[target];
    const std::int64_t travel = memory_.between(at(c), at(o));
    const std::int64_t arrival = c.clock() + travel;
    const bool known = o.doing != activity::running || o.clock() >= arrival;
    if (o.pending_from >= 0 || (known && !accepts(o))) {
        ++c.counts.interrupts_refused;
        c.spend(2 * travel);
        return false;
    }
    o.pending_from = static_cast<int>(c.id);
    o.pending_at = arrival;
    if (o.doing == activity::sleeping || o.doing == activity::receiving) {
        const std::uint64_t turn = ready_tree::key(std::max(arrival, o.clock()), o.id);
        ready_.set(o.id, std::min(turn, ready_.of(o.id)));
    } else if (o.limit > arrival) {
        o.set_limit(arrival);
    }
    c.doing = activity::interrupting;
    c.other = target;
    refuse_pending(c);
    block(c);
    c.doing = activity::running;
    ++(c.answer ? c.counts.interrupts_accepted : c.counts.interrupts_refused);
    return c.answer;
}

void engine::answer(core& sender, bool accepted, std::int64_t at) {
    sender.answer = accepted;
    make_ready(sender, at);
}

void engine::refuse_pending(core& c) {
    if (c.pending_from < 0) {
        return;
    }
    core& sender = cores_[static_cast<unsigned>(c.pending_from)];
    c.pending_from = -1;
    answer(sender, false, std::max(c.pending_at, c.clock()) + memory_.between(at(c), at(sender)));
}

// Precondition: an interrupt has arrived.
void engine::take_interrupt(core& c) {
    if (!accepts(c)) {
        refuse_pending(c);
        set_limit(c);
        return;
    }
    core& sender = cores_[static_cast<unsigned>(c.pending_from)];
    c.in_handler = true;
    c.pending_from = -1;
    c.spend(entry_cycles_);
    const activity before = c.doing;
    c.doing = activity::running;
    set_limit(c);
    [&]() noexcept { c.handler(sender.id); }();
    order(c);
    c.doing = before;
    c.in_handler = false;
    answer(sender, true, c.clock() + memory_.between(at(c), at(sender)));
    set_limit(c);
}

void engine::set_handler(core& c, void (*handler)(unsigned)) {
    order(c); // whoever finds no handler here may rely on it (engine::ahead)
    due(c);
    order(c);
    c.handler = handler;
    set_limit(c);
}

void engine::mask(core& c) {
    due(c);
    ++c.masks;
}

void engine::unmask(core& c) {
    due(c); // what arrived behind the mask is refused
    --c.masks;
}

// ---- Sleepers.

bool engine::sleep(core& c, const std::uint32_t* word, std::uint32_t expected, std::uint64_t timeout) {
    const auto address = reinterpret_cast<std::uint64_t>(word);
    const auto value = [&] {
        std::uint32_t now = 0;
        __builtin_memcpy(&now, begin_atomic(c, address, sizeof now, atomic_kind::load, 0), sizeof now);
        return now;
    };
    due(c);
    const std::uint64_t begin = static_cast<std::uint64_t>(c.clock());
    const bool limited = timeout < (std::uint64_t{1} << 50);
    const auto deadline = static_cast<std::int64_t>(begin + timeout);
    while (value() == expected) {
        // From here to the block no other core runs: nobody can wake the word in between.
        if (limited && c.clock() >= deadline) {
            return false;
        }
        c.doing = activity::sleeping;
        c.word = word;
        c.sleep_number = ++sleeps_;
        c.woken = false;
        std::uint64_t turn = limited ? ready_tree::key(deadline, c.id) : ready_tree::never;
        if (c.pending_from >= 0) {
            turn = std::min(turn, ready_tree::key(std::max(c.pending_at, c.clock()), c.id));
        }
        ready_.set(c.id, turn);
        block(c);
        c.doing = activity::running;
        c.word = nullptr;
        if (c.woken) {
            return true;
        }
        due(c);
    }
    return true;
}

unsigned engine::wake(core& c, const std::uint32_t* word, unsigned count) {
    // The word is not written: an access to its place in the shared cache, where the sleepers are kept.
    static_cast<void>(begin_atomic(c, reinterpret_cast<std::uint64_t>(word), sizeof *word, atomic_kind::store, 0));
    unsigned woken = 0;
    while (woken < count) {
        core* longest = nullptr;
        for (core& o : cores_) {
            if (o.doing == activity::sleeping && o.word == word && !o.woken &&
                (longest == nullptr || o.sleep_number < longest->sleep_number)) {
                longest = &o;
            }
        }
        if (longest == nullptr) {
            break;
        }
        longest->woken = true;
        make_ready(*longest, c.clock() + memory_.between(at(c), at(*longest)));
        ++woken;
    }
    changes_ += woken;
    set_limit(c);
    return woken;
}

// ---- Threads.

unsigned engine::start_thread(core& c, void (*body)(void*), void* arg) {
    publish(c, 0, ~std::uint64_t{0});
    order(c);
    for (core& o : cores_) {
        if (o.doing == activity::idle) {
            begin_thread(o, body, arg, c.clock() + memory_.between(at(c), at(o)));
            ++changes_;
            set_limit(c);
            return o.id;
        }
    }
    throw std::runtime_error("skerry: sim: start_thread: all " + std::to_string(size()) + " cores of " + machine_.name +
                             " have a thread");
}

void engine::join_thread(core& c, unsigned id) {
    order(c);
    if (id >= size() || id == c.id || cores_[id].doing == activity::idle) {
        throw std::logic_error("skerry: sim: join_thread: no thread to join on core " + std::to_string(id));
    }
    core& o = cores_[id];
    if (o.doing != activity::ended) {
        c.doing = activity::joining;
        c.other = id;
        refuse_pending(c);
        block(c);
        c.doing = activity::running;
    }
    o.doing = activity::idle;
    discard(c, 0, ~std::uint64_t{0});
    set_limit(c);
}

} // namespace skerry_sim::detail
