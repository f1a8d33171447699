// SPDX-License-Identifier: Apache-2.0

// The fabric's ring and bell in every interleaving, and the faults that each world must find.

#include <ostream>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "fabric_world.hpp"

namespace skerry::model {

namespace {

template <class World, auto... Threads>
void expect_right(const std::set<std::string>& goals, fault_hook fault = nullptr) {
    for (const memory_order_of memory : {memory_order_of::tso, memory_order_of::partial}) {
        for (const bool spurious : {false, true}) {
            const result r = explore<World, Threads...>({.memory = memory, .spurious_wakes = spurious, .fault = fault});
            EXPECT_TRUE(r.ok) << r.report;
            EXPECT_EQ(r.goals, goals);
        }
    }
}

template <std::uint32_t Messages, std::uint32_t Capacity>
void expect_ring_right() {
    using world = ring_world<Messages, Capacity>;
    expect_right<world, &world::writer, &world::reader>({"empty", "full"});
}

// The process dies between its compare-exchange and its wake.
bool killed_before_its_wake(request& r, reply& /*answer*/) {
    return r.what == action::futex_wake && r.in("end_wait") && engine::instance().thread() == 0;
}

using sleeps = sleeping_reader_world;
using told = death_world<true>;
using not_told = death_world<false>;

TEST(ring, every_message_once_and_in_order) {
    expect_ring_right<3, 1>();
    expect_ring_right<5, 2>();
    expect_ring_right<6, 4>();
}
TEST(ring, no_lost_wakeup) { expect_right<sleeps, &sleeps::writer, &sleeps::reader>({"slept"}); }
TEST(bell, a_kick_is_kept) {
    expect_right<kick_world, &kick_world::driver, &kick_world::one, &kick_world::other>({"kicked"});
}
TEST(bell, a_kick_ends_a_nap) {
    expect_right<nap_world, &nap_world::napper, &nap_world::one, &nap_world::other>({"kicked"});
}
TEST(bell, a_death_wakes_whoever_the_dead_did_not) {
    expect_right<told, &told::killed, &told::launcher, &told::reader>({});
    expect_right<told, &told::killed, &told::launcher, &told::reader>({}, killed_before_its_wake);
}

struct seeded {
    const char* name;
    fault_hook hook;
    result (*run)(const options&);
    std::set<std::string> kinds; // how it may show
    memory_order_of memory = memory_order_of::tso;
};

std::ostream& operator<<(std::ostream& out, const seeded& s) { return out << s.name; }

template <class World, auto... Threads>
result run(const options& o) {
    return explore<World, Threads...>(o);
}

using small = ring_world<3, 2>;
constexpr auto run_small = run<small, &small::writer, &small::reader>;
constexpr auto run_sleeps = run<sleeps, &sleeps::writer, &sleeps::reader>;

const seeded all[] = {
    {"stamp_not_released_in_push",
     [](request& r, reply&) {
         r.release = r.release && !r.in("push");
         return false;
     },
     run_small,
     {"race", "require"},
     memory_order_of::partial},
    {"a_credit_too_many",
     [](request& r, reply& answer) {
         if (r.what != action::load || !r.in("has_room")) {
             return false;
         }
         answer.value = *reinterpret_cast<const std::uint32_t*>(r.address) + 1U;
         return true;
     },
     run_small,
     {"race", "require"}},
    {"a_message_not_stamped",
     [](request& r, reply&) {
         return r.what == action::store && r.in("push") && engine::instance().name_of(r.address) == "head1";
     },
     run_small,
     {"deadlock", "no end"}},
    {"credit_not_given_back",
     [](request& r, reply&) { return r.what == action::store && r.in("pop"); },
     run_small,
     {"deadlock", "no end"}},
    {"fence_missing_in_ring",
     [](request& r, reply&) { return r.what == action::full_fence && r.in("ring"); },
     run_sleeps,
     {"deadlock"}},
    {"fence_missing_before_sleep",
     [](request& r, reply&) { return r.what == action::full_fence && r.in("prepare"); },
     run_sleeps,
     {"deadlock"}},
    {"no_ring_after_a_push",
     [](request& r, reply& answer) {
         answer = {0, false};
         return r.what == action::load && r.in("end_wait");
     },
     run_sleeps,
     {"deadlock"}},
};

class fabric_fault : public testing::TestWithParam<seeded> {};

TEST_P(fabric_fault, is_found) {
    const seeded& s = GetParam();
    const result sound = s.run({.memory = s.memory});
    EXPECT_TRUE(sound.ok) << "without the fault: " << sound.report;
    const result r = s.run({.memory = s.memory, .fault = s.hook});
    EXPECT_FALSE(r.ok) << "not found";
    EXPECT_TRUE(s.kinds.contains(r.kind)) << r.kind << ": " << r.report;
}

INSTANTIATE_TEST_SUITE_P(seeded, fabric_fault, testing::ValuesIn(all),
                         [](const testing::TestParamInfo<seeded>& i) { return std::string(i.param.name); });

// The launcher must not trust the bell of a process that was killed while it rang.
TEST(bell, an_ordinary_ring_after_a_death_is_not_enough) {
    const auto explore_it = explore<not_told, &not_told::killed, &not_told::launcher, &not_told::reader>;
    EXPECT_TRUE(explore_it({}).ok) << "as long as nobody is killed half-way";
    const result r = explore_it({.fault = killed_before_its_wake});
    EXPECT_FALSE(r.ok) << "not found";
    EXPECT_EQ(r.kind, "deadlock") << r.report;
}

} // namespace

} // namespace skerry::model
