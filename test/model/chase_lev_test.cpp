// SPDX-License-Identifier: Apache-2.0

// The deque of Chase and Lev (2005) in the form of Lê et al. (2013), as a structure that everybody knows: right with
// its fence, wrong without, and the explorer tells the one from the other.

#include <array>

#include <gtest/gtest.h>

#include "explorer.hpp"
#include "machine.hpp"

namespace skerry::model {

namespace {

using enum memory_order;

enum class fence { in_both, not_in_pop, not_in_steal, asymmetric };
enum class flaw { none, no_release_in_push, no_acquire_in_steal };

template <fence F, flaw Flaw = flaw::none>
struct chase_lev {
    machine::atomic<long> top{0}, bottom{0};
    std::array<machine::atomic<int>, 4> slots;
    std::array<int, 3> taken{};

    chase_lev() {
        label(top, "top");
        label(bottom, "bottom");
        label(slots, "slots");
    }

    void push(int item) {
        const long b = bottom.load(relaxed);
        slots[static_cast<std::size_t>(b % 4)].store(item, relaxed);
        if (Flaw != flaw::no_release_in_push) {
            machine::fence(release);
        }
        bottom.store(b + 1, relaxed);
    }

    int pop() {
        const long b = bottom.load(relaxed) - 1;
        bottom.store(b, relaxed);
        if (F == fence::asymmetric) {
            machine::light_fence();
        } else if (F != fence::not_in_pop) {
            machine::full_fence();
        }
        long t = top.load(relaxed);
        if (t > b) {
            bottom.store(b + 1, relaxed);
            return -1;
        }
        const int item = slots[static_cast<std::size_t>(b % 4)].load(relaxed);
        if (t == b) {
            const bool won = top.compare_exchange_strong(t, t + 1, seq_cst, relaxed);
            bottom.store(b + 1, relaxed);
            return won ? item : -1;
        }
        return item;
    }

    int steal() {
        long t = top.load(acquire);
        if (F == fence::asymmetric) {
            if (machine::heavy_fence() != detail::heavy_fence::passed) {
                return -1;
            }
        } else if (F != fence::not_in_steal) {
            machine::full_fence();
        }
        const long b = bottom.load(Flaw == flaw::no_acquire_in_steal ? relaxed : acquire);
        if (t >= b) {
            return -1;
        }
        const int item = slots[static_cast<std::size_t>(t % 4)].load(relaxed);
        return top.compare_exchange_strong(t, t + 1, seq_cst, relaxed) ? item : -1;
    }

    void take(int item) {
        if (item >= 0) {
            require(taken[static_cast<std::size_t>(item)]++ == 0, "an item was taken twice");
        }
    }

    void owner() {
        push(0);
        push(1);
        take(pop());
        push(2);
        take(pop());
        take(pop());
    }
    void thief() {
        take(steal());
        take(steal());
    }
    void finally() {
        take(pop());
        for (const int n : taken) {
            require(n == 1, "an item was lost");
        }
    }
};

template <fence F, flaw Flaw = flaw::none>
result explored(memory_order_of memory = memory_order_of::tso) {
    using world = chase_lev<F, Flaw>;
    return explore<world, &world::owner, &world::thief>({.memory = memory});
}

TEST(chase_lev, is_right_with_its_fences) {
    const result r = explored<fence::in_both>();
    EXPECT_TRUE(r.ok) << r.report;
    using world = chase_lev<fence::in_both>;
    const result two = explore<world, &world::owner, &world::thief, &world::thief>();
    EXPECT_TRUE(two.ok) << two.report;
}
TEST(chase_lev, is_right_with_an_asymmetric_fence) {
    const result r = explored<fence::asymmetric>();
    EXPECT_TRUE(r.ok) << r.report;
}
TEST(chase_lev, is_wrong_without_the_owners_fence) {
    const result r = explored<fence::not_in_pop>();
    EXPECT_EQ(r.kind, "require");
    EXPECT_NE(r.report.find("taken twice"), std::string::npos) << r.report;
}
// TSO never reorders the thief's two loads: the fence matters on other machines.
TEST(chase_lev, needs_no_fence_of_the_thief_under_tso) {
    const result r = explored<fence::not_in_steal>();
    EXPECT_TRUE(r.ok) << r.report;
}

// What x86 forgives.
TEST(chase_lev, is_right_with_loads_out_of_order) {
    const result fences = explored<fence::in_both>(memory_order_of::rc11);
    EXPECT_TRUE(fences.ok) << fences.report;
    const result asymmetric = explored<fence::asymmetric>(memory_order_of::rc11);
    EXPECT_TRUE(asymmetric.ok) << asymmetric.report;
}
template <fence F, flaw Flaw>
void expect_forgiven_by_x86_only() {
    const result there = explored<F, Flaw>();
    EXPECT_TRUE(there.ok) << there.report;
    const result here = explored<F, Flaw>(memory_order_of::rc11);
    EXPECT_EQ(here.kind, "require");
    EXPECT_NE(here.report.find("taken twice"), std::string::npos) << here.report;
}
TEST(chase_lev, needs_the_release_of_a_push) {
    expect_forgiven_by_x86_only<fence::in_both, flaw::no_release_in_push>();
}
TEST(chase_lev, needs_the_acquire_of_a_thief) {
    expect_forgiven_by_x86_only<fence::in_both, flaw::no_acquire_in_steal>();
}
TEST(chase_lev, needs_the_fence_of_a_thief) { expect_forgiven_by_x86_only<fence::not_in_steal, flaw::none>(); }

} // namespace

} // namespace skerry::model
