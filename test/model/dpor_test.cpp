// SPDX-License-Identifier: Apache-2.0

// The walk by traces: as many executions as there are traces, no more failures and no fewer than by states, and what it
// cuts is counted. The tests of the explorer, of memory, of the small structures and of their faults run this way, too
// (CMakeLists.txt).

#include <string>

#include <gtest/gtest.h>

#include "explorer.hpp"
#include "machine.hpp"
#include "sync_worlds.hpp"

namespace skerry::model {

namespace {

using enum memory_order;

constexpr options by_traces = {.walk = walk_by::traces};

template <class World, auto... Threads>
result expect_agreement(options o = {}) {
    const result states = explore<World, Threads...>(o);
    o.walk = walk_by::traces;
    const result traces = explore<World, Threads...>(o);
    EXPECT_EQ(states.kind, traces.kind) << states.report << traces.report;
    EXPECT_EQ(states.outcomes, traces.outcomes);
    EXPECT_EQ(states.goals, traces.goals);
    EXPECT_GT(traces.executions, 0U);
    return traces;
}

// --- how many -------------------------------------------------------------------------------------------------------

// Readers of one word that one thread writes: each of n reads before or after it. What does not race is no branch.
struct readers {
    machine::atomic<int> x{0};
    machine::atomic<int> own[3];
    int seen[3] = {};
    void write() { x.store(1, seq_cst); }
    template <std::size_t I>
    void read() {
        own[I].store(1, relaxed);
        seen[I] = x.load(acquire) + own[I].load(relaxed);
    }
    void finally() { outcome(std::to_string(seen[0]) + std::to_string(seen[1]) + std::to_string(seen[2])); }
};

TEST(traces, one_execution_each) {
    using world = readers;
    const result r = expect_agreement<world, &world::write, &world::read<0>, &world::read<1>, &world::read<2>>();
    EXPECT_EQ(r.outcomes.size(), 8U);
    EXPECT_EQ(r.executions, 8U);
    EXPECT_EQ(r.redundant, 0U);
}

// Writers of words of their own: nothing races.
struct strangers {
    machine::atomic<int> words[4];
    template <std::size_t I>
    void write() {
        words[I].exchange(1);
        words[I].exchange(2);
    }
    void finally() { outcome(std::to_string(words[0].load())); }
};

TEST(traces, no_race_no_branch) {
    using world = strangers;
    const result r = explore<world, &world::write<0>, &world::write<1>, &world::write<2>, &world::write<3>>(
        {.reduce = false, .walk = walk_by::traces});
    EXPECT_TRUE(r.ok) << r.report;
    EXPECT_EQ(r.executions, 1U);
}

// --- loops ----------------------------------------------------------------------------------------------------------

template <bool Ends>
struct relay_race {
    machine::atomic<int> baton{0};
    template <int Turn>
    void run() {
        while (baton.load(acquire) != Turn) {
            machine::pause();
        }
        if (Ends || Turn != 1) {
            baton.store(Turn + 1, release);
        }
    }
};

TEST(traces, a_spin_waits_for_the_others) {
    using world = relay_race<true>;
    const result r = expect_agreement<world, &world::run<0>, &world::run<1>, &world::run<2>>();
    EXPECT_TRUE(r.ok) << r.report;
    EXPECT_GT(r.spins, 0U);
}

TEST(traces, a_spin_that_nobody_ends) {
    using world = relay_race<false>;
    EXPECT_EQ((expect_agreement<world, &world::run<0>, &world::run<1>, &world::run<2>>().kind), "no end");
}

// Each turns the word and finds it turned back: the whole machine comes back to where it was.
template <bool Polite>
struct turners {
    machine::atomic<int> word{0};
    machine::atomic<int> enough{0};
    void turn() {
        do {
            word.exchange(1);
            word.exchange(0);
        } while (enough.load(acquire) == 0);
    }
    void look() {
        const int seen = word.load(acquire);
        outcome(std::to_string(seen));
        if (Polite) {
            enough.store(1, release);
        }
    }
};

TEST(traces, an_execution_comes_back) {
    using world = turners<true>;
    const result r = expect_agreement<world, &world::turn, &world::look>();
    EXPECT_TRUE(r.ok) << r.report;
    EXPECT_GT(r.returns, 0U);
    EXPECT_EQ(r.outcomes.size(), 2U);
}

TEST(traces, a_circle_without_a_way_out) {
    using world = turners<false>;
    EXPECT_EQ((expect_agreement<world, &world::turn, &world::look>().kind), "no end");
}

// --- limits ---------------------------------------------------------------------------------------------------------

struct long_one {
    machine::atomic<int> x{0};
    void count() {
        while (x.fetch_add(1) < 5000) {
        }
    }
    void look() { static_cast<void>(x.load(relaxed)); }
};

TEST(traces, too_long_an_execution_is_a_failure) {
    const result r = explore<long_one, &long_one::count, &long_one::look>(by_traces);
    EXPECT_EQ(r.kind, "limit");
    EXPECT_NE(r.text.find("an execution of more than"), std::string::npos) << r.text;
}

TEST(traces, too_many_executions_are_a_failure) {
    using world = gate_world;
    const result r =
        explore<world, &world::owner, &world::thief, &world::thief>({.max_states = 50, .walk = walk_by::traces});
    EXPECT_EQ(r.kind, "limit");
}

// --- failures that only the order of lives shows -------------------------------------------------------------------

// The box is freed behind the flag that says so, and looked into after a look at another one.
struct careless {
    struct box_type {
        machine::atomic<int> value{1};
    };
    box_type* box = new box_type;
    machine::atomic<int> other{0};
    void look() {
        other.exchange(1);
        static_cast<void>(box->value.load(relaxed));
    }
    void drop() {
        machine::full_fence();
        delete box;
    }
    void finally() {}
};

TEST(traces, memories_that_are_not_known_are_refused) {
    using world = readers;
    for (const memory_order_of memory : {memory_order_of::rc11, memory_order_of::caches}) {
        const result r = explore<world, &world::write, &world::read<0>>({.memory = memory, .walk = walk_by::traces});
        EXPECT_FALSE(r.ok);
        EXPECT_EQ(r.kind, "limit") << r.report;
    }
}

TEST(traces, memory_that_ends_before_it_is_looked_at) {
    using world = careless;
    EXPECT_EQ((expect_agreement<world, &world::look, &world::drop>({.reduce = false}).kind), "use after free");
}

// --- the small structures -------------------------------------------------------------------------------------------

TEST(traces, agree_on_a_gate) {
    for (const memory_order_of memory : {memory_order_of::tso, memory_order_of::partial}) {
        for (const bool spurious : {false, true}) {
            const result r = expect_agreement<gate_world, &gate_world::owner, &gate_world::thief>(
                {.memory = memory, .spurious_wakes = spurious});
            EXPECT_TRUE(r.ok) << r.report;
        }
    }
}

} // namespace

} // namespace skerry::model
