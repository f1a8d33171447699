// SPDX-License-Identifier: Apache-2.0

// Faults seeded into the deque where caches are kept by software: each publish, discard and mask left out, by the steps
// of docs/design/0008-the-steal-contract.md.

#include "interrupt_world.hpp"
#include "seeded.hpp"

namespace skerry::model {

namespace {

using detail::coherence_step;
constexpr memory_order_of caches = memory_order_of::caches;

template <class World>
constexpr auto one_thief = run_world<World, &World::owner, &World::first_thief>;
template <class World>
result interrupted(const options& o) {
    options with = o;
    with.interrupts = true;
    return one_thief<World>(with);
}

template <std::size_t Depth, std::size_t Capacity>
using locked = forks<Depth, true, steal_protocol::locked, Capacity, manycore>;
constexpr auto run_locked = one_thief<locked<2, 4>>;
constexpr auto run_locked_once = one_thief<locked<1, 4>>;
template <class World>
constexpr auto two_thieves = run_world<World, &World::owner, &World::first_thief, &World::second_thief>;
constexpr auto run_locked_twice = two_thieves<locked<1, 4>>;

// Loose tasks under a handler: pushed and taken back by the owner.
struct interrupted_loose : interrupt_world<4> {
    void owner() {
        open();
        push_loose(0);
        push_loose(1);
        drain_loose(0);
    }
    void first_thief() { ask(1); }
    void finally() { require_taken(2); }
};
struct interrupted_above : interrupt_world<4> {
    void owner() {
        open();
        task& own = tasks_[0];
        own.input.set(1);
        if (page_.push(&own)) {
            require(owner_end(deque_).attend(), "out of memory");
        }
        push_loose(1);
        if (page_.pop()) {
            run_own(own);
        } else {
            settle(own);
        }
    }
    void first_thief() {
        ask(1);
        ask(1);
    }
    void finally() { require_taken(2); }
};
struct interrupted_withdrawal : interrupt_world<4> {
    void owner() {
        open();
        push_loose(0);
        if (owner_end(deque_).withdraw(tasks_[0], 0, hole_)) {
            run_own(tasks_[0]);
        }
        drain_loose(0);
    }
    void first_thief() { ask(1); }
    void finally() { require_taken(1); }
};
struct interrupted_asking_itself : interrupt_world<4> {
    void owner() {
        open();
        push_loose(0);
        push_loose(1);
        ask_itself();
        drain_loose(0);
    }
    void first_thief() { ask(1); }
    void finally() { require_taken(2); }
};
struct interrupted_fetch : interrupt_world<4> {
    void owner() {
        open();
        push_loose(0);
        std::size_t at = 1;
        const auto any = [](const task&) { return true; };
        if (task* got = owner_end(deque_).take_below(at, any, 0, hole_)) {
            run_own(*got);
        }
        drain_loose(0);
    }
    void first_thief() { ask(1); }
    void finally() { require_taken(1); }
};

bool masks(request& r, reply&) { return r.what == action::mask || r.what == action::unmask; }

template <action What, coherence_step Step, unsigned Thread>
bool no(request& r, reply&) {
    return r.what == What && (r.operand & 0xff) == static_cast<unsigned>(Step) &&
           engine::instance().thread() == static_cast<int>(Thread);
}

const std::set<std::string> wrong = {"require"};
const std::set<std::string> unseen = {"race", "stale", "require", "crash"}; // a slot that is seen empty

const seeded all[] = {
    {"locked L1", "a_push_not_published", no<action::publish, coherence_step::gate_left, 0>, run_locked, unseen,
     caches},
    {"locked L1", "a_push_without_the_gate",
     [](request& r, reply& a) {
         a = {r.expected, true};
         return is(r, action::compare_exchange, "try_enter") && engine::instance().thread() == 0;
     },
     run_locked, unseen, caches},
    {"locked L2", "no_discard_by_the_thief", no<action::discard, coherence_step::gate_entered, 1>, run_locked, unseen,
     caches},
    {"locked L3", "top_not_moved_by_the_thief",
     [](request& r, reply&) { return is(r, action::store, "steal") && engine::instance().thread() == 1; }, run_locked,
     wrong, caches},
    {"locked L3",
     "top_kept_in_the_cache_of_the_thief",
     [](request& r, reply&) { return unreleased(r, r.in("steal")); },
     run_locked_twice,
     {},
     caches,
     "it is published before the gate opens; who reads it without the gate takes it for a hint"},
    {"locked L5", "no_discard_by_the_owner", no<action::discard, coherence_step::gate_entered, 0>, run_locked_once,
     wrong, caches},
    {"locked L5",
     "shared_kept_in_the_cache_of_the_owner",
     [](request& r, reply&) { return unreleased(r, r.in("move_split")); },
     run_locked_twice,
     {},
     caches,
     "it is published before the gate opens; who reads it without the gate takes it for a hint"},

    {"interrupt I3", "a_task_left_certain_for_its_owner",
     [](request& r, reply&) { return is(r, action::store, "steal") && touches(r, "split"); },
     interrupted<interrupted_forks<1>>, wrong, caches},
    {"interrupt I3", "top_not_moved_by_the_handler",
     [](request& r, reply&) { return is(r, action::store, "steal") && !touches(r, "split"); },
     interrupted<interrupted_forks<2, 4, true>>, wrong, caches},
    {"interrupt I7", "settled_below_a_loose_task_without_a_mask", masks, interrupted<interrupted_above>, wrong, caches},
    {"interrupt I7", "loose_tasks_pushed_and_taken_without_a_mask", masks, interrupted<interrupted_loose>, wrong,
     caches},
    {"interrupt I7", "withdrawn_without_a_mask", masks, interrupted<interrupted_withdrawal>, wrong, caches},
    {"interrupt I7", "taken_from_below_without_a_mask", masks, interrupted<interrupted_fetch>, wrong, caches},
    {"interrupt I7", "no_mask_by_who_asks_itself",
     [](request& r, reply& answer) {
         return masks(r, answer) && seen("asks itself", 1) != 0 && !engine::instance().in_handler();
     },
     interrupted<interrupted_asking_itself>, wrong, caches},
};

class manycore_fault : public testing::TestWithParam<seeded> {};
TEST_P(manycore_fault, is_found) { expect_found(GetParam()); }
INSTANTIATE_TEST_SUITE_P(seeded, manycore_fault, testing::ValuesIn(all), name_of_case);

} // namespace

} // namespace skerry::model
