// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a core receives, and what it needs to work at home. README.md has the steps.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/sync/machine.hpp>

#include "frontend/event/queue.hpp"
#include "frontend/event/scheduler.hpp"
#include "sync/handover_ring.hpp"
#include "sync/owner_gate.hpp"

namespace skerry::inline SKERRY_ABI::detail {

struct call_fiber;

// When cores go home, and when they leave it. Changed by tests alone.
struct home_rules {
    std::uint64_t rounds = 64; // of a call of em_dispatch(): with fewer it is not worth it
    unsigned streak = 256;     // choices that could have been made at home, one after another
    unsigned lean = 16;        // stops with few decisions since the one before, one after another

    // At once, and for as long as they may.
    [[nodiscard]] static constexpr home_rules always() noexcept {
        return {.rounds = 1, .streak = 1, .lean = std::numeric_limits<unsigned>::max()};
    }
};
extern constinit home_rules the_home_rules;

// What a core receives next.
struct delivery {
    call_fiber* resumed = nullptr; // go_on_with() this, and nothing else is there
    event_queue* from = nullptr;
    execution_object* to = nullptr;
    bool chosen_at_home = false; // until the next choice
    bool at_home = false;        // and nobody has counted it: event_home::current
    bool borrowed = false;       // from a queue that another core has lent
    unsigned count = 0;
    std::array<em_event_t, EM_SCHED_MULTI_MAX_BURST> events;
};

// Thread safety: the core, inside of its gate, or the holder of event_machine's lock, unless it says otherwise.
struct alignas(event::alignment) event_home {
    explicit event_home(int cores); // errors: std::bad_alloc

    owner_gate<machine> gate{!machine::asymmetric()};

    home_ready* ready = nullptr; // constant
    delivery* current = nullptr; // what it receives, if that is not counted
    std::uint64_t to = 0;        // cores for which something was not handed over

    // Until it chooses at length again, nothing but the queue that it receives from and `asking` can make it choose
    // anything else. Whoever has had the lock takes this away.
    bool quiet = false;
    unsigned left = 0; // choices until then, of `granted`
    unsigned granted = 0;

    linked_list<event_queue, &event_queue::of_borrower> borrowed;
    unsigned turn = 0; // events received since the first of these is the first
    linked_list<event_queue, &event_queue::of_borrower> done_with; // borrowed ones that go back in their round

    // What the core sends belongs to a round. All that it sent in rounds until `taken` has arrived. Whoever gets an
    // atomic queue from it then sends behind that.
    std::uint64_t round = 1;
    std::uint64_t taken = 0;
    // The round before may not have arrived yet. On the way to core c it ended at round_ended[c].
    bool asks_for_round = false;
    std::array<std::uint32_t, EM_MAX_CORES> round_ended{};

    std::uint64_t stuck = 0;                        // cores that have done nothing since the last look
    std::array<std::uint64_t, EM_MAX_CORES> seen{}; // their decisions then

    // What goes from one core to another one: an event that was sent to a queue of the receiver's. Without an event: a
    // queue of the sender's is lent, or one of the receiver's comes back.
    struct parcel {
        event* what;
        event_queue* queue;
    };
    static constexpr std::uint32_t most_on_the_way = 128;
    using channel = handover_ring<machine, parcel, most_on_the_way>;
    const std::unique_ptr<channel[]> out;        // to each other core
    machine::atomic<std::uint64_t> decisions{0}; // written by the core, read by any. relaxed: a count

    // Any thread. Bit c: core c has nothing, and asks for some of what is ready here. relaxed: a hint
    alignas(event::alignment) machine::atomic<std::uint64_t> asking{0};
};

} // namespace skerry::inline SKERRY_ABI::detail
