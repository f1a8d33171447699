// SPDX-License-Identifier: Apache-2.0

// The slots of a team: threads from outside take and leave them while others look for work there; and the end of a
// team. With the faults, by the steps of src/sched/README.md.

#include <cstddef>
#include <memory>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "expect.hpp"
#include "sched/ending.hpp"
#include "sched_world.hpp"
#include "seeded.hpp"

namespace skerry::model {

namespace {

using detail::steal_protocol;

// Three threads from outside come and go, and not all find a slot. Whoever has one is alone there.
template <unsigned Slots>
struct coming_and_going {
    coming_and_going() {
        label(crew, "team");
        for (std::size_t i = 0; i < Slots; ++i) {
            label(inside[i], "inside" + std::to_string(i));
        }
    }
    void visit(detail::worker* hint) {
        detail::worker* const slot = crew.take_slot(hint);
        if (slot == nullptr) {
            reached("refused");
            return;
        }
        reached(slot == hint ? "the same again" : slot->slot == 0 ? "the first" : "another");
        require(&crew.slot(slot->slot) == slot, "a slot is not where its number says");
        plain<int>& here = inside[slot->slot];
        require(here.get() == 0, "two have one slot");
        here.set(1);
        here.set(0);
        crew.free_slot(*slot);
    }
    void visitor() { visit(nullptr); }
    void guest_with_a_hint() { visit(known); }
    void finally() {
        require(crew.slots() <= Slots, "there are more slots than may be");
        for (unsigned i = 0; i < crew.slots(); ++i) {
            require(!crew.slot(i).taken.load(memory_order::acquire), "a slot was left and is taken");
        }
    }

    detail::team crew{{.workers = 1, .max_slots = Slots, .places = nullptr}};
    std::array<plain<int>, Slots> inside;
    detail::worker* known = nullptr;
};

// The same, where one had a slot before.
template <unsigned Slots>
struct coming_back : coming_and_going<Slots> {
    coming_back() {
        this->known = this->crew.take_slot(nullptr);
        this->crew.free_slot(*this->known);
    }
};

// A thread from outside comes while the only worker searches or sleeps, and forks what the worker must take: from a
// slot that was not there when the worker fell asleep.
template <steal_protocol Protocol>
struct newcomer : sched_world {
    newcomer() : sched_world(1, Protocol, 0) {
        workers_.reserve(2);
        label(begun, "begun");
    }
    void worker() { background(0); }
    void visitor() {
        detail::worker* const mine = team_.take_slot(nullptr);
        label(*mine, "newcomer");
        workers_.push_back(mine);
        fork(
            *mine, [this] { wait_for(begun, 1); },
            [](sched_world& w, detail::worker&) { raise(static_cast<newcomer&>(w).begun); });
        team_.free_slot(*mine);
        team_.stop();
    }
    machine::atomic<int> begun{0};
};

// Two threads from outside have one slot after the other, and leave tasks there while a worker looks: each is run once.
template <steal_protocol Protocol>
struct succession : sched_world {
    succession()
        : sched_world(1, Protocol, 0),
          pending(new detail::latch<detail::machine>),
          ctx(&team_.root(), &*pending) {
        detail::worker* const for_both = team_.take_slot(nullptr);
        while (detail::worker* const other_slot = team_.take_slot(nullptr)) {
            workers_.push_back(other_slot);
        }
        team_.free_slot(*for_both);
        pending->add();
    }

    void worker() { background(0); }
    void first() { visit(1, one); }
    void second() { visit(2, other); }
    void visit(unsigned thread, async_task& task) {
        detail::worker* mine = nullptr;
        while ((mine = team_.take_slot(nullptr)) == nullptr) { // one holds it, and will go
            machine::pause();
        }
        require(mine->slot == 1, "there is one slot for both");
        workers_[thread] = mine;
        async(*mine, ctx, *pending, task);
        detail::leave_slot(*mine);
        if (gone.fetch_add(1, memory_order::acq_rel) == 1) {
            wait_for(ran, 2);
            team_.stop();
        }
    }
    void finally() { require(runs == 2, "a task is lost or was run twice"); }

    static void note(sched_world& w, detail::worker& by) {
        auto& me = static_cast<succession&>(w);
        reached(by.slot == 0 ? "taken by the worker" : "run by who left it");
        ++me.runs;
        raise(me.ran);
    }
    std::unique_ptr<detail::latch<detail::machine>> pending;
    const detail::context ctx;
    machine::atomic<int> gone{0};
    machine::atomic<int> ran{0};
    int runs = 0;
    async_task one{*this, &note};
    async_task other{*this, &note};
};

// A team ends while its workers search or sleep.
template <steal_protocol Protocol>
struct ending : sched_world {
    ending() : sched_world(2, Protocol, 0) {}
    void first() { background(0); }
    void second() { background(1); }
    void stopper() { team_.stop(); }
};

// Also under the memory of C++, in which each reads one of the `newest` stores of a place; 0: any.
template <class World, auto... Threads>
void expect_well_everywhere(const std::set<std::string>& goals, std::uint8_t newest = 0) {
    expect_well<World, Threads...>(goals);
    expect_well<World, Threads...>(goals, {.memory = memory_order_of::rc11, .newest = newest});
}

TEST(slots, three_threads_and_one_slot) {
    using w = coming_and_going<1>;
    expect_well_everywhere<w, &w::visitor, &w::visitor, &w::visitor>({"the first", "refused"});
}
TEST(slots, three_threads_and_two_slots) {
    using w = coming_and_going<2>;
    const std::set<std::string> goals = {"the first", "another", "refused"};
    expect_well_everywhere<w, &w::visitor, &w::visitor, &w::visitor>(goals);
    expect_well<w, &w::visitor, &w::visitor, &w::visitor>(goals, {.memory = memory_order_of::partial});
}
TEST(slots, one_comes_back) {
    using w = coming_back<2>;
    expect_well_everywhere<w, &w::guest_with_a_hint, &w::visitor, &w::visitor>(
        {"the first", "the same again", "another", "refused"});
}
TEST(slots, a_newcomers_task_reaches_a_worker) {
    using w = newcomer<steal_protocol::asymmetric>;
    expect_well_everywhere<w, &w::worker, &w::visitor>({"attend", "stolen"}, 2);
}
TEST(slots, a_newcomers_task_reaches_a_worker_under_locks) {
    using w = newcomer<steal_protocol::locked>;
    expect_well_everywhere<w, &w::worker, &w::visitor>({"attend", "stolen"}, 2);
}
TEST(slots, a_slot_is_left_while_a_worker_looks) {
    using w = succession<steal_protocol::locked>;
    expect_well<w, &w::worker, &w::first, &w::second>({"run by who left it", "taken by the worker"},
                                                      {.memory = memory_order_of::sequential});
}
TEST(slots, a_team_ends_while_workers_search_or_sleep) {
    using w = ending<steal_protocol::asymmetric>;
    expect_well_everywhere<w, &w::first, &w::second, &w::stopper>({});
}
TEST(slots, a_team_ends_while_workers_search_or_sleep_under_locks) {
    using w = ending<steal_protocol::locked>;
    expect_well_everywhere<w, &w::first, &w::second, &w::stopper>({});
}

// --- faults ---------------------------------------------------------------------------------------------------------

using comes = coming_and_going<2>;
using alone = coming_and_going<1>;
using comes_new = newcomer<steal_protocol::asymmetric>;
constexpr auto run_comes = run_world<comes, &comes::visitor, &comes::visitor, &comes::visitor>;
constexpr auto run_three = run_world<alone, &alone::visitor, &alone::visitor, &alone::visitor>;
constexpr auto run_alone = run_world<alone, &alone::visitor, &alone::visitor>;
constexpr auto run_comes_new = run_world<comes_new, &comes_new::worker, &comes_new::visitor>;

const seeded all[] = {
    {"slots K1",
     "a_slot_taken_by_a_load_and_a_store",
     [](request& r, reply& answer) {
         const bool mine = r.what == action::exchange && r.size == 1;
         if (mine) {
             answer = not_at_once(r, put);
         }
         return mine;
     },
     run_three,
     {"require", "race"}},
    {"slots K2",
     "a_slot_left_before_what_was_done_there",
     [](request& r, reply&) { return unreleased(r, r.in("free_slot")); },
     run_alone,
     {"require", "race"},
     memory_order_of::partial},
    {"slots K2",
     "a_slot_not_left",
     [](request& r, reply&) { return is(r, action::store, "free_slot"); },
     run_alone,
     {"require"}},
    {"slots K3",
     "a_new_page_not_rung",
     [](request& r, reply&) { return is(r, action::store, "ring") && engine::instance().thread() == 1; },
     run_comes_new,
     {"no end", "deadlock"}},
    {"slots K3",
     "a_slot_made_without_the_lock",
     [](request& r, reply& answer) {
         answer = {r.expected, true};
         return is(r, action::compare_exchange, "try_lock") && engine::instance().thread() == 1;
     },
     run_alone,
     {"require", "race", "leak"}},
    {"slots K4",
     "a_slot_counted_before_it_is_in_the_table",
     [](request& r, reply&) { return unreleased(r, is(r, action::store, "add_slot") && r.size == sizeof(unsigned)); },
     run_comes,
     {"require", "race", "crash", "wild access"},
     memory_order_of::partial},
    {"slots K4",
     "a_slot_not_counted",
     [](request& r, reply&) {
         return is(r, action::store, "add_slot") && r.size == sizeof(unsigned) && r.operand == 1;
     },
     run_alone,
     {"require", "race", "leak"}},
    {"slots K5",
     "the_count_not_acquired",
     [](request& r, reply&) { return unacquired(r, is(r, action::load, "slots")); },
     run_comes,
     {"require", "race", "crash", "wild access"},
     memory_order_of::rc11},
    {"slots K5",
     "a_place_in_the_table_not_acquired",
     [](request& r, reply&) { return unacquired(r, is(r, action::load, "slot")); },
     run_comes,
     {},
     memory_order_of::rc11,
     "it is read behind the count, which has acquired it and all that was put there"},
};

class slots_fault : public testing::TestWithParam<seeded> {};
TEST_P(slots_fault, is_found) { expect_found(GetParam()); }
INSTANTIATE_TEST_SUITE_P(seeded, slots_fault, testing::ValuesIn(all), name_of_case);

} // namespace

} // namespace skerry::model
