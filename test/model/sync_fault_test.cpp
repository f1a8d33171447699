// SPDX-License-Identifier: Apache-2.0

// Faults seeded into gate, mutex, condition, shared fence, event count, join word and latch, by the steps of
// src/sync/README.md.

#include "deque_world.hpp"
#include "seeded.hpp"
#include "sync_worlds.hpp"

namespace skerry::model {

namespace {

template <class World>
constexpr auto one_thief = run_world<World, &World::owner, &World::first_thief>;

constexpr auto run_steals = one_thief<forks<2, true>>;
constexpr auto run_grows = one_thief<forks<3, true, steal_protocol::asymmetric, 2>>;
constexpr auto run_gate = run_world<gate_world, &gate_world::owner, &gate_world::thief>;
constexpr auto run_mutex = run_world<mutex_world, &mutex_world::visitor, &mutex_world::visitor, &mutex_world::visitor>;
constexpr auto run_mutex_of_two = run_world<mutex_world, &mutex_world::visitor, &mutex_world::visitor>;
constexpr auto run_condition = run_world<condition_world, &condition_world::waiter, &condition_world::notifier>;
using two_askers = fence_world<2>;
constexpr auto run_fence = run_world<two_askers, &two_askers::owner, &two_askers::asker<0>, &two_askers::asker<1>>;
constexpr auto run_refused =
    run_world<two_askers, &two_askers::owner, &two_askers::asker<0>, &two_askers::asker<1>, &two_askers::stranger>;
using three_askers = fence_world<3, 2>;
constexpr auto run_fence_of_three = run_world<three_askers, &three_askers::owner, &three_askers::asker<0>,
                                              &three_askers::asker<1>, &three_askers::asker<2>>;
constexpr auto run_event = run_world<event_world, &event_world::sleeper, &event_world::lone_waker>;
constexpr auto run_called =
    run_world<calling_world, &calling_world::sleeper, &calling_world::caller, &calling_world::waker>;
constexpr auto run_join = run_world<join_world, &join_world::joiner, &join_world::thief>;
using taken_back = join_and_other_world;
constexpr auto run_taken_back = run_world<taken_back, &taken_back::joiner, &taken_back::thief, &taken_back::other>;
using leaving = leaving_world<false>;
using leaving_in_time = leaving_world<true>;
constexpr auto run_leaving_in_time =
    run_world<leaving_in_time, &leaving_in_time::joiner, &leaving_in_time::finisher, &leaving_in_time::other>;
constexpr auto run_leaving = run_world<leaving, &leaving::joiner, &leaving::finisher, &leaving::other>;
constexpr auto run_latch = run_world<latch_world, &latch_world::waiter, &latch_world::task_one, &latch_world::task_two>;
constexpr auto run_lonely = run_world<lonely_world, &lonely_world::waiter, &lonely_world::task>;

// A lock's entrance that lets its caller in whatever the word says; the word is as it was.
bool let_in(request& r, reply& a, const char* function) {
    a = {r.expected, true};
    return is(r, action::compare_exchange, function);
}

bool by_a_store(request& r, action what, const char* function) {
    r.what = is(r, what, function) ? action::store : r.what;
    return false;
}

const seeded all[] = {
    {"gate G1",
     "owner_passes_a_closed_gate",
     [](request& r, reply& a) { return engine::instance().thread() == 0 && let_in(r, a, "try_enter"); },
     run_steals,
     {"require"}},
    {"gate G1",
     "thief_passes_a_closed_gate",
     [](request& r, reply& a) { return engine::instance().thread() == 1 && let_in(r, a, "try_enter"); },
     run_grows,
     {"require", "use after free"}},
    {"gate G1",
     "gate_closed_by_a_load_and_a_store",
     [](request& r, reply& a) {
         const bool mine = is(r, action::compare_exchange, "try_enter");
         if (mine) {
             a = not_at_once(r, put);
         }
         return mine;
     },
     run_gate,
     {"require", "race"}},
    {"gate G1",
     "gate_not_acquired",
     [](request& r, reply&) { return unacquired(r, is(r, action::compare_exchange, "try_enter")); },
     run_gate,
     {"race"},
     memory_order_of::rc11},
    {"gate G2",
     "owner_sleeps_and_does_not_say_so",
     [](request& r, reply&) {
         r.operand = is(r, action::exchange, "enter") ? 1 : r.operand;
         r.expected = is(r, action::futex_wait, "enter") ? 1 : r.expected;
         return false;
     },
     run_gate,
     {"deadlock"}},
    {"gate G2",
     "owner_sleeps_without_a_last_look",
     [](request& r, reply&) { return is(r, action::futex_wait, "enter") && sleep_on_anything(r); },
     run_gate,
     {"deadlock"}},
    {"gate G2",
     "gate_not_acquired_after_a_wait",
     [](request& r, reply&) { return unacquired(r, is(r, action::exchange, "enter")); },
     run_gate,
     {"race"},
     memory_order_of::rc11},
    {"gate G3",
     "owner_not_woken",
     [](request& r, reply&) { return is(r, action::futex_wake, "leave"); },
     run_gate,
     {"deadlock"}},
    {"gate G3",
     "gate_opened_by_a_store",
     [](request& r, reply&) { return by_a_store(r, action::exchange, "leave"); },
     run_gate,
     {"deadlock"}},

    {"gate G3",
     "gate_not_released",
     [](request& r, reply&) { return unreleased(r, is(r, action::exchange, "leave")); },
     run_gate,
     {"race"},
     memory_order_of::rc11},
    {"gate G4",
     "gate_not_released_by_the_owner",
     [](request& r, reply&) { return unreleased(r, is(r, action::store, "leave_as_owner")); },
     run_gate,
     {"race"},
     memory_order_of::rc11},
    {"gate G4",
     "gate_not_opened_by_the_owner",
     [](request& r, reply&) { return is(r, action::store, "leave_as_owner"); },
     run_gate,
     {"deadlock", "no end"}},
    {"mutex L1",
     "a_visitor_passes_a_closed_lock",
     [](request& r, reply& a) { return engine::instance().thread() == 1 && let_in(r, a, "try_lock"); },
     run_mutex_of_two,
     {"require", "race"}},
    {"mutex L1",
     "lock_closed_by_a_load_and_a_store",
     [](request& r, reply& a) {
         const bool mine = is(r, action::compare_exchange, "try_lock");
         if (mine) {
             a = not_at_once(r, put);
         }
         return mine;
     },
     run_mutex_of_two,
     {"require", "race"}},
    {"mutex L1",
     "lock_not_acquired",
     [](request& r, reply&) { return unacquired(r, is(r, action::compare_exchange, "try_lock")); },
     run_mutex_of_two,
     {"race"},
     memory_order_of::rc11},
    {"mutex L2",
     "who_sleeps_does_not_say_so",
     [](request& r, reply&) {
         r.operand = is(r, action::exchange, "wait") ? 1 : r.operand;
         r.expected = is(r, action::futex_wait, "wait") ? 1 : r.expected;
         return false;
     },
     run_mutex_of_two,
     {"deadlock"}},
    {"mutex L2",
     "who_was_woken_forgets_the_others",
     [](request& r, reply& a) {
         // Closes an open lock as one that nobody waits for; else as it should.
         if (is(r, action::exchange, "wait")) {
             request first = r;
             first.what = action::compare_exchange;
             first.expected = 0;
             first.operand = 1;
             a = perform(first);
             return a.value == 0;
         }
         return false;
     },
     run_mutex,
     {"deadlock"}},
    {"mutex L2",
     "lock_not_acquired_after_a_wait",
     [](request& r, reply&) { return unacquired(r, is(r, action::exchange, "wait")); },
     run_mutex_of_two,
     {"race"},
     memory_order_of::rc11},
    {"mutex L3",
     "nobody_woken",
     [](request& r, reply&) { return is(r, action::futex_wake, "unlock"); },
     run_mutex_of_two,
     {"deadlock"}},
    {"mutex L3",
     "lock_opened_by_a_store",
     [](request& r, reply&) { return by_a_store(r, action::exchange, "unlock"); },
     run_mutex_of_two,
     {"deadlock"}},

    {"mutex L3",
     "lock_not_released",
     [](request& r, reply&) { return unreleased(r, is(r, action::exchange, "unlock")); },
     run_mutex_of_two,
     {"race"},
     memory_order_of::rc11},
    {"condition C1",
     "turn_read_after_the_lock_is_open",
     [](request& r, reply&) { return is(r, action::futex_wait, "wait") && touches(r, "turn") && sleep_on_anything(r); },
     run_condition,
     {"deadlock"}},
    {"condition C2",
     "turn_not_moved",
     [](request& r, reply&) { return is(r, action::add, "notify"); },
     run_condition,
     {"deadlock"}},
    {"condition C2",
     "waiter_not_woken",
     [](request& r, reply&) { return is(r, action::futex_wake, "notify"); },
     run_condition,
     {"deadlock"}},

    {"shared fence U1",
     "asked_for_by_a_load",
     [](request& r, reply&) {
         r.what = is(r, action::add, "pass") ? action::load : r.what;
         return false;
     },
     run_fence,
     {"require"}},
    {"shared fence U1",
     "the_one_under_way_is_good_enough",
     [](request& r, reply& a) {
         const bool mine = is(r, action::add, "pass");
         if (mine) {
             a = {perform(r).value & ~1U, true};
         }
         return mine;
     },
     run_fence,
     {"require"}},
    {"shared fence U1",
     "asker_not_released",
     [](request& r, reply&) { return unreleased(r, is(r, action::add, "pass")); },
     run_fence,
     {"require"},
     memory_order_of::rc11},
    {"shared fence U2",
     "no_heavy_fence",
     [](request& r, reply&) {
         return is(r, action::heavy_fence, "heavy_fence") || is(r, action::heavy_fence_end, "heavy_fence");
     },
     run_fence,
     {"require"}},
    {"shared fence U2",
     "askers_not_acquired",
     [](request& r, reply&) { return unacquired(r, is(r, action::compare_exchange, "pass")); },
     run_fence,
     {},
     memory_order_of::rc11,
     "who has asked passes the heavy fence, too, and so has shown what it did before"},
    {"shared fence U3",
     "a_refused_one_counted",
     [](request& r, reply&) {
         r.operand = is(r, action::exchange, "pass") && r.operand == 0 ? 2 : r.operand;
         return false;
     },
     run_refused,
     {"require"}},
    {"shared fence U3",
     "ended_by_a_store",
     [](request& r, reply&) { return by_a_store(r, action::exchange, "pass"); },
     run_fence_of_three,
     {"require"},
     memory_order_of::rc11},
    {"shared fence U3",
     "fence_not_released",
     [](request& r, reply&) { return unreleased(r, is(r, action::exchange, "pass")); },
     run_fence,
     {},
     memory_order_of::rc11,
     "the heavy fence before it releases as much"},
    {"shared fence U4",
     "fence_not_acquired",
     [](request& r, reply&) { return unacquired(r, is(r, action::load, "pass")); },
     run_fence,
     {"require"},
     memory_order_of::rc11},

    {"event count E1",
     "sleep_announced_after_the_second_look",
     [](request& r, reply&) {
         if (is(r, action::load, "wait")) {
             request late = r;
             late.what = action::exchange;
             late.operand = 1;
             perform(late);
         }
         return is(r, action::store, "prepare");
     },
     run_event,
     {"deadlock"}},
    {"event count E1",
     "fence_missing_in_prepare",
     [](request& r, reply&) { return is(r, action::full_fence, "prepare"); },
     run_event,
     {"deadlock"}},
    {"event count E2",
     "sleeps_without_a_last_look",
     [](request& r, reply&) { return is(r, action::futex_wait, "wait") && sleep_on_anything(r); },
     run_event,
     {"deadlock"}},
    {"event count E3",
     "fence_missing_before_the_look",
     [](request& r, reply&) { return is(r, action::full_fence, "lone_waker"); },
     run_event,
     {"deadlock"}},
    {"event count E3",
     "sleeper_not_woken",
     [](request& r, reply&) { return is(r, action::futex_wake, "end_wait"); },
     run_event,
     {"deadlock"}},
    {"event count E3",
     "sleep_ended_by_a_load_and_a_store",
     [](request& r, reply& a) {
         const bool mine = is(r, action::compare_exchange, "end_wait");
         if (mine) {
             a = not_at_once(r, put);
         }
         return mine;
     },
     run_called,
     {"require"}},

    {"event count E5",
     "delivery_wakes_nobody",
     [](request& r, reply&) { return is(r, action::futex_wake, "deliver"); },
     run_leaving,
     {"deadlock"}},
    {"event count E5",
     "delivery_by_a_load_and_a_store",
     [](request& r, reply& a) { return parted(r, a, is(r, action::bit_or, "deliver"), with_bits); },
     run_leaving,
     {"deadlock"}},
    {"event count E5",
     "delivery_not_released",
     [](request& r, reply&) { return unreleased(r, is(r, action::bit_or, "deliver")); },
     run_leaving,
     {"race"},
     memory_order_of::rc11},
    {"event count E6",
     "sleeper_goes_before_the_delivery",
     [](request& r, reply& a) {
         a.value = 8;
         return is(r, action::load, "await_delivery");
     },
     run_leaving,
     {"use after free", "race"}},
    {"event count E6",
     "awaited_by_a_load_and_a_store",
     [](request& r, reply& a) { return parted(r, a, is(r, action::bit_or, "await_delivery"), with_bits); },
     run_leaving,
     {"deadlock"}},
    {"event count E6",
     "awaited_without_a_last_look",
     [](request& r, reply&) { return is(r, action::futex_wait, "await_delivery") && sleep_on_anything(r); },
     run_leaving,
     {"deadlock"}},
    {"event count E6",
     "announcement_taken_back_by_an_exchange",
     [](request& r, reply&) {
         r.what = is(r, action::compare_exchange, "cancel") ? action::exchange : r.what;
         return false;
     },
     run_leaving_in_time,
     {"deadlock"}},
    {"event count E6",
     "delivery_not_acquired",
     [](request& r, reply&) { return unacquired(r, is(r, action::load, "await_delivery")); },
     run_leaving,
     {"race"},
     memory_order_of::rc11},

    {"join word J1",
     "thief_ends_by_a_store",
     [](request& r, reply&) { return by_a_store(r, action::exchange, "finish"); },
     run_join,
     {"deadlock"}},
    {"join word J1",
     "joiner_not_told",
     [](request& r, reply& a) {
         if (!is(r, action::exchange, "finish")) {
             return false;
         }
         perform(r);
         a.value = 0;
         return true;
     },
     run_join,
     {"deadlock"}},
    {"join word J1",
     "end_not_released",
     [](request& r, reply&) { return unreleased(r, is(r, action::exchange, "finish")); },
     run_join,
     {"race"},
     memory_order_of::rc11},
    {"join word J2",
     "done_before_the_thief_has_ended",
     [](request& r, reply& a) {
         a.value = 2;
         return is(r, action::load, "done");
     },
     run_join,
     {"require", "race", "use after free"}},
    {"join word J2",
     "end_not_acquired",
     [](request& r, reply&) { return unacquired(r, is(r, action::load, "done")); },
     run_join,
     {"race"},
     memory_order_of::rc11},
    {"join word J3",
     "joiner_announces_by_a_store",
     [](request& r, reply&) { return by_a_store(r, action::compare_exchange, "try_wait"); },
     run_join,
     {"deadlock", "use after free"}},
    {"join word J3",
     "wish_taken_back_by_a_store",
     [](request& r, reply&) { return by_a_store(r, action::compare_exchange, "stop_waiting"); },
     run_taken_back,
     {"deadlock", "use after free"}},

    {"latch L1",
     "not_counted_down_at_once",
     [](request& r, reply& a) {
         const bool mine = is(r, action::add, "arrive");
         if (mine) {
             a = not_at_once(r, sum);
         }
         return mine;
     },
     run_latch,
     {"deadlock", "use after free", "require"}},
    {"latch L1",
     "done_when_the_count_says_so",
     [](request& r, reply& a) {
         if (!is(r, action::load, "done")) {
             return false;
         }
         request count = r;
         count.address = engine::instance().place_of("latch");
         a.value = 2;
         return perform(count).value == 0;
     },
     run_latch,
     {"use after free", "wild access"}},
    {"latch L1",
     "count_not_released",
     [](request& r, reply&) { return unreleased(r, is(r, action::add, "arrive")); },
     run_latch,
     {"race"},
     memory_order_of::rc11},
    {"latch L2",
     "alone_while_a_task_runs",
     [](request& r, reply& a) {
         a.value = 1;
         return is(r, action::load, "alone");
     },
     run_lonely,
     {"require", "race"}},
    {"latch L2",
     "others_not_acquired",
     [](request& r, reply&) { return unacquired(r, is(r, action::load, "alone")); },
     run_lonely,
     {"race"},
     memory_order_of::rc11},
};

class sync_fault : public testing::TestWithParam<seeded> {};
TEST_P(sync_fault, is_found) { expect_found(GetParam()); }
INSTANTIATE_TEST_SUITE_P(seeded, sync_fault, testing::ValuesIn(all), name_of_case);

} // namespace

} // namespace skerry::model
