// SPDX-License-Identifier: Apache-2.0

// Faults seeded into the order of tasks, by the steps of src/deps/README.md.

#include "deps_world.hpp"
#include "seeded.hpp"

namespace skerry::model {

namespace {

using readers = readers_before_a_writer;
using behind = readers_behind_a_writer<>;
using branches = readers_of_two_branches;
using branch_finish = finish_in_a_branch;
using two = task_of_two_objects;
using again = names_used_again;
using fails = failing_writer;
using waits = waiting_for_children;
using on_object = waiting_for_an_object;
using graph = body_spawns;
using body_waiting = body_waits;
using late = branch_spawns<false>;
using makes_twice = branch_spawns<true>;
constexpr auto run_readers = run_world<readers, &readers::spawner, &readers::first, &readers::second>;
constexpr auto run_behind = run_world<behind, &behind::spawner, &behind::first>;
constexpr auto run_branches = run_world<branches, &branches::spawner, &branches::other_spawner, &branches::first>;
constexpr auto run_finish = run_world<branch_finish, &branch_finish::spawner, &branch_finish::finisher>;
constexpr auto run_two = run_world<two, &two::spawner, &two::first, &two::second>;
constexpr auto run_again = run_world<again, &again::spawner, &again::first, &again::second>;
constexpr auto run_fails = run_world<fails, &fails::spawner, &fails::first>;
constexpr auto run_waits = run_world<waits, &waits::parent, &waits::first, &waits::second>;
constexpr auto run_on_object = run_world<on_object, &on_object::first, &on_object::branch, &on_object::other_branch>;
constexpr auto run_graph = run_world<graph, &graph::body, &graph::runner, &graph::waiter>;
constexpr auto run_body_waits = run_world<body_waiting, &body_waiting::body, &body_waiting::runner>;
constexpr auto run_late = run_world<late, &late::body, &late::branch, &late::waiter>;
constexpr auto run_makes_twice = run_world<makes_twice, &makes_twice::body, &makes_twice::branch>;

const std::set<std::string> wrong = {"require", "race", "use after free", "wild access", "double free",
                                     "crash",   "leak"};
const std::set<std::string> hangs = {"no end", "deadlock"};

// A read-modify-write of that function as a load and a store.
bool split(request& r, reply& answer, action what, const char* function,
           std::uint64_t (*change)(const request&, std::uint64_t)) {
    const bool mine = is(r, what, function);
    if (mine) {
        answer = not_at_once(r, change);
    }
    return mine;
}
// It happens, and is answered with something else.
bool misread(request& r, reply& answer, bool mine, std::uint64_t value) {
    if (mine) {
        answer = perform(r);
        answer.value = value;
    }
    return mine;
}

constexpr std::uint64_t begun = 8;                        // stands where a group's members wait
constexpr std::uint64_t its_turn = 2;                     // in the join word of a guest
constexpr std::uint64_t vacant = ~std::uint32_t{0};       // in a group's count
constexpr std::uint64_t watched = std::uint64_t{1} << 32; // in the count of children
constexpr std::uintptr_t next_behind_count = 16;          // in a group
constexpr std::uintptr_t guests_in_scope = 32;            // and in the scope

const seeded all[] = {
    {"deps W1", "a_member_put_on_the_list_by_a_load_and_a_store",
     [](request& r, reply& answer) { return split(r, answer, action::compare_exchange_weak, "enter", put); },
     run_behind, wrong},
    {"deps W1", "a_member_put_on_the_list_tells_nothing",
     [](request& r, reply&) { return unreleased(r, is(r, action::compare_exchange_weak, "enter")); }, run_behind, wrong,
     memory_order_of::rc11},
    {"deps W1", "who_finds_the_group_begun_hears_nothing",
     [](request& r, reply&) { return unacquired(r, is(r, action::compare_exchange_weak, "enter")); }, run_behind, wrong,
     memory_order_of::rc11},
    {"deps W2", "a_list_taken_by_a_load_and_a_store",
     [](request& r, reply& answer) { return split(r, answer, action::exchange, "begin", put); }, run_behind, wrong},
    {"deps W2", "a_group_begun_and_not_marked_so",
     [](request& r, reply& answer) {
         const bool mine = is(r, action::exchange, "begin");
         if (mine) {
             r.what = action::load;
             answer = perform(r);
         }
         return mine;
     },
     run_branches, wrong},
    {"deps W2", "who_takes_the_list_hears_nothing",
     [](request& r, reply&) { return unacquired(r, is(r, action::exchange, "begin")); }, run_behind, wrong,
     memory_order_of::rc11},
    {"deps W2", "who_begins_a_group_tells_nothing",
     [](request& r, reply&) { return unreleased(r, is(r, action::exchange, "begin")); }, run_behind, wrong,
     memory_order_of::rc11},
    {"deps W3", "a_group_taken_for_begun",
     [](request& r, reply& answer) {
         answer.value = begun;
         return is(r, action::load, "place") && r.size == 8;
     },
     run_behind, wrong},
    {"deps W3", "who_joins_a_group_that_has_begun_hears_nothing",
     [](request& r, reply&) { return unacquired(r, is(r, action::load, "place") && r.size == 8); }, run_behind, wrong,
     memory_order_of::rc11},
    {"deps E1", "a_membership_ended_by_a_load_and_a_store",
     [](request& r, reply& answer) { return split(r, answer, action::add, "leave", sum); }, run_readers, wrong},
    {"deps E1", "the_last_member_does_not_begin_the_next_group",
     [](request& r, reply& answer) { return misread(r, answer, is(r, action::add, "leave"), 2); }, run_readers, wrong},
    {"deps E1", "who_leaves_a_group_tells_nothing",
     [](request& r, reply&) { return unreleased(r, is(r, action::add, "leave")); }, run_readers, wrong,
     memory_order_of::rc11},
    {"deps E1", "who_leaves_a_group_last_hears_nothing",
     [](request& r, reply&) { return unacquired(r, is(r, action::add, "leave")); }, run_readers, wrong,
     memory_order_of::rc11},
    {"deps E2", "the_next_group_not_written",
     [](request& r, reply&) { return is(r, action::store, "enter") && r.operand != begun; }, run_readers, wrong},
    {"deps E2", "the_old_group_let_go_by_a_load_and_a_store",
     [](request& r, reply& answer) { return split(r, answer, action::add, "enter", sum); }, run_readers, wrong},
    {"deps E2", "who_enters_last_does_not_begin",
     [](request& r, reply& answer) { return misread(r, answer, is(r, action::add, "enter"), 2); }, run_readers, wrong},
    {"deps E2", "who_lets_go_of_the_old_group_tells_nothing",
     [](request& r, reply&) { return unreleased(r, is(r, action::add, "enter")); }, run_readers, wrong,
     memory_order_of::rc11},
    {"deps E2", "who_finds_the_old_group_over_hears_nothing",
     [](request& r, reply&) { return unacquired(r, is(r, action::add, "enter")); }, run_readers, wrong,
     memory_order_of::rc11},
    {"deps E3", "a_group_taken_for_over",
     [](request& r, reply& answer) {
         answer.value = 1;
         return is(r, action::load, "place") && r.size == 4;
     },
     run_readers, wrong},
    {"deps E3", "a_name_used_again_before_its_group_is_over",
     [](request& r, reply& answer) {
         answer.value = 1;
         return is(r, action::load, "give_up_if_over");
     },
     run_again, wrong},
    {"deps E3", "who_uses_a_name_again_hears_nothing",
     [](request& r, reply&) { return unacquired(r, is(r, action::load, "give_up_if_over")); }, run_again, wrong,
     memory_order_of::rc11},
    {"deps E3", "who_comes_after_a_group_hears_nothing",
     [](request& r, reply&) { return unacquired(r, is(r, action::load, "place") && r.size == 4); }, run_readers, wrong,
     memory_order_of::rc11},
    {"deps V1", "the_room_given_up_before_the_next_group_is_read",
     [](request& r, reply&) {
         if (is(r, action::load, "leave")) {
             request early = r;
             early.what = action::store;
             early.address -= next_behind_count;
             early.operand = vacant;
             early.size = 4;
             perform(early);
         }
         return false;
     },
     run_behind, wrong},
    {"deps V2",
     "a_room_taken_that_is_in_use",
     [](request& r, reply& answer) {
         answer.value = vacant;
         return is(r, action::load, "place") && r.size == 4;
     },
     run_behind,
     {"no end", "require", "use after free", "leak", "wild access", "crash", "race"}},
    {"deps U1", "turns_met_at_entry_taken_off_by_a_load_and_a_store",
     [](request& r, reply& answer) { return split(r, answer, action::add, "submit", sum); }, run_two, wrong},
    {"deps U1", "who_finds_its_turns_to_come_tells_nothing",
     [](request& r, reply&) { return unreleased(r, is(r, action::add, "submit")); }, run_two, wrong,
     memory_order_of::rc11},
    {"deps U1", "who_finds_its_turns_come_hears_nothing",
     [](request& r, reply&) { return unacquired(r, is(r, action::add, "submit")); }, run_two, wrong,
     memory_order_of::rc11},
    {"deps U2", "a_turn_counted_by_a_load_and_a_store",
     [](request& r, reply& answer) { return split(r, answer, action::add, "begin", sum); }, run_two, wrong},
    {"deps U2", "ready_before_the_last_turn",
     [](request& r, reply& answer) { return misread(r, answer, is(r, action::add, "begin"), 1); }, run_two, wrong},
    {"deps U2", "a_turn_tells_nothing", [](request& r, reply&) { return unreleased(r, is(r, action::add, "begin")); },
     run_readers, wrong, memory_order_of::rc11},
    {"deps U2", "the_last_turn_hears_nothing",
     [](request& r, reply&) { return unacquired(r, is(r, action::add, "begin")); }, run_two, wrong,
     memory_order_of::rc11},
    {"deps Y1", "a_failure_not_marked", [](request& r, reply&) { return is(r, action::store, "leave_unwritten"); },
     run_fails, wrong},
    {"deps Y2", "a_failure_not_looked_for_when_a_turn_comes",
     [](request& r, reply& answer) {
         answer.value = 0;
         return is(r, action::load, "turn_came") && r.size == 1;
     },
     run_fails, wrong},
    {"deps Y2", "a_failure_not_looked_for_at_entry",
     [](request& r, reply& answer) {
         answer.value = 0;
         return is(r, action::load, "submit") && r.size == 1;
     },
     run_fails, wrong},
    {"deps N1",
     "a_child_counted_down_by_a_load_and_a_store",
     [](request& r, reply& answer) { return split(r, answer, action::compare_exchange_weak, "child_ended", put); },
     run_waits,
     {"require", "no end", "deadlock"}},
    {"deps N1", "who_waits_for_children_not_rung",
     [](request& r, reply&) { return is(r, action::futex_wake, "end_wait"); }, run_waits, hangs},
    {"deps N1", "a_scope_not_held_while_its_bells_are_rung",
     [](request& r, reply&) { // the runner counts nothing else there
         return is(r, action::add, "add") && engine::instance().thread() == 1;
     },
     run_body_waits, wrong},
    {"deps N1", "a_child_that_ends_tells_nothing",
     [](request& r, reply&) { return unreleased(r, is(r, action::compare_exchange_weak, "child_ended")); },
     run_body_waits, wrong, memory_order_of::rc11},
    {"deps N2", "no_children_seen_where_there_are",
     [](request& r, reply& answer) {
         answer.value = 0;
         return is(r, action::load, "children") && engine::instance().on_thread();
     },
     run_body_waits, wrong},
    {"deps N3", "the_count_not_marked_as_watched", [](request& r, reply&) { return is(r, action::bit_or, "arm"); },
     run_waits, hangs},
    {"deps N3", "no_second_look_at_the_count",
     [](request& r, reply& answer) {
         const bool mine = is(r, action::load, "children") && (engine::instance().look(r.address, 8) & watched) != 0;
         return misread(r, answer, mine, watched + 1);
     },
     run_waits, hangs},
    {"deps N4", "a_number_taken_and_not_counted",
     [](request& r, reply&) { return is(r, action::store, "submit") && r.size == 8; }, run_branches, wrong},
    {"deps N5", "a_number_read_before_it_is_the_next",
     [](request& r, reply& answer) {
         const bool mine = is(r, action::load, "next_number") && seen("looks", 1) != 0;
         if (mine) {
             answer = perform(r);
             ++answer.value;
         }
         return mine;
     },
     run_finish, wrong},
    {"deps N5", "a_number_read_that_was_next_before",
     [](request& r, reply& answer) {
         answer.value = 0;
         return is(r, action::load, "next_number") && seen("looks", 1) != 0;
     },
     run_finish, wrong},
    {"deps N5",
     "which_child_is_next_not_acquired",
     [](request& r, reply&) { return unacquired(r, is(r, action::load, "next_number")); },
     run_finish,
     {},
     memory_order_of::rc11,
     "a number through which nothing is read; who has spawned sees what it has stored itself, or what is newer"},
    {"deps G1", "a_guest_gone_before_its_memberships",
     [](request& r, reply& answer) {
         if (engine::instance().thread() != 1) {
             return false;
         }
         if (is(r, action::load, "done") && engine::instance().look(r.address, 8) == its_turn) {
             request early = r;
             early.what = action::add;
             early.address = engine::instance().place_of("scope") + guests_in_scope;
             early.operand = ~std::uint64_t{0};
             early.size = 4;
             perform(early);
         }
         answer.value = 1;
         return is(r, action::add, "finish");
     },
     run_on_object, wrong},
    {"deps G1", "a_guest_that_goes_tells_nothing",
     [](request& r, reply&) { return unreleased(r, is(r, action::add, "finish")); }, run_on_object, wrong,
     memory_order_of::rc11},
    {"deps G2", "names_forgotten_though_a_guest_stands_there",
     [](request& r, reply& answer) {
         answer.value = 0;
         return is(r, action::load, "tidy") && r.size == 4;
     },
     run_on_object, wrong},
    {"deps G2", "who_sees_no_guest_hears_nothing",
     [](request& r, reply&) { return unacquired(r, is(r, action::load, "tidy")); }, run_on_object, wrong,
     memory_order_of::rc11},
    {"deps C1",
     "a_scope_put_in_by_a_load_and_a_store",
     [](request& r, reply& answer) { return split(r, answer, action::compare_exchange, "of", put); },
     run_makes_twice,
     {"leak", "require", "no end", "use after free"}},
    {"deps C1", "who_makes_the_scope_tells_nothing",
     [](request& r, reply&) { return unreleased(r, is(r, action::compare_exchange, "of")); }, run_makes_twice, wrong,
     memory_order_of::rc11},
    {"deps C1", "who_comes_second_with_a_scope_hears_nothing",
     [](request& r, reply&) { return unacquired(r, is(r, action::compare_exchange, "of")); }, run_makes_twice, wrong,
     memory_order_of::rc11},
    {"deps C2",
     "the_end_of_a_body_not_told_to_who_makes_the_scope_later",
     [](request& r, reply&) { return is(r, action::compare_exchange, "body_ended"); },
     run_late,
     {"deadlock", "no end", "require"}},
    {"deps C2", "who_finds_the_scope_hears_nothing",
     [](request& r, reply&) { return unacquired(r, is(r, action::load, "existing")); }, run_makes_twice, wrong,
     memory_order_of::rc11},
    {"deps C2", "the_end_of_a_body_hears_nothing_of_its_scope",
     [](request& r, reply&) { return unacquired(r, is(r, action::compare_exchange, "body_ended")); }, run_late, wrong,
     memory_order_of::rc11},
    {"deps S1",
     "settled_by_a_load_and_a_store",
     [](request& r, reply& answer) { return split(r, answer, action::bit_or, "settle", with_bits); },
     run_graph,
     {"deadlock", "no end", "require", "use after free"}},
    {"deps S1",
     "the_end_of_a_body_not_told_to_its_scope",
     [](request& r, reply& answer) {
         answer.value = 1;
         return is(r, action::bit_or, "settle");
     },
     run_graph,
     {"deadlock", "no end", "require"}},
    {"deps S1", "who_ends_its_scope_hears_nothing",
     [](request& r, reply&) { return unacquired(r, is(r, action::bit_or, "settle")); }, run_graph, wrong,
     memory_order_of::rc11},
    {"deps D1",
     "the_last_inside_not_told_to_complete",
     [](request& r, reply&) { return is(r, action::compare_exchange, "try_wait"); },
     run_graph,
     {"deadlock", "no end", "require"}},
    {"deps D2",
     "the_last_inside_does_not_complete",
     [](request& r, reply& answer) {
         return misread(r, answer, is(r, action::exchange, "finish") && engine::instance().thread() == 1, 0);
     },
     run_graph,
     {"deadlock", "no end", "require"}},
};

class deps_fault : public testing::TestWithParam<seeded> {};
TEST_P(deps_fault, is_found) { expect_found(GetParam()); }
INSTANTIATE_TEST_SUITE_P(seeded, deps_fault, testing::ValuesIn(all), name_of_case);

} // namespace

} // namespace skerry::model
