// SPDX-License-Identifier: Apache-2.0

// The classic small programs, with the outcomes that x86-TSO allows and forbids (Sewell et al., "x86-TSO", 2010), and
// the asymmetric fence pair of Dice et al. and P1202.

#include <string>

#include <gtest/gtest.h>

#include "explorer.hpp"
#include "machine.hpp"

namespace skerry::model {

namespace {

using enum memory_order;
using enum detail::heavy_fence;
using words = std::set<std::string>;

template <class... Values>
void record(const Values&... values) {
    std::string text;
    ((text += (text.empty() ? "" : " ") + std::to_string(values)), ...);
    outcome(text);
}

enum class fencing { none, full, light_heavy, light_only, heavy_without_light };

// SB: each thread stores to its word and loads the other's.
template <fencing F>
struct store_buffering {
    machine::atomic<int> x{0}, y{0};
    int a = -1, b = -1;

    void left() {
        x.store(1, relaxed());
        if constexpr (F == fencing::full) {
            machine::full_fence();
        } else if constexpr (F == fencing::light_heavy || F == fencing::light_only) {
            machine::light_fence();
        }
        a = y.load(relaxed());
    }
    void right() {
        y.store(1, relaxed());
        if constexpr (F == fencing::full) {
            machine::full_fence();
        } else if constexpr (F == fencing::light_heavy || F == fencing::heavy_without_light) {
            require(machine::heavy_fence() == passed, "refused");
        } else if constexpr (F == fencing::light_only) {
            machine::light_fence();
        }
        b = x.load(relaxed());
    }
    void finally() { record(a, b); }
    static constexpr memory_order relaxed() { return memory_order::relaxed; }
};

template <fencing F>
words store_buffering_outcomes(memory_order_of memory = memory_order_of::tso) {
    using world = store_buffering<F>;
    const result r = explore<world, &world::left, &world::right>({.memory = memory});
    EXPECT_TRUE(r.ok) << r.report;
    return r.outcomes;
}

const words strong = {"0 1", "1 0", "1 1"};
const words weak = {"0 0", "0 1", "1 0", "1 1"};

TEST(litmus, store_buffering_is_seen_without_fences) { EXPECT_EQ(store_buffering_outcomes<fencing::none>(), weak); }
TEST(litmus, sequential_consistency_forbids_store_buffering) {
    EXPECT_EQ(store_buffering_outcomes<fencing::none>(memory_order_of::sequential), strong);
}
TEST(litmus, full_fences_forbid_store_buffering) { EXPECT_EQ(store_buffering_outcomes<fencing::full>(), strong); }
TEST(litmus, light_and_heavy_fence_forbid_store_buffering) {
    EXPECT_EQ(store_buffering_outcomes<fencing::light_heavy>(), strong);
    EXPECT_EQ(store_buffering_outcomes<fencing::light_heavy>(memory_order_of::partial), strong);
    EXPECT_EQ(store_buffering_outcomes<fencing::light_heavy>(memory_order_of::rc11), strong);
}
TEST(litmus, light_fences_alone_do_nothing) {
    EXPECT_EQ(store_buffering_outcomes<fencing::light_only>(), weak);
    EXPECT_EQ(store_buffering_outcomes<fencing::light_only>(memory_order_of::rc11), weak);
}
TEST(litmus, a_heavy_fence_needs_a_light_one_as_partner) {
    EXPECT_EQ(store_buffering_outcomes<fencing::heavy_without_light>(), weak);
    EXPECT_EQ(store_buffering_outcomes<fencing::heavy_without_light>(memory_order_of::rc11), weak);
}

// MP: data, then a flag.
template <memory_order Publish>
struct message_passing {
    machine::atomic<int> data{0}, flag{0};
    int seen = -1, value = -1;
    void writer() {
        data.store(1, relaxed);
        flag.store(1, Publish);
    }
    void reader() {
        seen = flag.load(acquire);
        value = data.load(relaxed);
    }
    void finally() { record(seen, value); }
};

template <memory_order Publish>
words message_passing_outcomes(memory_order_of memory) {
    using world = message_passing<Publish>;
    const result r = explore<world, &world::writer, &world::reader>({.memory = memory});
    EXPECT_TRUE(r.ok) << r.report;
    return r.outcomes;
}

TEST(litmus, tso_keeps_stores_in_order) {
    const words expected = {"0 0", "0 1", "1 1"};
    EXPECT_EQ(message_passing_outcomes<release>(memory_order_of::tso), expected);
    EXPECT_EQ(message_passing_outcomes<relaxed>(memory_order_of::tso), expected);
}
TEST(litmus, partial_order_keeps_release_stores_only) {
    EXPECT_EQ(message_passing_outcomes<release>(memory_order_of::partial), (words{"0 0", "0 1", "1 1"}));
    EXPECT_EQ(message_passing_outcomes<relaxed>(memory_order_of::partial), (words{"0 0", "0 1", "1 0", "1 1"}));
}

// A thread sees its own store before others do.
struct forwarding {
    machine::atomic<int> x{0}, y{0};
    int own_x = -1, a = -1, own_y = -1, b = -1;
    void left() {
        x.store(1, relaxed);
        own_x = x.load(relaxed);
        a = y.load(relaxed);
    }
    void right() {
        y.store(1, relaxed);
        own_y = y.load(relaxed);
        b = x.load(relaxed);
    }
    void finally() { record(own_x, a, own_y, b); }
};

TEST(litmus, a_load_is_served_from_the_own_buffer) {
    const result r = explore<forwarding, &forwarding::left, &forwarding::right>();
    EXPECT_TRUE(r.ok) << r.report;
    EXPECT_EQ(r.outcomes, (words{"1 0 1 0", "1 0 1 1", "1 1 1 0", "1 1 1 1"}));
}

// IRIW: two readers agree on the order of two independent writes.
struct independent_reads {
    machine::atomic<int> x{0}, y{0};
    int a = 0, b = 0, c = 0, d = 0;
    void write_x() { x.store(1, release); }
    void write_y() { y.store(1, release); }
    void read_xy() {
        a = x.load(acquire);
        b = y.load(acquire);
    }
    void read_yx() {
        c = y.load(acquire);
        d = x.load(acquire);
    }
    void finally() { record(a, b, c, d); }
};

TEST(litmus, readers_agree_on_the_order_of_writes) {
    using world = independent_reads;
    const result r = explore<world, &world::write_x, &world::write_y, &world::read_xy, &world::read_yx>();
    EXPECT_TRUE(r.ok) << r.report;
    EXPECT_EQ(r.outcomes.size(), 15U);
    EXPECT_FALSE(r.outcomes.contains("1 0 1 0"));
}

// LB: a load never sees what only happens after it.
struct load_buffering {
    machine::atomic<int> x{0}, y{0};
    int a = -1, b = -1;
    void left() {
        a = x.load(relaxed);
        y.store(1, relaxed);
    }
    void right() {
        b = y.load(relaxed);
        x.store(1, relaxed);
    }
    void finally() { record(a, b); }
};

TEST(litmus, loads_are_not_delayed) {
    const result r = explore<load_buffering, &load_buffering::left, &load_buffering::right>();
    EXPECT_TRUE(r.ok) << r.report;
    EXPECT_EQ(r.outcomes, (words{"0 0", "0 1", "1 0"}));
}

// 2+2W: with FIFO buffers the first stores cannot both be last.
struct two_writes_each {
    machine::atomic<int> x{0}, y{0};
    void left() {
        x.store(1, relaxed);
        y.store(2, relaxed);
    }
    void right() {
        y.store(1, relaxed);
        x.store(2, relaxed);
    }
    void finally() { record(x.load(relaxed), y.load(relaxed)); }
};

TEST(litmus, two_plus_two_writes) {
    using world = two_writes_each;
    const result tso = explore<world, &world::left, &world::right>();
    EXPECT_EQ(tso.outcomes, (words{"1 2", "2 1", "2 2"}));
    const result partial = explore<world, &world::left, &world::right>({.memory = memory_order_of::partial});
    EXPECT_EQ(partial.outcomes, (words{"1 1", "1 2", "2 1", "2 2"}));
}

// A heavy fence drains the other threads one by one, not all at the same moment: a third thread may see one word
// before and the other word after.
struct staggered_drain {
    machine::atomic<int> x{0}, y{0};
    int first = 0, second = 0;
    void write_x() {
        x.store(1, relaxed);
        machine::light_fence();
    }
    void write_y() {
        y.store(1, relaxed);
        machine::light_fence();
    }
    void observe() {
        first = x.load(acquire);
        second = y.load(acquire);
    }
    void barrier() { require(machine::heavy_fence() == passed, "refused"); }
    void finally() { record(first, second); }
};

TEST(litmus, a_heavy_fence_is_not_one_moment) {
    using world = staggered_drain;
    for (const memory_order_of memory : {memory_order_of::tso, memory_order_of::rc11}) {
        const result r =
            explore<world, &world::write_x, &world::write_y, &world::observe, &world::barrier>({.memory = memory});
        EXPECT_TRUE(r.ok) << r.report;
        EXPECT_EQ(r.outcomes, weak);
    }
}

// A light fence has two sides: what is behind it sees what came before a heavy fence that has ended, though every
// access is relaxed.
template <bool Light>
struct late_reader {
    machine::atomic<int> y{0}, ended{0};
    int seen = -1, value = -1;
    void reader() {
        seen = ended.load(relaxed);
        if constexpr (Light) {
            machine::light_fence();
        }
        value = y.load(relaxed);
    }
    void barrier() {
        y.store(1, relaxed);
        require(machine::heavy_fence() == passed, "refused");
        ended.store(1, relaxed);
    }
    void finally() { record(seen, value); }
};

template <bool Light>
words late_reader_outcomes() {
    using world = late_reader<Light>;
    const result r = explore<world, &world::reader, &world::barrier>({.memory = memory_order_of::rc11});
    EXPECT_TRUE(r.ok) << r.report;
    return r.outcomes;
}

TEST(litmus, what_is_behind_a_light_fence_is_behind_the_heavy_one) {
    EXPECT_EQ(late_reader_outcomes<true>(), (words{"0 0", "0 1", "1 1"}));
    EXPECT_EQ(late_reader_outcomes<false>(), weak);
}

// The second heavy fence at a time is refused.
struct two_barriers {
    machine::atomic<int> refused{0};
    void barrier() {
        if (machine::heavy_fence() != passed) {
            refused.fetch_add(1);
        }
    }
    void finally() { record(refused.load()); }
};

TEST(litmus, one_heavy_fence_is_in_flight) {
    const result r = explore<two_barriers, &two_barriers::barrier, &two_barriers::barrier>();
    EXPECT_TRUE(r.ok) << r.report;
    EXPECT_EQ(r.outcomes, (words{"0", "1"}));
}

} // namespace

} // namespace skerry::model
