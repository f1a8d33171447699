// SPDX-License-Identifier: Apache-2.0

// Who waits: passes a call on, leaves alone what is not its own, looks behind the door. With the faults seeded there,
// by the steps of src/sched/README.md.

#include "sched_wait_programs.hpp"
#include "seeded.hpp"

namespace skerry::model {

namespace {

using searches = called_and_gone<false>;
using waits = called_and_gone<true>;
using at_once = called_in_vain<true>;
using asleep = called_in_vain<false>;
using afterwards = forking_afterwards;
using looks = looking_only;
using deeper = nesting_too_deep<steal_protocol::locked>;
constexpr auto run_searches = run_world<searches, &searches::owner, &searches::called, &searches::sleeper>;
constexpr auto run_waits = run_world<waits, &waits::owner, &waits::called, &waits::sleeper>;
constexpr auto run_at_once = run_world<at_once, &at_once::first, &at_once::second, &at_once::producer>;
constexpr auto run_asleep = run_world<asleep, &asleep::first, &asleep::second, &asleep::producer>;
constexpr auto run_afterwards = run_world<afterwards, &afterwards::owner, &afterwards::thief>;
constexpr auto run_looks = run_world<looks, &looks::owner, &looks::thief>;
constexpr auto run_deeper = run_world<deeper, &deeper::owner, &deeper::thief>;

TEST(sched_wait, each_comes_to_its_end) {
    std::set<std::string> goals;
    for (const auto run : {run_asleep, run_at_once, run_searches, run_waits, run_afterwards, run_looks}) {
        const result r = run({});
        EXPECT_TRUE(r.ok) << r.report;
        goals.insert(r.goals.begin(), r.goals.end());
    }
    for (const char* const goal : {"called", "stolen", "looked at"}) {
        EXPECT_TRUE(goals.contains(goal)) << goal;
    }
}

const std::set<std::string> hangs = {"no end", "deadlock"};

bool by(unsigned thread) { return engine::instance().thread() == static_cast<int>(thread); }

// Gates stand on the thieves' line of a deque, before all else.
bool gate_is_closed(const char* deque) {
    return engine::instance().look(engine::instance().place_of(deque) + detail::cache_line, 4) != 0;
}

// The join word of a branch, ended.
void end_branch() {
    request end;
    end.what = action::exchange;
    end.address = engine::instance().place_of("branch");
    end.operand = 0;
    end.size = sizeof(std::uintptr_t);
    end.order = to_byte(memory_order::acq_rel);
    perform(end);
}

const seeded all[] = {
    {"relay R1", "a_call_forgotten_that_came_before_the_sleep",
     [](request& r, reply& answer) {
         if (!is(r, action::compare_exchange, "cancel") || !by(0)) {
             return false;
         }
         perform(r);
         answer = {r.expected, true};
         return true;
     },
     run_at_once, hangs},
    {"relay R1", "a_call_forgotten_that_ended_the_sleep",
     [](request& r, reply& answer) {
         if (!is(r, action::load, "wait") || !by(0)) {
             return false;
         }
         constexpr std::uint64_t called = 2;
         answer = perform(r);
         answer.value = answer.value == called ? 0 : answer.value;
         return true;
     },
     run_asleep, hangs},
    {"relay R2", "who_was_called_takes_nobody_for_asleep",
     [](request& r, reply& answer) {
         answer.value = 0;
         return is(r, action::load, "relay");
     },
     run_at_once, hangs},
    {"relay R3", "no_ring_by_who_was_called", [](request& r, reply&) { return is(r, action::store, "ring") && by(1); },
     run_searches, hangs},
    {"relay R3", "no_heavy_fence_behind_the_rings",
     [](request& r, reply&) {
         return by(1) && (is(r, action::heavy_fence, "pass") || is(r, action::heavy_fence_end, "pass"));
     },
     run_searches, hangs},
    {"relay R3", "rings_after_the_look",
     [](request& r, reply& answer) {
         if (!by(1) || !is(r, action::load, "any_injected")) {
             return by(1) && is(r, action::store, "ring");
         }
         answer = perform(r);
         request ring;
         ring.what = action::store;
         ring.address = engine::instance().place_of("worker0.limit");
         ring.size = 8;
         perform(ring);
         return true;
     },
     run_searches, hangs},
    {"relay R4", "no_look_at_the_deques_behind_the_rings",
     [](request& r, reply& answer) {
         answer.value = 0;
         return is(r, action::load, "holds_any") && by(1);
     },
     run_searches, hangs},
    {"relay R4", "no_look_at_the_queue_by_who_was_called",
     [](request& r, reply& answer) {
         answer.value = 0;
         return is(r, action::load, "any_injected");
     },
     run_at_once, hangs},
    {"relay R5", "who_takes_anything_not_called",
     [](request& r, reply& answer) {
         answer.value = 0;
         return is(r, action::load, "prepared") && by(1);
     },
     run_searches, hangs},
    {"relay R5", "who_waits_not_woken",
     [](request& r, reply& answer) {
         answer.value = 0;
         return is(r, action::load, "prepared") && by(1);
     },
     run_waits, hangs},

    {"leapfrog F1",
     "a_branch_ended_after_its_thief_has_pushed",
     [](request& r, reply& answer) {
         if (!by(1)) {
             return false;
         }
         answer.value = 1;
         if (is(r, action::store, "pop_at")) {
             end_branch();
         }
         return is(r, action::exchange, "finish") && touches(r, "branch");
     },
     run_afterwards,
     {"require"}},
    {"leapfrog F2",
     "no_look_behind_the_gate_whether_the_branch_has_ended",
     [](request& r, reply& answer) {
         answer.value = 1;
         return is(r, action::load, "done") && by(0) && touches(r, "branch") && gate_is_closed("worker1.tasks");
     },
     run_afterwards,
     {"require"}},

    {"contexts X3",
     "a_task_that_was_forked_too_deep_taken",
     [](request& r, reply&) {
         if (is(r, action::store, "push_at") && by(0) && !touches(r, "worker0.bottom")) {
             auto& task = *reinterpret_cast<detail::task_header*>(r.operand);
             if (task.nesting() > detail::machine::most_nested) {
                 task.run = reinterpret_cast<decltype(task.run)>(reinterpret_cast<std::uintptr_t>(task.run) -
                                                                 (std::uintptr_t{1} << detail::nesting_shift));
             }
         }
         return false;
     },
     run_deeper,
     {"require"}},
    {"contexts X4",
     "who_only_looks_does_not_hold_the_gate",
     [](request& r, reply& answer) {
         answer = {r.expected, true};
         return by(1) && (is(r, action::compare_exchange, "try_enter") || is(r, action::exchange, "leave"));
     },
     run_looks,
     {"require", "crash"}},
};

class sched_wait_fault : public testing::TestWithParam<seeded> {};
TEST_P(sched_wait_fault, is_found) { expect_found(GetParam()); }
INSTANTIATE_TEST_SUITE_P(seeded, sched_wait_fault, testing::ValuesIn(all), name_of_case);

} // namespace

} // namespace skerry::model
