// SPDX-License-Identifier: Apache-2.0
#pragma once

// Worlds for what has one owner or one sender in src/sync: the owner's gate and the handover ring.

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#include <skerry/detail/sync/heavy_fence.hpp>

#include "explorer.hpp"
#include "machine.hpp"
#include "sync/handover_ring.hpp"
#include "sync/mutex.hpp"
#include "sync/owner_gate.hpp"

namespace skerry::model {

// The owner comes, and twice somebody else: one twice, or two that have a lock for it. Whoever is inside is alone
// there, and sees what the last one did. Fenced: there are no heavy fences, and both sides make full ones.
template <bool Fenced, int Turns = 2> // of the owner
struct owner_gate_world {
    struct watching : machine {
        static void futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected,
                               place where = place::current()) noexcept {
            const int thread = engine::instance().thread();
            reached(thread == 0 ? "the owner waited" : "another waited");
            current->waited[static_cast<std::size_t>(thread)] = true;
            machine::futex_wait(word, expected, where);
        }
        static inline owner_gate_world* current = nullptr;
    };
    owner_gate_world() {
        watching::current = this;
        label(gate, "gate");
        label(others, "others");
        label(turns, "turns");
    }
    void pass() {
        const int before = turns.get();
        require(before == entries, "what the last one did inside has not arrived");
        turns.set(before + 1);
        ++entries;
    }
    void owner() {
        for (int i = 0; i < Turns; ++i) {
            waited[0] = false;
            gate.enter();
            pass();
            gate.leave();
        }
    }
    void other() {
        const std::lock_guard lock(others);
        gate.ask();
        if (Fenced) {
            machine::full_fence();
        } else {
            require(machine::heavy_fence() == detail::heavy_fence::passed, "refused");
        }
        waited[static_cast<std::size_t>(engine::instance().thread())] = false;
        gate.await();
        pass();
        gate.open();
    }
    void other_twice() {
        other();
        other();
    }
    void finally() { require(turns.get() == Turns + 2, "somebody did not enter"); }
    detail::owner_gate<watching> gate{Fenced};
    detail::mutex<machine> others;
    plain<int> turns{0};
    int entries = 0;
    std::array<bool, 3> waited{}; // by thread: for the gate, since it began to enter
};

// What the worlds of the ring have in common: letters, and slips with their numbers in two places. Who takes a slip
// finds the next letter, with its text, and answers. Who puts one has the answer to what lay there before.
struct letters_world {
    struct slip {
        plain<std::uint32_t> number{0};
        slip() = default;
        slip& operator=(const slip& other) {
            number.set(other.number.get());
            return *this;
        }
        ~slip() = default;
        slip(const slip&) = delete;
    };
    struct letter {
        plain<int> text{0};
        plain<int> answer{0};
    };
    static constexpr std::uint32_t places = 2;
    letters_world() {
        label(ring, "ring");
        label(letters, "letters");
        label(taken, "taken");
        label(outgoing, "outgoing");
    }
    void write(std::uint32_t number) {
        letters[number].text.set(7);
        outgoing.number.set(number);
    }
    bool put(std::uint32_t number) {
        if (!ring.put(outgoing)) {
            return false;
        }
        require(number < places || letters[number - places].answer.get() == 1, "the answer has not arrived");
        return true;
    }
    // How many.
    std::uint32_t take() {
        const std::uint32_t before = taken.get();
        std::uint32_t seen = before;
        ring.take([&](const slip& s) { require(s.number.get() == seen++, "not the next letter at the first look"); },
                  [&](const slip& s) {
                      const std::uint32_t number = s.number.get();
                      require(number == taken.get(), "not the next letter");
                      require(letters[number].text.get() == 7, "its text has not arrived");
                      letters[number].answer.set(1);
                      taken.set(number + 1);
                  });
        return taken.get() - before;
    }
    detail::handover_ring<machine, slip, places> ring;
    std::array<letter, 5> letters;
    plain<std::uint32_t> taken{0}; // of whoever takes
    slip outgoing;                 // the sender's
};

// One puts five letters, and hands them over as one, two, and twice one; or does not hand over the last two. The other
// one finds each once and in this order.
template <bool All>
struct handover_ring_world : letters_world {
    void put_at_last(std::uint32_t number) {
        write(number);
        while (!put(number)) {
            reached("full");
        }
    }
    void sender() {
        put_at_last(0);
        ring.hand_over();
        put_at_last(1);
        put_at_last(2);
        require(ring.kept() == 2, "not two to hand over");
        ring.hand_over();
        if (ring.was_taken(ring.position())) {
            require(letters[2].answer.get() == 1, "it was not taken");
            reached("taken");
        }
        put_at_last(3);
        if (All) {
            ring.hand_over();
        }
        put_at_last(4);
        if (All) {
            ring.hand_over();
        }
    }
    void receiver() {
        while (taken.get() < (All ? 5 : 3)) {
            if (!ring.has_any()) {
                reached("empty");
                continue;
            }
            const std::uint32_t count = take();
            require(count != 0, "nothing where there was something");
            reached(count == 1 ? "one" : "two at once");
        }
    }
    void finally() { // who comes when both have ended
        ring.hand_over();
        static_cast<void>(take());
        require(taken.get() == 5 && !ring.has_any(), "a letter was lost");
    }
};

// Who stops both, by a gate each, takes what was not handed over yet. Then they go on.
struct stopped_ring_world : letters_world {
    stopped_ring_world() {
        label(gates, "gates");
        send(0);
    }
    void sender() {
        gates[0].enter();
        send(1);
        ring.hand_over();
        send(2);
        gates[0].leave();
    }
    void send(std::uint32_t number) {
        write(number);
        sent += put(number) ? 1 : 0;
    }
    void receiver() {
        gates[1].enter();
        reached(take() != 0 ? "received" : "nothing received");
        gates[1].leave();
    }
    void other() {
        for (auto& gate : gates) {
            gate.ask();
        }
        require(machine::heavy_fence() == detail::heavy_fence::passed, "refused");
        for (auto& gate : gates) {
            gate.await();
        }
        ring.hand_over();
        reached("the other took " + std::to_string(take()));
        require(taken.get() == sent, "a letter was lost");
        for (auto& gate : gates) {
            gate.open();
        }
    }
    void finally() {
        ring.hand_over();
        static_cast<void>(take());
        require(taken.get() == sent, "a letter was lost");
    }
    std::array<detail::owner_gate<machine>, 2> gates{detail::owner_gate<machine>{false},
                                                     detail::owner_gate<machine>{false}};
    std::uint32_t sent = 0;
};

} // namespace skerry::model
