// SPDX-License-Identifier: Apache-2.0

// Faults seeded into the owner's gate and the handover ring, by the steps of src/sync/README.md.

#include <skerry/detail/base/cache_line.hpp>

#include "owner_worlds.hpp"
#include "seeded.hpp"

namespace skerry::model {

namespace {

using owners = owner_gate_world<false>;
constexpr auto run_owner_gate = run_world<owners, &owners::owner, &owners::other_twice>;
using fenced = owner_gate_world<true>;
constexpr auto run_fenced = run_world<fenced, &fenced::owner, &fenced::other_twice>;
using handing_over = handover_ring_world<true>;
constexpr auto run_handover = run_world<handing_over, &handing_over::sender, &handing_over::receiver>;
using stopped = stopped_ring_world;
constexpr auto run_stopped = run_world<stopped, &stopped::sender, &stopped::receiver, &stopped::other>;

// What is read is one more than it is.
bool one_more(const request& r, reply& a, bool mine) {
    if (mine) {
        a = perform(r);
        ++a.value;
    }
    return mine;
}

// Who takes looks how much was handed over. How much was taken stands in the next line.
bool is_look_at_handed(const request& r) { return is(r, action::load, "take") && r.acquires(); }

// Whether the thread that asks has waited for its owner's gate since it began to enter.
bool has_waited() { return owners::watching::current->waited[static_cast<std::size_t>(engine::instance().thread())]; }

const seeded all[] = {
    {"owner gate E1",
     "owner_does_not_say_that_it_is_inside",
     [](request& r, reply&) { return is(r, action::store, "try_enter"); },
     run_owner_gate,
     {"require", "race"}},
    {"owner gate E1",
     "light_fence_missing_behind_the_note",
     [](request& r, reply&) { return is(r, action::light_fence, "try_enter"); },
     run_owner_gate,
     {"require", "race"}},
    {"owner gate E1",
     "full_fence_missing_behind_the_note",
     [](request& r, reply&) { return is(r, action::full_fence, "fence_inside"); },
     run_fenced,
     {"require", "race"}},
    {"owner gate E1",
     "light_fence_missing_behind_the_note_in_c_plus_plus",
     [](request& r, reply&) { return is(r, action::light_fence, "try_enter"); },
     run_owner_gate,
     {"require", "race"},
     memory_order_of::rc11},
    {"owner gate E2",
     "owner_enters_though_others_ask",
     [](request& r, reply&) { return is(r, action::load, "try_enter"); },
     run_owner_gate,
     {"require", "race"}},
    {"owner gate E2",
     "owner_is_woken_and_does_not_look_again",
     [](request& r, reply&) { return is(r, action::load, "try_enter") && has_waited(); },
     run_owner_gate,
     {"require", "race"}},
    {"owner gate E2",
     "opening_not_acquired",
     [](request& r, reply&) { return unacquired(r, is(r, action::load, "try_enter")); },
     run_owner_gate,
     {"require", "race"},
     memory_order_of::rc11},
    {"owner gate E3",
     "note_stays",
     [](request& r, reply&) { return is(r, action::store, "leave"); },
     run_owner_gate,
     {"deadlock"}},
    {"owner gate E3",
     "light_fence_missing_before_the_look",
     [](request& r, reply&) { return is(r, action::light_fence, "leave"); },
     run_owner_gate,
     {"deadlock"}},
    {"owner gate E3",
     "full_fence_missing_before_the_look",
     [](request& r, reply&) { return is(r, action::full_fence, "fence_outside"); },
     run_fenced,
     {"deadlock"}},
    {"owner gate E3",
     "who_waits_is_not_woken",
     [](request& r, reply&) { return is(r, action::futex_wake, "wake"); },
     run_owner_gate,
     {"deadlock"}},
    {"owner gate E3",
     "owner_not_released",
     [](request& r, reply&) { return unreleased(r, is(r, action::store, "leave")); },
     run_owner_gate,
     {"require", "race"},
     memory_order_of::rc11},
    {"owner gate E4",
     "owner_waits_for_others_and_does_not_say_so",
     [](request& r, reply&) {
         r.operand = is(r, action::compare_exchange, "await_open") ? 1 : r.operand;
         r.expected = is(r, action::futex_wait, "await_open") ? 1 : r.expected;
         return false;
     },
     run_owner_gate,
     {"deadlock"}},
    {"owner gate E4",
     "owner_says_that_it_waits_by_a_load_and_a_store",
     [](request& r, reply& a) { return parted(r, a, is(r, action::compare_exchange, "await_open"), put); },
     run_owner_gate,
     {"deadlock"}},
    {"owner gate E4",
     "owner_waits_for_others_without_a_last_look",
     [](request& r, reply&) { return is(r, action::futex_wait, "await_open") && sleep_on_anything(r); },
     run_owner_gate,
     {"deadlock"}},
    {"owner gate E4",
     "opening_not_acquired_before_the_owner_tries_again",
     [](request& r, reply&) {
         return unacquired(r, is(r, action::load, "await_open") || is(r, action::compare_exchange, "await_open"));
     },
     run_owner_gate,
     {},
     memory_order_of::rc11,
     "the owner enters by E2 only, which acquires"},
    {"owner gate A1",
     "nobody_asks",
     [](request& r, reply&) { return is(r, action::store, "ask"); },
     run_owner_gate,
     {"require", "race"}},
    {"owner gate A1",
     "asked_behind_the_fence",
     [](request& r, reply&) {
         if (is(r, action::store, "ask")) {
             request fence;
             fence.what = action::heavy_fence;
             perform(fence);
             fence.what = action::heavy_fence_end;
             perform(fence);
         }
         return is(r, action::heavy_fence, "other") || is(r, action::heavy_fence_end, "other");
     },
     run_owner_gate,
     {"require", "race"}},
    {"owner gate A1",
     "question_not_released",
     [](request& r, reply&) { return unreleased(r, is(r, action::store, "ask")); },
     run_owner_gate,
     {},
     memory_order_of::rc11,
     "the owner reads nothing behind a question, and the heavy fence behind it says as much"},
    {"owner gate A2",
     "heavy_fence_missing",
     [](request& r, reply&) { return is(r, action::heavy_fence, "other") || is(r, action::heavy_fence_end, "other"); },
     run_owner_gate,
     {"require", "race"}},
    {"owner gate A2",
     "heavy_fence_missing_in_c_plus_plus",
     [](request& r, reply&) { return is(r, action::heavy_fence, "other") || is(r, action::heavy_fence_end, "other"); },
     run_owner_gate,
     {"require", "race"},
     memory_order_of::rc11},
    {"owner gate A2",
     "full_fence_missing_behind_the_question",
     [](request& r, reply&) { return is(r, action::full_fence, "other"); },
     run_fenced,
     {"require", "race"}},
    {"owner gate A3",
     "who_asks_does_not_wait",
     [](request& r, reply&) { return is(r, action::load, "await"); },
     run_owner_gate,
     {"require", "race"}},
    {"owner gate A3",
     "who_asks_sleeps_without_a_last_look",
     [](request& r, reply&) { return is(r, action::futex_wait, "await") && sleep_on_anything(r); },
     run_owner_gate,
     {"deadlock"}},
    {"owner gate A3",
     "woken_by_a_signal_and_does_not_look_again",
     [](request& r, reply&) {
         return is(r, action::futex_wait, "await") || (is(r, action::load, "await") && has_waited());
     },
     run_owner_gate,
     {"require", "race"}},
    {"owner gate A3",
     "woken_by_the_owner_and_does_not_look_again",
     [](request& r, reply&) { return is(r, action::load, "await") && has_waited(); },
     run_owner_gate,
     {"require", "race"},
     memory_order_of::rc11},
    {"owner gate A3",
     "owner_not_acquired",
     [](request& r, reply&) { return unacquired(r, is(r, action::load, "await")); },
     run_owner_gate,
     {"require", "race"},
     memory_order_of::rc11},
    {"owner gate A4",
     "gate_stays_closed",
     [](request& r, reply&) { return is(r, action::exchange, "open"); },
     run_owner_gate,
     {"deadlock", "no end"}},
    {"owner gate A4",
     "opened_by_a_load_and_a_store",
     [](request& r, reply& a) { return parted(r, a, is(r, action::exchange, "open"), put); },
     run_owner_gate,
     {"deadlock"}},
    {"owner gate A4",
     "owner_is_not_woken",
     [](request& r, reply&) { return is(r, action::futex_wake, "open"); },
     run_owner_gate,
     {"deadlock"}},
    {"owner gate A4",
     "opening_not_released",
     [](request& r, reply&) { return unreleased(r, is(r, action::exchange, "open")); },
     run_owner_gate,
     {"require", "race"},
     memory_order_of::rc11},
    {"handover ring R1",
     "put_where_nothing_was_taken",
     [](request& r, reply& a) { return one_more(r, a, is(r, action::load, "put")); },
     run_handover,
     {"require", "race"}},
    {"handover ring R1",
     "giving_back_not_acquired",
     [](request& r, reply&) { return unacquired(r, is(r, action::load, "put")); },
     run_handover,
     {"race"},
     memory_order_of::rc11},
    {"handover ring R1",
     "more_was_taken",
     [](request& r, reply& a) { return one_more(r, a, is(r, action::load, "was_taken")); },
     run_handover,
     {"require", "race"}},
    {"handover ring R1",
     "what_was_taken_not_acquired",
     [](request& r, reply&) { return unacquired(r, is(r, action::load, "was_taken")); },
     run_handover,
     {"race"},
     memory_order_of::rc11},
    {"handover ring R2",
     "nothing_handed_over",
     [](request& r, reply&) { return is(r, action::store, "hand_over"); },
     run_handover,
     {"no end"}},
    {"handover ring R2",
     "one_more_handed_over_than_was_put",
     [](request& r, reply&) {
         r.operand += is(r, action::store, "hand_over") ? 1 : 0;
         return false;
     },
     run_handover,
     {"require", "race"}},
    {"handover ring R2",
     "handed_over_before_it_is_written",
     [](request& r, reply&) { return unreleased(r, is(r, action::store, "hand_over")); },
     run_handover,
     {"require", "race"},
     memory_order_of::partial},
    {"handover ring R2",
     "handing_over_not_released",
     [](request& r, reply&) { return unreleased(r, is(r, action::store, "hand_over")); },
     run_handover,
     {"race"},
     memory_order_of::rc11},
    {"handover ring R2",
     "who_stops_both_does_not_hand_over",
     [](request& r, reply&) { return is(r, action::store, "hand_over") && engine::instance().thread() == 2; },
     run_stopped,
     {"require"}},
    {"handover ring R3",
     "one_more_taken_than_was_handed_over",
     [](request& r, reply& a) { return one_more(r, a, is_look_at_handed(r)); },
     run_handover,
     {"require", "race"}},
    {"handover ring R3",
     "handing_over_not_acquired",
     [](request& r, reply&) { return unacquired(r, is_look_at_handed(r)); },
     run_handover,
     {"race"},
     memory_order_of::rc11},
    {"handover ring R4",
     "places_not_given_back",
     [](request& r, reply&) { return is(r, action::store, "take"); },
     run_handover,
     {"require", "no end"}},
    {"handover ring R4",
     "one_place_too_few_given_back",
     [](request& r, reply&) {
         r.operand -= is(r, action::store, "take") ? 1 : 0;
         return false;
     },
     run_handover,
     {"require"}},
    {"handover ring R4",
     "given_back_before_they_are_read",
     [](request& r, reply& a) {
         const bool mine = is_look_at_handed(r);
         if (mine) {
             a = perform(r);
             request early = r;
             early.what = action::store;
             early.order = to_byte(memory_order::release);
             early.address += detail::cache_line;
             early.operand = a.value;
             perform(early);
         }
         return mine;
     },
     run_handover,
     {"require", "race"}},
    {"handover ring R4",
     "given_back_before_the_answer",
     [](request& r, reply&) { return unreleased(r, is(r, action::store, "take")); },
     run_handover,
     {"require", "race"},
     memory_order_of::partial},
    {"handover ring R4",
     "giving_back_not_released",
     [](request& r, reply&) { return unreleased(r, is(r, action::store, "take")); },
     run_handover,
     {"race"},
     memory_order_of::rc11},
};

class owner_fault : public testing::TestWithParam<seeded> {};
TEST_P(owner_fault, is_found) { expect_found(GetParam()); }
INSTANTIATE_TEST_SUITE_P(seeded, owner_fault, testing::ValuesIn(all), name_of_case);

} // namespace

} // namespace skerry::model
