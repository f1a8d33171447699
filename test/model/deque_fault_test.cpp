// SPDX-License-Identifier: Apache-2.0

// Faults seeded into the deque, by the steps of src/sync/README.md.

#include "deque_world.hpp"
#include "seeded.hpp"

namespace skerry::model {

namespace {

template <class World>
constexpr auto one_thief = run_world<World, &World::owner, &World::first_thief>;

using only = forks<1, true>;
using steals = forks<2, true>;
using grows = forks<3, true, steal_protocol::asymmetric, 2>;
using fills = forks<3, true, steal_protocol::asymmetric, 2, machine, 2>; // there is room for two, and no more
using row = rows<2, true>;
using long_row = rows<3, true, 0, steal_protocol::asymmetric, 2, machine, 2>; // there is room for two, and no more
using loose = loose_above<steal_protocol::asymmetric>;
using taken = taken_out<steal_protocol::asymmetric>;
constexpr auto run_only = one_thief<only>;
constexpr auto run_steals = one_thief<steals>;
constexpr auto run_grows = one_thief<grows>;
constexpr auto run_fills = one_thief<fills>;
constexpr auto run_again = one_thief<rounds>;
constexpr auto run_row = one_thief<row>;
constexpr auto run_long_row = one_thief<long_row>;
constexpr auto run_loose = one_thief<loose>;
constexpr auto run_withdraws = run_world<taken, &taken::owner_withdraws, &taken::thief_steals>;
constexpr auto run_takes_newest = run_world<taken, &taken::owner_takes_newest, &taken::thief_steals>;
constexpr auto run_extracts = run_world<taken, &taken::owner_waits, &taken::thief_extracts>;
constexpr auto run_waits = one_thief<loose_wait<steal_protocol::asymmetric, 4>>;
constexpr auto run_called_off = one_thief<called_off<2>>;
constexpr auto run_locked = one_thief<forks<2, true, steal_protocol::locked>>;

result run_without_memory(const options& o) {
    options without = o;
    without.out_of_memory = true;
    return run_grows(without);
}

constexpr std::uint64_t slot_size = 8;
constexpr std::uint64_t far_above = ~std::uint64_t{7};

// A word of the deque itself, not of its owner's page and no slot.
bool behind_the_door(const request& r) {
    return r.address - engine::instance().place_of("deque") < sizeof(only::deque);
}

// In a world whose deque has not moved and in which nothing has been taken: whether the thread that asks sees something
// shared, which in seize() says that it has announced its split.
bool anything_shared() { return seen("split") > only::first_slot; }

const seeded all[] = {
    {"deque P1",
     "slot_not_stored",
     [](request& r, reply&) { return is(r, action::store, "push_at") && !touches(r, "bottom"); },
     run_steals,
     {"crash"}},
    {"deque P1",
     "slot_stored_after_bottom",
     [](request& r, reply&) {
         if (is(r, action::store, "push_at") && !touches(r, "bottom")) {
             request bottom = r;
             bottom.operand = r.address + slot_size;
             bottom.address = engine::instance().place_of("bottom");
             perform(bottom);
         }
         return false;
     },
     run_steals,
     {"crash"}},
    {"deque P2",
     "bottom_not_released_in_push",
     [](request& r, reply&) { return unreleased(r, r.in("push_at")); },
     run_steals,
     {"crash"},
     memory_order_of::partial},
    {"deque P3",
     "a_full_deque_not_seen",
     [](request& r, reply& a) {
         a.value = far_above;
         return is(r, action::load, "push_at") && touches(r, "limit");
     },
     run_fills,
     {"wild access", "use after free", "require"}},
    {"deque P0",
     "a_row_pushed_where_there_is_no_room",
     [](request& r, reply& a) {
         a.value = far_above;
         return is(r, action::load, "has_room");
     },
     run_long_row,
     {"wild access", "use after free", "require"}},
    {"deque P1",
     "a_slot_of_a_row_not_stored",
     [](request& r, reply&) { return is(r, action::store, "push_all") && r.address == row::first_slot; },
     run_row,
     {"crash"}},
    {"deque P2",
     "bottom_not_released_behind_a_row",
     [](request& r, reply&) { return unreleased(r, r.in("push_all")); },
     run_row,
     {"crash"},
     memory_order_of::partial},
    {"deque O1",
     "bottom_not_lowered_in_pop",
     [](request& r, reply&) { return is(r, action::store, "pop_to"); },
     run_waits,
     {"require"}},
    {"deque O1",
     "bottom_not_lowered_behind_a_leaf",
     [](request& r, reply&) { return is(r, action::store, "pop_to"); },
     run_row,
     {"fatal"}},
    {"deque O2",
     "light_fence_missing_behind_a_leaf",
     [](request& r, reply&) { return is(r, action::light_fence, "pop_to"); },
     run_row,
     {"require"}},
    {"deque O2",
     "split_not_looked_at_behind_a_leaf",
     [](request& r, reply& a) {
         a.value = 0;
         return is(r, action::load, "pop_to") && touches(r, "split");
     },
     run_row,
     {"require"}},
    {"deque O1",
     "bottom_not_lowered_in_pop_at",
     [](request& r, reply&) { return is(r, action::store, "pop_at"); },
     run_steals,
     {"not as known"}},
    {"deque O1",
     "bottom_one_slot_too_high_behind_a_certain_pop",
     [](request& r, reply&) {
         r.operand += is(r, action::store, "pop_at") ? slot_size : 0;
         return false;
     },
     run_grows,
     {"not as known"}},
    {"deque O1",
     "bottom_not_lowered_in_pop_at_in_c_plus_plus",
     [](request& r, reply&) { return is(r, action::store, "pop_at"); },
     run_steals,
     {"not as known"},
     memory_order_of::rc11},
    {"deque O1",
     "bottom_lowered_after_the_look_at_split",
     [](request& r, reply& a) {
         if (is(r, action::store, "pop_at")) {
             return true;
         }
         if (!is(r, action::load, "pop_at") || !touches(r, "split")) {
             return false;
         }
         a = perform(r);
         r.what = action::store;
         r.operand = seen("bottom") - slot_size;
         r.address = engine::instance().place_of("bottom");
         perform(r);
         return true;
     },
     run_only,
     {"require"}},
    {"deque O2",
     "light_fence_missing_in_pop",
     [](request& r, reply&) { return is(r, action::light_fence, "pop_to") || is(r, action::light_fence, "pop_at"); },
     run_steals,
     {"require"}},
    {"deque O2",
     "split_not_looked_at_in_pop",
     [](request& r, reply& a) {
         a.value = 0;
         return (is(r, action::load, "pop_to") || is(r, action::load, "pop_at")) && touches(r, "split");
     },
     run_only,
     {"require"}},
    {"deque settle",
     "loose_tasks_above_not_put_back",
     [](request& r, reply& a) {
         a.value = 0;
         return is(r, action::load, "newest_end") && !touches(r, "bottom");
     },
     run_loose,
     {"require"}},
    {"deque settle",
     "split_not_retracted_in_settle",
     [](request& r, reply&) { return is(r, action::store, "move_split"); },
     run_grows,
     {"require", "use after free", "wild access", "fatal"}},
    {"deque settle",
     "owner_does_not_see_that_all_is_stolen",
     [](request& r, reply& a) {
         a.value = 0;
         return is(r, action::load, "settle") && behind_the_door(r);
     },
     run_only,
     {"require"}},
    {"deque settle",
     "deque_not_slid_back_to_a_stolen_task",
     [](request& r, reply&) { return is(r, action::store, "settle") && behind_the_door(r); },
     run_again,
     {"require"}},
    {"deque share",
     "shared_beside_a_thief_at_the_gate",
     [](request& r, reply& a) {
         a = {r.expected, true};
         return engine::instance().thread() == 0 && is(r, action::compare_exchange, "try_enter") &&
                seen("bottom") > only::first_slot;
     },
     run_only,
     {"require"}},
    {"deque share",
     "more_shared_than_there_is",
     [](request& r, reply&) {
         if (is(r, action::store, "move_split") && touches(r, "split") && r.operand == seen("bottom")) {
             r.operand += slot_size;
         }
         return false;
     },
     run_again,
     {"require", "fatal"}},
    {"deque steal",
     "a_private_task_taken",
     [](request& r, reply& a) {
         a.value = seen("bottom");
         return is(r, action::load, "shared_end");
     },
     run_steals,
     {"require"}},
    {"deque steal",
     "top_not_moved_by_the_thief",
     [](request& r, reply&) { return is(r, action::store, "steal"); },
     run_steals,
     {"require"}},
    {"deque S1",
     "split_not_announced_in_seize",
     [](request& r, reply&) { return is(r, action::store, "seize_to"); },
     run_steals,
     {"require"}},
    {"deque S1",
     "split_announced_after_the_fence",
     [](request& r, reply&) {
         if (is(r, action::store, "seize_to") && touches(r, "split") && !anything_shared()) {
             request fence;
             fence.what = action::heavy_fence;
             perform(fence);
             fence.what = action::heavy_fence_end;
             perform(fence);
         }
         return is(r, action::heavy_fence, "seize_to") || is(r, action::heavy_fence_end, "seize_to");
     },
     run_only,
     {"require"}},
    {"deque S2",
     "heavy_fence_missing_in_seize",
     [](request& r, reply&) {
         return is(r, action::heavy_fence, "seize_to") || is(r, action::heavy_fence_end, "seize_to");
     },
     run_steals,
     {"require"}},
    {"deque S3",
     "bottom_not_read_again_in_seize",
     [](request& r, reply& a) {
         a.value = far_above;
         return is(r, action::load, "seize_to") && anything_shared();
     },
     run_only,
     {"require"}},
    {"deque S4",
     "announced_split_kept",
     [](request& r, reply&) { return is(r, action::store, "seize_to") && touches(r, "split") && anything_shared(); },
     run_again,
     {"require"}},
    {"deque loose",
     "a_loose_task_not_shared",
     [](request& r, reply&) { return is(r, action::store, "move_split") && touches(r, "split"); },
     run_loose,
     {"require"}},
    {"deque take out",
     "no_hole_left",
     [](request& r, reply&) { return is(r, action::store, "take_out") && !behind_the_door(r); },
     run_extracts,
     {"require"}},
    {"deque take out",
     "top_not_moved_past_what_was_taken_out",
     [](request& r, reply&) { return is(r, action::store, "take_out") && behind_the_door(r); },
     run_withdraws,
     {"require"}},
    {"deque take out",
     "the_newest_taken_out_and_left_there",
     [](request& r, reply&) { return is(r, action::store, "remove") && touches(r, "bottom"); },
     run_takes_newest,
     {"require"}},
    {"deque grow",
     "a_push_without_memory_not_undone",
     [](request& r, reply&) { return is(r, action::store, "attend") && touches(r, "bottom"); },
     run_without_memory,
     {"require", "wild access", "use after free", "fatal"}},
    {"deque settle",
     "a_popped_task_left_to_thieves_under_locks",
     [](request& r, reply&) { return is(r, action::store, "move_split") && r.operand <= only::first_slot; },
     run_locked,
     {"require"}},
    {"stop T1",
     "no_fence_before_the_rings",
     [](request& r, reply&) { return is(r, action::full_fence, "first_thief"); },
     run_called_off,
     {"require"}},
    {"stop T2",
     "an_owner_does_not_look",
     [](request& r, reply& a) {
         a.value = 0;
         return is(r, action::load, "asked");
     },
     run_called_off,
     {"require"}},
    {"stop T3",
     "a_page_not_rung",
     [](request& r, reply&) { return is(r, action::store, "ring") && engine::instance().thread() == 1; },
     run_called_off,
     {"require"}},
    {"stop T4",
     "no_fence_behind_the_rings",
     [](request& r, reply&) {
         return is(r, action::heavy_fence, "fence_behind_the_rings") ||
                is(r, action::heavy_fence_end, "fence_behind_the_rings");
     },
     run_called_off,
     {"require"}},
    {"stop T5",
     "what_is_pushed_is_not_exposed",
     [](request& r, reply&) { return is(r, action::store, "seize_to"); },
     run_called_off,
     {"require"}},
    {"stop T6",
     "an_owner_that_stops_is_not_rung_again",
     [](request& r, reply&) { return is(r, action::store, "ring") && engine::instance().thread() == 0; },
     run_called_off,
     {"require"}},
    {"stop T8",
     "what_lies_below_is_private_again",
     [](request& r, reply&) { return is(r, action::store, "move_split") && r.operand == only::first_slot + slot_size; },
     run_called_off,
     {"require"}},
};

class deque_fault : public testing::TestWithParam<seeded> {};
TEST_P(deque_fault, is_found) { expect_found(GetParam()); }
INSTANTIATE_TEST_SUITE_P(seeded, deque_fault, testing::ValuesIn(all), name_of_case);

} // namespace

} // namespace skerry::model
