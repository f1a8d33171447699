// SPDX-License-Identifier: Apache-2.0

// Faults seeded into the team's sleep and its queue, by the steps of src/sched/README.md.

#include "sched_programs.hpp"
#include "seeded.hpp"

namespace skerry::model {

namespace {

using asks = demanding<steal_protocol::asymmetric>;
using locks = demanding<steal_protocol::locked>;
using helps = leapfrogging<steal_protocol::asymmetric>;
using leaves = leaving_loose_tasks<steal_protocol::asymmetric>;
using finishes = finishing<steal_protocol::locked>;
using outside = injecting<steal_protocol::asymmetric>;
using nests = nesting<steal_protocol::locked>;
constexpr auto run_nests = run_world<nests, &nests::owner, &nests::thief>;
constexpr auto run_asks = run_world<asks, &asks::owner, &asks::thief>;
constexpr auto run_locks = run_world<locks, &locks::owner, &locks::thief>;
constexpr auto run_helps = run_world<helps, &helps::owner, &helps::thief>;
constexpr auto run_leaves = run_world<leaves, &leaves::owner, &leaves::thief>;
constexpr auto run_finishes = run_world<finishes, &finishes::owner, &finishes::thief>;
constexpr auto run_outside = run_world<outside, &outside::producer, &outside::worker>;
constexpr auto run_contested = run_world<outside, &outside::giver, &outside::chooser, &outside::withdrawer>;

// Under the memory of C++, where each may read the newest two stores of a place.
using asks_cold = demanding<steal_protocol::asymmetric, 0, false>;
using locks_cold = demanding<steal_protocol::locked, 0, false>;
template <class World>
result run_cold(const options& o) {
    options bounded = o;
    bounded.newest = 2;
    return explore<World, &World::owner, &World::thief>(bounded);
}
constexpr auto run_asks_cold = run_cold<asks_cold>;
constexpr auto run_locks_cold = run_cold<locks_cold>;

constexpr auto run_blocks = run_world<giving_back, &giving_back::owner, &giving_back::first, &giving_back::second>;

const std::set<std::string> hangs = {"no end", "deadlock"};

bool gives_back_several(const request& r) { return is(r, action::add, "arrive") && r.operand != ~std::uint64_t{0}; }

// The first load of call_sleeper(): how many sleep. The others there are of other sizes.
bool looks_for_sleepers(const request& r) { return is(r, action::load, "call_sleeper") && r.size == sizeof(unsigned); }

// Behind the gate and top on the thieves' line of a deque.
bool reads_copy_of_split(const request& r) { return r.address % detail::cache_line == 2 * sizeof(void*); }

const seeded all[] = {
    {"deque share", "a_push_not_shared_under_locks",
     [](request& r, reply&) { return is(r, action::store, "move_split"); }, run_locks, hangs},
    {"sleep Z0", "sleeper_not_counted", [](request& r, reply&) { return is(r, action::add, "sleep"); }, run_asks,
     hangs},
    {"sleep Z0", "sleeper_counted_after_the_ring",
     [](request& r, reply&) {
         if (is(r, action::add, "sleep") && r.operand == 1) {
             request ring;
             ring.what = action::store;
             ring.address = engine::instance().place_of("worker0.limit");
             ring.size = 8;
             perform(ring);
         }
         return is(r, action::store, "ring");
     },
     run_asks, hangs},
    {"asymmetric A1",
     "nobody_asked",
     [](request& r, reply&) { // who sleeps rings, too, having said so
         return is(r, action::store, "ring") && seen("worker1.sleeping", sizeof(std::uint32_t)) == 0;
     },
     run_asks,
     {},
     memory_order_of::tso,
     "who has asked and gets no answer takes by force; the ring spares the two a heavy fence"},
    {"sleep Z1", "no_ring", [](request& r, reply&) { return is(r, action::store, "ring"); }, run_asks, hangs},
    {"sleep Z2", "no_heavy_fence_after_the_ring",
     [](request& r, reply&) { return is(r, action::heavy_fence, "pass") || is(r, action::heavy_fence_end, "pass"); },
     run_asks, hangs},
    {"sleep Z3", "no_second_look_before_sleep",
     [](request& r, reply& answer) {
         answer.value = 0; // nothing has been pushed
         return is(r, action::load, "holds_any") && touches(r, "worker0.bottom");
     },
     run_asks, hangs},
    {"sleep Z3", "tasks_above_a_popped_fork_not_seen",
     [](request& r, reply& answer) {
         answer.value = 0; // nothing is shared
         return is(r, action::load, "holds_any") && reads_copy_of_split(r);
     },
     run_leaves, hangs},
    {"sleep P2", "push_not_kept_before_the_look",
     [](request& r, reply&) {
         unreleased(r, r.in("push_at"));
         return is(r, action::light_fence, "push_at");
     },
     run_asks, hangs},
    {"deque P2", "bottom_not_stored_in_push",
     [](request& r, reply&) { return is(r, action::store, "push_at") && touches(r, "worker0.bottom"); }, run_asks,
     hangs},
    {"sleep P3", "no_light_fence_in_push", [](request& r, reply&) { return is(r, action::light_fence, "push_at"); },
     run_asks, hangs},
    {"sleep P3", "a_ring_not_seen",
     [](request& r, reply& answer) {
         answer.value = ~std::uint64_t{7};
         return is(r, action::load, "push_at") && touches(r, "worker0.limit") && seen("worker0.limit") == 0;
     },
     run_asks, hangs},
    {"sleep Z4", "no_fence_after_the_reset", [](request& r, reply&) { return is(r, action::full_fence, "attend"); },
     run_asks, hangs},
    {"sleep Z4", "ring_taken_back_after_the_look",
     [](request& r, reply& answer) {
         if (!looks_for_sleepers(r)) {
             return is(r, action::store, "attend");
         }
         answer = perform(r);
         request reset = r;
         reset.what = action::store;
         reset.address = engine::instance().place_of("worker0.limit");
         reset.operand = seen("worker0.bottom") + 8; // of two slots one is taken
         reset.size = 8;
         perform(reset);
         return true;
     },
     run_asks, hangs},
    {"sleep Z4", "nobody_woken", [](request& r, reply&) { return is(r, action::futex_wake, "end_wait"); }, run_asks,
     hangs},
    {"sleep Z4", "sleepers_not_looked_for_under_locks",
     [](request& r, reply& answer) {
         answer.value = 0;
         return looks_for_sleepers(r);
     },
     run_locks, hangs},
    {"sleep Z4", "the_push_not_before_the_look_under_locks",
     [](request& r, reply&) { return is(r, action::full_fence, "attend"); }, run_locks_cold, hangs,
     memory_order_of::rc11},
    {"sleep Z0", "not_counted_before_the_second_look_under_locks",
     [](request& r, reply&) { return is(r, action::full_fence, "sleep"); }, run_locks_cold, hangs,
     memory_order_of::rc11},
    {"sleep Z0",
     "not_ready_before_the_second_look_under_locks",
     [](request& r, reply&) { return is(r, action::full_fence, "sleep") || is(r, action::full_fence, "prepare"); },
     run_locks_cold,
     {"deadlock"},
     memory_order_of::rc11},
    {"sleep stop", "no_fence_before_who_sleeps_is_told_in_c_plus_plus",
     [](request& r, reply&) { return is(r, action::full_fence, "stop"); }, run_asks_cold, hangs, memory_order_of::rc11},
    {"sleep stop", "no_fence_before_who_sleeps_is_told",
     [](request& r, reply&) { return is(r, action::full_fence, "stop"); }, run_asks, hangs},
    {"join word J1", "sleeping_joiner_not_told_at_the_end_of_its_branch",
     [](request& r, reply& answer) {
         if (!is(r, action::exchange, "finish")) {
             return false;
         }
         perform(r);
         answer.value = 0;
         return true;
     },
     run_helps, hangs},

    {"counts C1",
     "a_batch_not_counted",
     [](request& r, reply&) { return is(r, action::add, "add") && r.operand == detail::counts_ahead::batch; },
     run_finishes,
     {"dead stack", "require"}},
    {"counts C2", "counts_kept_when_the_task_has_ended",
     [](request& r, reply&) { return engine::instance().thread() == 1 && gives_back_several(r); }, run_finishes, hangs},
    {"counts C3", "counts_kept_by_a_waiter_who_sleeps",
     [](request& r, reply&) {
         if (engine::instance().thread() == 0 && gives_back_several(r)) {
             r.operand = ~std::uint64_t{0}; // its own
         }
         return false;
     },
     run_finishes, hangs},

    {"queue Q1", "a_task_not_counted", [](request& r, reply&) { return is(r, action::add, "inject"); }, run_outside,
     hangs},
    {"queue Q2", "no_fence_after_the_task", [](request& r, reply&) { return is(r, action::full_fence, "inject"); },
     run_outside, hangs, memory_order_of::rc11},
    {"queue Q2", "sleepers_looked_for_before_the_task_is_there",
     [](request& r, reply& answer) {
         answer.value = 0;
         return is(r, action::load, "prepared") && engine::instance().thread() == 0;
     },
     run_outside, hangs},
    {"queue Q3", "no_look_at_the_queue",
     [](request& r, reply& answer) {
         answer.value = 0;
         return is(r, action::load, "take_injected");
     },
     run_outside, hangs},
    {"queue Q3",
     "taken_without_the_lock",
     [](request& r, reply& answer) {
         answer = {r.expected, true};
         return is(r, action::compare_exchange, "try_lock") && engine::instance().thread() == 1;
     },
     run_contested,
     {"require"}},
    {"queue Q4",
     "withdrawn_without_the_lock",
     [](request& r, reply& answer) {
         answer = {r.expected, true};
         return is(r, action::compare_exchange, "try_lock") && engine::instance().thread() == 2;
     },
     run_contested,
     {"require"}},

    {"contexts X1",
     "context_not_written",
     [](request& r, reply&) { return is(r, action::store, "set") && engine::instance().thread() == 0; },
     run_nests,
     {"require", "crash"}},
    {"contexts X2",
     "a_context_of_another_nesting",
     [](request& r, reply&) {
         if (is(r, action::load, "find")) {
             r.address += sizeof(void*);
         }
         return false;
     },
     run_nests,
     {"require", "crash"}},

    {"blocks A1",
     "given_back_by_a_load_and_a_store",
     [](request& r, reply& answer) {
         const bool mine = is(r, action::compare_exchange_weak, "give");
         if (mine) {
             answer = not_at_once(r, put);
         }
         return mine;
     },
     run_blocks,
     {"require"}},
    {"blocks A2",
     "fetched_by_a_load_and_a_store",
     [](request& r, reply& answer) {
         const bool mine = is(r, action::exchange, "take_over_returned");
         if (mine) {
             answer = not_at_once(r, put);
         }
         return mine;
     },
     run_blocks,
     {"require"}},
};

class sched_fault : public testing::TestWithParam<seeded> {};
TEST_P(sched_fault, is_found) { expect_found(GetParam()); }
INSTANTIATE_TEST_SUITE_P(seeded, sched_fault, testing::ValuesIn(all), name_of_case);

} // namespace

} // namespace skerry::model
