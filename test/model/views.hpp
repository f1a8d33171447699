// SPDX-License-Identifier: Apache-2.0
#pragma once

// The memory of C++ without load buffering, as a machine: RC11 (Lahav et al., "Repairing Sequential Consistency in
// C/C++11", PLDI 2017) in the form of the promising semantics (Kang et al., POPL 2017) without promises. Release
// sequences are those of C++20: a store, and the read-modify-writes behind it.
//
// Each location has its stores in modification order. A view says of each location how far in that order somebody has
// come; a thread reads any store that is not older than its view, and puts its own anywhere behind it. A store carries
// a view to who reads it with acquire; a read-modify-write stands directly behind what it has read. The arena holds
// the newest value of each location.
//
// Fences of sequential consistency happen one after the other, each with all that the ones before it knew. That is the
// axiom against load buffering held up for fences, too: program order, reads-from and psc together have no circle. RC11
// by itself forbids circles of the first two and circles of the last; what it allows besides needs, like load
// buffering, a store that is seen before the load in front of it has read. Accesses of sequential consistency are taken
// as acquire and release, which is weaker; the sources have none.
//
// A heavy fence asks each other thread to pass a full fence at some moment until it ends. For a thread that fence lies
// between two light ones: what came before the last one is before it, what comes after the next one is behind it, and
// what stands between may be on either side, since the compiler may have moved it. Between plain cells a heavy fence
// orders nothing.
//
// Plain cells are checked by happens-before: an access must know every other that it conflicts with. So the reads by
// each thread of a plain cell are a place of their own, with two positions: the last one is known, or not.
//
// A bound on the stores of a place that may be read makes loops finite in which one thread stores and the other does
// not look. Where there are more, all that is known is moved on to the oldest that is left. That only takes choices
// away: what is left are executions of the same memory. It never passes a plain store, which happens-before must show;
// a plain access, or an end of life, that races with so old an atomic store is not found.
//
// Thread safety: none. Nothing here allocates where threads of the explorer call it.
//
// Invariants
//  1. Places are sorted by address; a place that is not there holds the arena's value, which everybody knows.
//  2. Position 0 of a place is the oldest that a thread that runs may still read; positions have no gaps.
//  3. The encoded bytes of two states are equal if and only if the states are.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "request.hpp"

namespace skerry::model {

class views {
  public:
    static constexpr unsigned max_places = 96;
    static constexpr unsigned max_stores = 320; // of all places together
    static constexpr unsigned max_history = 40; // of one place

    // At most `newest` stores of a place may be read; 0: no bound.
    void clear(unsigned threads, unsigned newest);

    // How many ways there are for the operation; 1 for what is no operation of this memory.
    unsigned choices(unsigned t, const request& r, bool weak_may_fail);
    // The newest store first.
    reply execute(unsigned t, const request& r, unsigned way, bool weak_may_fail);
    // Whether that way a comparison fails though it finds what it compares with.
    bool fails_for_no_reason(unsigned t, const request& r, unsigned way, bool weak_may_fail);
    // Whether the store, now or with another in front of it, may be one more than may be read.
    bool hides(const request& r);
    // Whether a fence changes nothing now.
    bool idle(unsigned t, const request& r);

    // A heavy fence asks the threads of the set; each passes once.
    void ask(std::uint32_t threads);
    bool asked(unsigned t);
    bool all_passed();
    void pass(unsigned t);

    // Says what is wrong with an access now: it conflicts with one that the thread does not know. Empty: nothing.
    std::string race(unsigned t, const request& r);
    // The same of all stores to a part of memory that dies, which is forgotten.
    std::string die(unsigned t, std::uintptr_t begin, std::uintptr_t end);
    // Whether everybody knows what the arena holds there.
    bool settled(std::uintptr_t address);

    // Drops what nobody can tell any more. `running` is the set of threads that are not at their end.
    void reduce(std::uint32_t running);
    // What did not fit; no kind: all did.
    struct complaint {
        std::string_view kind;
        std::string_view text;
    };
    const complaint& full() const { return full_; }
    std::uintptr_t broken() const { return broken_; } // which die() has complained of

    // The state, as bytes: written by encode().
    std::size_t size() const { return bytes_.size(); }
    std::byte* data() { return bytes_.data(); }
    void encode();
    // Room for a state of that size, which the caller writes.
    std::byte* replace(std::size_t size);

    // Of each place: what may still be read there, from the oldest, and who has come how far.
    struct line {
        std::uintptr_t address;
        unsigned size;
        std::vector<std::uint64_t> values;
        std::array<unsigned, max_threads> known; // positions
    };
    std::vector<line> describe();

  private:
    struct view {
        std::array<std::uint8_t, max_places> at{};
    };
    struct place {
        std::uintptr_t address = 0;
        std::uint8_t size = 0;
        std::uint8_t reader = 0; // 0: its stores; 1 + t: plain reads by thread t
        std::uint8_t count = 1;  // positions
        std::uint8_t unused[5] = {};
    };
    struct message {
        std::uint64_t value = 0;
        std::uint8_t attached = 0; // a read-modify-write has made it of the one before
        std::uint8_t plain = 0;
        view seen;
    };
    struct thread {
        view current;
        view acquired; // what an acquire fence would make current
        view released; // what was current at the last release fence
        view lit;      // what was acquired at the last light fence
        view owed;     // by the heavy fences passed since: current at the next light fence
    };
    struct choice {
        std::uint8_t position = 0; // what is read, or what a store is put behind
        bool fails = false;
    };

    void wake(); // decodes, after replace()
    template <class F>
    void each_view(F f);
    template <class F>
    void each_byte_range(F f);
    void overflow(const char* kind, const char* what);

    bool below(const view& a, const view& b) const;
    bool equal(const view& a, const view& b) const;
    void join(view& to, const view& from) const;
    void join_ordered(view& to, const view& from);
    view ordered(view v) const;  // without what only happens-before can tell
    view asks(unsigned t) const; // what a fence of the thread brings along

    unsigned lower_bound(std::uintptr_t address, unsigned reader) const;
    int find(std::uintptr_t address, unsigned reader = 0) const;
    int make(const request& r, unsigned reader);
    void remove(unsigned p);
    unsigned first_message(unsigned p) const;
    message& at(unsigned p, unsigned position) { return messages_[first_message(p) + position]; }
    bool free_behind(unsigned p, unsigned position);
    unsigned last_plain(unsigned p);
    bool put(unsigned p, unsigned position, const message& m);
    void drop_older(unsigned p, unsigned n);
    unsigned too_old(unsigned p);
    void merge_twins(unsigned p);

    unsigned list(unsigned t, const request& r, bool weak_may_fail);
    void read(unsigned t, unsigned p, unsigned position, bool acquire);
    void write(unsigned t, const request& r, std::uint64_t value, unsigned behind, const view* chain);
    std::uint64_t plain_read(unsigned t, const request& r);
    void plain_write(unsigned t, const request& r);

    void fence(unsigned t, const request& r);
    void full_fence(unsigned t);
    void light_fence(unsigned t);
    void reduce_fences();

    // The state.
    unsigned threads_ = 0;
    unsigned newest_ = 0;
    unsigned places_count_ = 0;
    unsigned messages_count_ = 0;
    std::uint32_t asked_ = 0;
    std::array<place, max_places> places_;
    std::array<message, max_stores> messages_;
    std::array<thread, max_threads> known_;
    view fences_; // what the last fence of sequential consistency knew

    std::vector<std::byte> bytes_;
    bool asleep_ = false;
    std::array<choice, 2 * max_history> listed_;
    complaint full_;
    std::uintptr_t broken_ = 0;
};

template <class F>
void views::each_view(F f) {
    for (unsigned t = 0; t < threads_; ++t) {
        thread& k = known_[t];
        f(k.current);
        f(k.acquired);
        f(k.released);
        f(k.lit);
        f(k.owed);
    }
    f(fences_);
    for (unsigned i = 0; i < messages_count_; ++i) {
        f(messages_[i].seen);
    }
}

} // namespace skerry::model
