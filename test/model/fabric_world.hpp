// SPDX-License-Identifier: Apache-2.0
#pragma once

// Worlds for src/fabric: a ring with its capacity shrunk, and the bell of an endpoint that sleeps.

#include "base/port/futex.hpp"
#include "explorer.hpp"
#include "fabric/bell.hpp"
#include "fabric/ring.hpp"
#include "machine.hpp"

namespace skerry::model {

// What a slot carries: a race with it is a failure.
struct watched_body {
    plain<std::uint64_t> word{0};
    watched_body() = default;
    watched_body& operator=(const watched_body& other) {
        word.set(other.word.get());
        return *this;
    }
    ~watched_body() = default;
    watched_body(const watched_body&) = delete;
};

template <std::uint32_t Capacity>
struct ring_parts {
    fabric::ring_slot<machine, watched_body> slots[Capacity];
    fabric::ring_count<machine> count;
    fabric::ring_writer<machine, watched_body> out{slots, Capacity, count};
    fabric::ring_reader<machine, watched_body> in{slots, Capacity, count};
    fabric::bell<machine> bell;
    // Each end's own. Not on its stack: a loop that tries again would write them again, and never come back to a state.
    watched_body outgoing;
    watched_body incoming;
    std::uint32_t expected = 0;

    ring_parts() {
        for (std::uint32_t i = 0; i < Capacity; ++i) {
            label(slots[i].head, "head" + std::to_string(i));
            label(slots[i].body, "body" + std::to_string(i));
        }
        label(count, "taken");
        label(bell, "bell");
    }

    void prepare(std::uint32_t i) { outgoing.word.set(100 + i); }
    bool push(std::uint32_t i) { return out.push(i, outgoing); }

    bool take() {
        std::uint32_t note = 0;
        if (!in.pop(note, incoming)) {
            return false;
        }
        require(note == expected, "a message was lost, doubled or overtaken");
        require(incoming.word.get() == 100 + expected, "a message came with another one's body");
        ++expected;
        return true;
    }
};

// More messages than the ring holds, so that each slot is used again.
template <std::uint32_t Messages, std::uint32_t Capacity>
struct ring_world : ring_parts<Capacity> {
    void writer() {
        for (std::uint32_t i = 0; i < Messages; ++i) {
            this->prepare(i);
            while (!this->push(i)) {
                reached("full");
                machine::pause();
            }
        }
    }
    void reader() {
        while (this->expected < Messages) {
            if (!this->take()) {
                reached("empty");
                machine::pause();
            }
        }
        require(!this->in.ready(), "a message that was never written");
    }
};

// The reader sleeps whenever the ring is empty, as wait() does.
struct sleeping_reader_world : ring_parts<2> {
    static constexpr std::uint32_t messages = 2;
    void writer() {
        for (std::uint32_t i = 0; i < messages; ++i) {
            prepare(i);
            require(push(i), "the ring holds them all");
            bell.ring();
        }
    }
    void reader() {
        while (expected < messages) {
            if (!take()) {
                reached("slept");
                bell.sleep([&] { return in.ready(); }, port::forever);
            }
        }
    }
};

// Two threads kick; the driver must see at least one of them, whatever happens between.
struct kick_world {
    fabric::bell<machine> bell;
    kick_world() { label(bell, "bell"); }
    void driver() {
        bool kicked = false;
        while (!kicked) {
            bell.sleep(
                [&] {
                    kicked = kicked || bell.take_kick();
                    return kicked;
                },
                port::forever);
            kicked = kicked || bell.take_kick();
        }
        reached("kicked");
    }
    void one() { bell.kick(); }
    void other() { bell.kick(); }
};

// Whose sleeps have no end of their own: a kick that is lost is a deadlock.
struct machine_without_deadlines : machine {
    static void futex_wait_for(atomic<std::uint32_t>& word, std::uint32_t expected,
                               std::uint64_t /*timeout*/) noexcept {
        futex_wait(word, expected);
    }
};

// One thread kicks and one rings somebody who naps.
struct nap_world {
    fabric::bell<machine_without_deadlines> bell;
    nap_world() { label(bell, "bell"); }
    void napper() {
        while (!bell.nap(1)) { // a futex may wake for no reason
        }
        reached("kicked");
    }
    void one() { bell.kick(); }
    void other() { bell.ring(); }
};

// A process that rings may be killed at any point of it; `Reliable` is what the launcher does after that.
template <bool Reliable>
struct death_world : ring_parts<2> {
    machine::atomic<int> dead{0}; // the kernel's: nothing of the process runs after it
    machine::atomic<int> state{0};
    death_world() {
        label(dead, "dead");
        label(state, "state");
    }
    void killed() {
        prepare(0);
        require(push(0), "the ring holds it");
        bell.ring();
        dead.store(1, memory_order::release);
    }
    void launcher() {
        while (dead.load(memory_order::acquire) == 0) {
            machine::pause();
        }
        state.store(1, memory_order::release);
        if (Reliable) {
            bell.ring_anyway();
        } else {
            bell.ring();
        }
    }
    void reader() {
        while (state.load(memory_order::acquire) == 0) {
            static_cast<void>(take());
            bell.sleep([&] { return in.ready() || state.load(memory_order::acquire) != 0; }, port::forever);
        }
        static_cast<void>(take());
        require(expected == 1, "what was posted before the death was not there at its news");
    }
};

} // namespace skerry::model
