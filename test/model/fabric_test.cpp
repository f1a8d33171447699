// SPDX-License-Identifier: Apache-2.0

// The fabric's ring and bell in every interleaving, and the faults that each world must find.

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "expect.hpp"
#include "fabric_world.hpp"
#include "seeded.hpp"

namespace skerry::model {

namespace {

template <class World, auto... Threads>
void expect_right(const std::set<std::string>& goals, fault_hook fault = nullptr) {
    for (const memory_order_of memory : {memory_order_of::tso, memory_order_of::partial}) {
        expect_well<World, Threads...>(goals, {.memory = memory, .fault = fault});
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
TEST(rc11, ring) {
    using world = ring_world<5, 2>;
    expect_well_in_c_plus_plus<world, &world::writer, &world::reader>({"empty", "full"});
    expect_well_in_c_plus_plus<sleeps, &sleeps::writer, &sleeps::reader>({"slept"});
}
TEST(rc11, bell) {
    expect_well_in_c_plus_plus<kick_world, &kick_world::driver, &kick_world::one, &kick_world::other>({"kicked"});
    expect_well_in_c_plus_plus<nap_world, &nap_world::napper, &nap_world::one, &nap_world::other>({"kicked"});
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

using small = ring_world<3, 2>;
constexpr auto run_small = run_world<small, &small::writer, &small::reader>;
constexpr auto run_sleeps = run_world<sleeps, &sleeps::writer, &sleeps::reader>;
constexpr auto run_kick = run_world<kick_world, &kick_world::driver, &kick_world::one>;
constexpr auto run_nap = run_world<nap_world, &nap_world::napper, &nap_world::one>;

// Of a ringer that is killed before its wake.
result run_told(const options& o) { return explore<told, &told::killed, &told::launcher, &told::reader>(o); }

const seeded all[] = {
    {"message W1",
     "a_credit_too_many",
     [](request& r, reply& answer) {
         if (!is(r, action::load, "has_room")) {
             return false;
         }
         answer.value = *reinterpret_cast<const std::uint32_t*>(r.address) + 1U;
         return true;
     },
     run_small,
     {"race", "require"}},
    {"message W1",
     "credit_not_acquired",
     [](request& r, reply&) { return unacquired(r, is(r, action::load, "has_room")); },
     run_small,
     {"race"},
     memory_order_of::rc11},
    {"message W2",
     "body_written_after_the_stamp",
     [](request& r, reply&) {
         if (is(r, action::plain_store, "operator=") && engine::instance().thread() == 0) {
             request head = r;
             head.what = action::store;
             head.address = r.address - sizeof(std::uint64_t);
             head.operand = r.operand - 99; // message 0 has stamp 1 and says 100
             head.size = 8;
             perform(head);
         }
         return false;
     },
     run_small,
     {"race", "require"}},
    {"message W3",
     "stamp_not_released",
     [](request& r, reply&) { return unreleased(r, r.in("push")); },
     run_small,
     {"race", "require"},
     memory_order_of::partial},
    {"message W3",
     "a_message_not_stamped",
     [](request& r, reply&) { return is(r, action::store, "push") && touches(r, "head1"); },
     run_small,
     {"deadlock", "no end"}},
    {"message B1",
     "fence_missing_in_ring",
     [](request& r, reply&) { return is(r, action::full_fence, "ring"); },
     run_sleeps,
     {"deadlock"}},
    {"message B1",
     "no_ring_after_a_push",
     [](request& r, reply& answer) {
         answer = {0, false};
         return is(r, action::load, "end_wait");
     },
     run_sleeps,
     {"deadlock"}},
    {"message R1",
     "body_read_before_its_stamp",
     [](request& r, reply& answer) {
         answer.value = 1 + seen("taken", 4);
         return is(r, action::load, "pop");
     },
     run_small,
     {"race", "require"}},
    {"message R1",
     "stamp_not_acquired",
     [](request& r, reply&) { return unacquired(r, is(r, action::load, "pop")); },
     run_small,
     {"race"},
     memory_order_of::rc11},
    {"message R3",
     "credit_not_given_back",
     [](request& r, reply&) { return is(r, action::store, "pop"); },
     run_small,
     {"deadlock", "no end"}},
    {"message R3",
     "credit_given_back_before_the_body_is_read",
     [](request& r, reply&) {
         if (is(r, action::plain_load, "operator=") && engine::instance().thread() == 1) {
             request credit = r;
             credit.what = action::store;
             credit.address = engine::instance().place_of("taken");
             credit.operand = seen("taken", 4) + 1;
             credit.size = 4;
             perform(credit);
         }
         return false;
     },
     run_small,
     {"race", "require"}},
    {"message R3",
     "credit_not_released",
     [](request& r, reply&) { return unreleased(r, is(r, action::store, "pop")); },
     run_small,
     {"race"},
     memory_order_of::rc11},
    {"message B2",
     "fence_missing_before_sleep",
     [](request& r, reply&) { return is(r, action::full_fence, "prepare"); },
     run_sleeps,
     {"deadlock"}},
    {"message B2",
     "no_second_look_before_sleep",
     [](request& r, reply& answer) {
         answer.value = 0;
         return is(r, action::load, "ready");
     },
     run_sleeps,
     {"deadlock"}},
    {"message B2",
     "a_kick_not_kept",
     [](request& r, reply&) { return is(r, action::store, "kick"); },
     run_kick,
     {"deadlock", "no end"}},
    {"message B3",
     "a_napper_not_woken",
     [](request& r, reply&) {
         return is(r, action::futex_wake, "end_wait") && r.address != engine::instance().place_of("bell");
     },
     run_nap,
     {"deadlock"}},
    {"message B3",
     "fence_missing_before_a_nap",
     [](request& r, reply&) { return is(r, action::full_fence, "prepare"); },
     run_nap,
     {"deadlock"}},
    {"event count E4",
     "sleeper_not_woken_anyway",
     [](request& r, reply& a) { return killed_before_its_wake(r, a) || is(r, action::futex_wake, "notify_anyway"); },
     run_told,
     {"deadlock"}},
};

class fabric_fault : public testing::TestWithParam<seeded> {};
TEST_P(fabric_fault, is_found) { expect_found(GetParam()); }
INSTANTIATE_TEST_SUITE_P(seeded, fabric_fault, testing::ValuesIn(all), name_of_case);

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
