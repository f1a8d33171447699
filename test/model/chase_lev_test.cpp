// SPDX-License-Identifier: Apache-2.0

// The deque of Chase and Lev (2005) in the form of Lê et al. (2013), as a structure that everybody knows: right with
// its fence, wrong without, and the explorer tells the one from the other.

#include <array>

#include <gtest/gtest.h>

#include "explorer.hpp"
#include "machine.hpp"

namespace skerry::model {

namespace {

using enum std::memory_order;

enum class fence { in_both, not_in_pop, not_in_steal, asymmetric };

template <fence F>
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
        bottom.store(b + 1, release);
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
            if (!machine::heavy_fence()) {
                return -1;
            }
        } else if (F != fence::not_in_steal) {
            machine::full_fence();
        }
        const long b = bottom.load(acquire);
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

template <fence F>
result explored() {
    using world = chase_lev<F>;
    return explore<world, &world::owner, &world::thief>();
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

} // namespace

} // namespace skerry::model
