// SPDX-License-Identifier: Apache-2.0

// Faults seeded into the structures without touching their source: each changes what one operation of one function
// does. The worlds are those that pass without the fault. A world that passed with it too would not check what it
// claims to.

#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "deque_world.hpp"
#include "sync_worlds.hpp"

namespace skerry::model {

namespace {

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

template <class World>
result one_thief(const options& o) {
    return explore<World, &World::owner, &World::first_thief>(o);
}

// The operation does not happen.
template <action What>
bool skip(const request& r, const char* function) {
    return r.what == What && r.in(function);
}

const std::string name_at(const request& r) { return engine::instance().name_of(r.address); }

using steals = forks<2, true>;
using grows = forks<3, true, steal_protocol::asymmetric, 2>;

const seeded all[] = {
    {"heavy_fence_missing_in_seize",
     [](request& r, reply&) {
         return skip<action::heavy_fence>(r, "seize") || skip<action::heavy_fence_end>(r, "seize");
     },
     one_thief<steals>,
     {"require"}},
    {"light_fence_missing_in_pop",
     [](request& r, reply&) { return skip<action::light_fence>(r, "pop") || skip<action::light_fence>(r, "pop_at"); },
     one_thief<steals>,
     {"require"}},
    {"split_not_announced_in_seize",
     [](request& r, reply&) { return skip<action::store>(r, "seize"); },
     one_thief<steals>,
     {"require"}},
    {"split_not_retracted_in_settle",
     [](request& r, reply&) { return skip<action::store>(r, "move_split"); },
     one_thief<grows>,
     {"require", "use after free", "wild access"}},
    {"owner_passes_a_closed_gate",
     [](request& r, reply& a) {
         a = {r.expected, true};
         return engine::instance().thread() == 0 && skip<action::compare_exchange>(r, "try_enter");
     },
     one_thief<steals>,
     {"require"}},
    {"thief_passes_a_closed_gate",
     [](request& r, reply& a) {
         a = {r.expected, true};
         return engine::instance().thread() == 1 && skip<action::compare_exchange>(r, "try_enter");
     },
     one_thief<grows>,
     {"require", "use after free"}},
    {"top_not_moved_by_the_thief",
     [](request& r, reply&) { return skip<action::store>(r, "steal"); },
     one_thief<steals>,
     {"require"}},
    {"bottom_not_released_in_push",
     [](request& r, reply&) {
         r.release = r.release && !r.in("push_at");
         return false;
     },
     one_thief<steals>,
     {"crash"},
     memory_order_of::partial},
    {"a_task_not_copied_in_grow",
     [](request& r, reply&) { return skip<action::store>(r, "grow") && name_at(r).starts_with("heap of T0"); },
     one_thief<grows>,
     {"crash"}},
    {"bottom_not_moved_in_grow",
     [](request& r, reply&) { return skip<action::store>(r, "grow") && name_at(r) == "bottom"; },
     one_thief<grows>,
     {"require", "wild access", "use after free", "panic"}},
    {"owner_not_woken_at_the_gate",
     [](request& r, reply&) { return skip<action::futex_wake>(r, "leave"); },
     run<gate_world, &gate_world::owner, &gate_world::thief>,
     {"deadlock"}},
    {"gate_opened_by_a_store",
     [](request& r, reply&) {
         r.what = r.what == action::exchange && r.in("leave") ? action::store : r.what;
         return false;
     },
     run<gate_world, &gate_world::owner, &gate_world::thief>,
     {"deadlock"}},
    {"fence_missing_in_prepare",
     [](request& r, reply&) { return skip<action::full_fence>(r, "prepare"); },
     run<event_world, &event_world::sleeper, &event_world::lone_waker>,
     {"deadlock"}},
    {"fence_missing_before_notify",
     [](request& r, reply&) { return skip<action::full_fence>(r, "lone_waker"); },
     run<event_world, &event_world::sleeper, &event_world::lone_waker>,
     {"deadlock"}},
    {"no_wake_in_notify",
     [](request& r, reply&) { return skip<action::futex_wake>(r, "end_wait"); },
     run<event_world, &event_world::sleeper, &event_world::lone_waker>,
     {"deadlock"}},
    {"joiner_announces_by_a_store",
     [](request& r, reply&) {
         r.what = r.what == action::compare_exchange && r.in("try_wait") ? action::store : r.what;
         return false;
     },
     run<join_world, &join_world::joiner, &join_world::thief>,
     {"deadlock", "use after free"}},
    {"thief_ends_by_a_store",
     [](request& r, reply&) {
         r.what = r.what == action::exchange && r.in("finish") ? action::store : r.what;
         return false;
     },
     run<join_world, &join_world::joiner, &join_world::thief>,
     {"deadlock"}},
    {"last_of_a_latch_not_counted_down_at_once",
     [](request& r, reply& a) {
         if (r.what == action::add && r.in("arrive")) {
             request load = r;
             load.what = action::load;
             a = engine::instance().perform(load);
             r.what = action::store;
             r.operand = a.value - 1;
             engine::instance().perform(r);
             return true;
         }
         return false;
     },
     run<latch_world, &latch_world::waiter, &latch_world::task_one, &latch_world::task_two>,
     {"deadlock", "use after free", "require"}},
};

class fault : public testing::TestWithParam<seeded> {};

TEST_P(fault, is_found) {
    const seeded& s = GetParam();
    const result sound = s.run({.memory = s.memory});
    EXPECT_TRUE(sound.ok) << "without the fault: " << sound.report;
    const result r = s.run({.memory = s.memory, .fault = s.hook});
    EXPECT_FALSE(r.ok) << "not found";
    EXPECT_TRUE(s.kinds.contains(r.kind)) << r.report;
}

INSTANTIATE_TEST_SUITE_P(seeded, fault, testing::ValuesIn(all),
                         [](const testing::TestParamInfo<seeded>& i) { return std::string(i.param.name); });

} // namespace

} // namespace skerry::model
