// SPDX-License-Identifier: Apache-2.0

// Faults seeded into the team where caches are kept by software: each publish and discard left out, by the steps of
// docs/design/0008-the-steal-contract.md.

#include "manycore_programs.hpp"
#include "seeded.hpp"

namespace skerry::model {

namespace {

using detail::coherence_step;
constexpr memory_order_of caches = memory_order_of::caches;

template <class World>
result run(const options& o, bool interrupts) {
    options with = o;
    with.interrupts = interrupts;
    with.on_resume = &sched_world::put_page;
    with.globals = outbox();
    return explore<World, &World::owner, &World::thief>(with);
}
template <class World>
result locked(const options& o) {
    return run<World>(o, false);
}
template <class World>
result interrupted(const options& o) {
    return run<World>(o, true);
}
constexpr auto run_locked = locked<passing<steal_protocol::locked>>;
constexpr auto run_locked_finish = locked<finished<steal_protocol::locked>>;
constexpr auto run_locked_nesting = locked<nesting<steal_protocol::locked>>;
constexpr auto run_interrupted = interrupted<passing<steal_protocol::interrupt>>;
constexpr auto run_interrupted_nesting = interrupted<nesting<steal_protocol::interrupt>>;
constexpr auto run_asleep = interrupted<demanding<steal_protocol::interrupt>>;
constexpr auto run_interrupted_finish = interrupted<finished<steal_protocol::interrupt>>;

template <action What, coherence_step Step>
bool no(request& r, reply&) {
    return r.what == What && (r.operand & 0xff) == static_cast<unsigned>(Step);
}
template <action What, coherence_step Step, int Thread>
bool no_by(request& r, reply& answer) {
    return engine::instance().thread() == Thread && no<What, Step>(r, answer);
}

const std::set<std::string> unseen = {"race", "stale", "require", "crash"}; // a slot that is seen empty
const std::set<std::string> hangs = {"no end", "deadlock"};

const seeded all[] = {
    {"locked L1", "data_of_a_task_not_published_by_the_push", no_by<action::publish, coherence_step::gate_left, 0>,
     run_locked, unseen, caches},
    {"locked L2", "no_discard_before_the_task_is_run", no_by<action::discard, coherence_step::gate_entered, 1>,
     run_locked, unseen, caches},
    {"locked L3",
     "the_join_word_not_published",
     no_by<action::publish, coherence_step::gate_left, 1>,
     run_locked,
     {"race", "stale", "require", "crash", "no end"},
     caches},
    {"locked L4", "a_branch_not_published", no<action::publish, coherence_step::task_ended>, run_locked, unseen,
     caches},
    {"locked L4", "a_task_of_a_finish_block_not_published", no<action::publish, coherence_step::task_ended>,
     run_locked_finish, unseen, caches},
    {"locked L6", "no_discard_at_the_join", no<action::discard, coherence_step::task_joined>, run_locked, unseen,
     caches},
    {"locked L6", "no_discard_at_the_end_of_a_finish_block", no<action::discard, coherence_step::task_joined>,
     run_locked_finish, unseen, caches},

    {"contexts X1",
     "a_context_left_out_of_what_the_push_publishes",
     [](request& r, reply& answer) {
         if (r.function == nullptr || !no_by<action::publish, coherence_step::gate_left, 0>(r, answer)) {
             return false;
         }
         const std::uintptr_t contexts = engine::instance().place_of("worker0.contexts");
         const auto publish = [&r](std::uintptr_t begin, std::uintptr_t bytes) {
             request part = r;
             part.expected = begin;
             part.operand |= bytes << 8;
             perform(part);
         };
         publish(0, contexts);
         const std::uintptr_t end = contexts + sizeof(detail::nested_contexts);
         publish(end, (std::uintptr_t{1} << 48) - end);
         return true;
     },
     run_locked_nesting,
     {"require", "crash"},
     caches},

    {"contexts X2",
     "a_context_of_another_nesting_taken_by_the_handler",
     [](request& r, reply&) {
         if (is(r, action::load, "find")) {
             r.address += sizeof(void*);
         }
         return false;
     },
     run_interrupted_nesting,
     {"require", "crash"},
     caches},

    {"interrupt I1",
     "the_request_not_where_the_handler_looks",
     [](request& r, reply&) { return is(r, action::store, "request"); },
     run_interrupted,
     {"crash"},
     caches},
    {"interrupt I4", "nothing_published_before_the_answer", no<action::publish, coherence_step::reply_sent>,
     run_interrupted, unseen, caches},
    {"interrupt I5", "no_discard_after_the_answer", no<action::discard, coherence_step::reply_taken>, run_interrupted,
     unseen, caches},
    {"interrupt I5",
     "a_refusal_taken_for_an_answer",
     [](request& r, reply& answer) {
         if (!is(r, action::interrupt, "request")) {
             return false;
         }
         answer = perform(r);
         answer.done = true;
         return true;
     },
     run_asleep,
     {"crash", "require", "no end"},
     caches},
    {"interrupt I6", "a_stolen_branch_not_published", no<action::publish, coherence_step::task_ended>, run_interrupted,
     unseen, caches},
    {"interrupt I6", "a_stolen_task_of_a_finish_block_not_published", no<action::publish, coherence_step::task_ended>,
     run_interrupted_finish, unseen, caches},
    {"interrupt I7", "no_discard_by_the_joiner", no<action::discard, coherence_step::task_joined>, run_interrupted,
     unseen, caches},
    {"interrupt I7", "no_discard_by_who_waits_for_a_finish_block", no<action::discard, coherence_step::task_joined>,
     run_interrupted_finish, unseen, caches},
    {"sleep Z1", "a_handler_that_found_nothing_rings_nobody",
     [](request& r, reply&) { return is(r, action::store, "ring") && engine::instance().in_handler(); }, run_asleep,
     hangs, caches},
};

class manycore_sched_fault : public testing::TestWithParam<seeded> {};
TEST_P(manycore_sched_fault, is_found) { expect_found(GetParam()); }
INSTANTIATE_TEST_SUITE_P(seeded, manycore_sched_fault, testing::ValuesIn(all), name_of_case);

} // namespace

} // namespace skerry::model
