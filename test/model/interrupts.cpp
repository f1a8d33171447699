// SPDX-License-Identifier: Apache-2.0

// User-level interrupts, as those of sim/program.hpp.
//  1. An interrupt is refused at once by a core that has masked them, has no handler, runs it already, waits for the
//     answer to one of its own, or has ended.
//  2. Otherwise the handler begins at once, on the thread of the receiver, on top of whatever that stands before: each
//  of
//     its scheduling points, and a sleep. It runs to its end without the code below it, beside the other threads. The
//     sender goes on when it has returned.
//  3. A sleeper that was interrupted looks at its word again and sleeps on.
//
// A handler counts as a thread of its own when it is learned which words are shared: an operation of the interrupted
// code is a scheduling point if the handler conflicts with it, unless interrupts are masked.

#include "engine.hpp"

namespace skerry::model {

void engine::send_interrupt(unsigned t, unsigned to) {
    if (!options_.interrupts || to >= threads_ || to == t) {
        give_up(t, "require", "interrupts T" + std::to_string(to));
        return;
    }
    core_state& other = cores_[to];
    const bool taken = other.handler != 0 && other.masks == 0 && other.asked_by == 0 && other.asking == 0 &&
                       of(to).state != thread_state::finished;
    of(t).done = taken ? 1 : 0;
    if (taken) {
        other.asked_by = static_cast<std::uint8_t>(t + 1);
        cores_[t].asking = 1;
    }
}

void engine::change_mask(unsigned t, int by) {
    if (by < 0 && cores_[t].masks == 0) {
        give_up(t, "require", "interrupts are unmasked without a mask");
        return;
    }
    cores_[t].masks = static_cast<std::uint8_t>(cores_[t].masks + by);
}

// On the receiver's fiber.
void engine::take_interrupt(unsigned t) {
    const unsigned sender = cores_[t].asked_by - 1U;
    const std::uintptr_t handler = cores_[t].handler;
    cores_[t].handling = 1;
    reinterpret_cast<void (*)(unsigned)>(handler)(sender);
    cores_[t].handling = 0;
    cores_[t].asked_by = 0;
    cores_[sender].asking = 0;
}

// Whose accesses are in one order with those of the code that runs on the thread now.
unsigned engine::own_accessors(unsigned t) const {
    const bool alone = cores_[t].masks != 0 || cores_[t].handling != 0 || !options_.interrupts;
    return alone ? 1U << t | 1U << (t + max_threads) : 1U << t;
}

bool engine::handler_touches(unsigned t, std::uintptr_t address) const {
    const touched& c = conflicts_[granule_of(address)];
    return (((c.readers | c.writers) & ~own_accessors(t)) >> (t + max_threads) & 1U) != 0;
}

} // namespace skerry::model
