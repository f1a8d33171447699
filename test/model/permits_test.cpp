// SPDX-License-Identifier: Apache-2.0

// Permits of `blocking`: workers that block, and who stands in for them. What a worker waits for is done by a stand-in
// and by nobody else, so one that is not there is an end that is never reached. With the faults, by the steps of
// src/sched/README.md.

#include <cstddef>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "expect.hpp"
#include "sched/permits.hpp"
#include "sched_world.hpp"
#include "seeded.hpp"

namespace skerry::model {

namespace {

using detail::steal_protocol;

// Workers that block so many times each, for a task that only the one stand-in can run. The last one ends the team.
template <unsigned Workers, unsigned Times>
struct blocking_world : sched_world {
    blocking_world() : sched_world(Workers + 1, steal_protocol::asymmetric, 0) {
        label(lent, "permits");
        label(started, "started");
        for (awaited& a : tasks) {
            a.ctx = &team_.root();
            label(a.ran, "ran");
        }
    }

    template <unsigned Worker>
    void blocks() {
        for (unsigned i = 0; i < Times; ++i) {
            awaited& task = tasks[Worker * Times + i];
            team_.inject(task);
            lent.lend([this] {
                raise(started);
                return true;
            });
            wait_for(task.ran, 1);
            lent.take_back();
        }
        if (ended.fetch_add(1, memory_order::acq_rel) + 1 == Workers) {
            team_.stop();
            lent.end();
        }
    }
    // The thread that starts when it is asked for.
    void stands_in() {
        wait_for(started, 1);
        lent.stand_in(*workers_[Workers]);
    }
    void finally() {
        require(lent.blocked() == 0, "a worker is counted as blocked that is back");
        require(lent.threads() == 1 && started.load() == 1, "more threads stand in than may");
        for (const awaited& a : tasks) {
            require(a.runs == 1, "a task is lost or was run twice");
        }
    }

    struct awaited final : detail::loose_task {
        awaited() noexcept : loose_task(&run_it, nullptr) {}
        static void run_it(detail::task_header* header) noexcept {
            auto& self = *static_cast<awaited*>(header);
            ++self.runs;
            raise(self.ran);
        }
        machine::atomic<int> ran{0};
        int runs = 0;
    };

    detail::permits lent{1};
    machine::atomic<int> started{0};
    machine::atomic<int> ended{0};
    std::array<awaited, std::size_t{Workers} * Times> tasks;
};

using again = blocking_world<1, 2>;
using crowd = blocking_world<2, 1>;

TEST(permits, a_worker_blocks_twice) {
    for (const memory_order_of memory : {memory_order_of::tso, memory_order_of::partial}) {
        expect_well<again, &again::blocks<0>, &again::stands_in>({}, {.memory = memory});
    }
    expect_well_in_c_plus_plus<again, &again::blocks<0>, &again::stands_in>({});
}
TEST(permits, more_block_than_may_have_a_stand_in) {
    expect_well<crowd, &crowd::blocks<0>, &crowd::blocks<1>, &crowd::stands_in>({});
}
// For `tools/model --deep`.
TEST(DISABLED_deep, more_block_than_may_have_a_stand_in_in_c_plus_plus) {
    expect_well<crowd, &crowd::blocks<0>, &crowd::blocks<1>, &crowd::stands_in>(
        {}, {.memory = memory_order_of::rc11, .newest = 2});
}

// --- faults ---------------------------------------------------------------------------------------------------------

constexpr auto run_again = run_world<again, &again::blocks<0>, &again::stands_in>;
const std::set<std::string> hangs = {"no end", "deadlock"};
constexpr std::uintptr_t lock_in_permits = 16;

const seeded all[] = {
    {"permits H1",
     "who_blocks_not_counted",
     [](request& r, reply&) { return is(r, action::add, "lend"); },
     run_again,
     {"require", "no end", "deadlock"}},
    {"permits H1", "who_is_parked_not_woken",
     [](request& r, reply&) { return is(r, action::futex_wake, "notify") && r.operand == 1; }, run_again, hangs},
    {"permits H2",
     "who_is_back_not_counted_off",
     [](request& r, reply&) { return is(r, action::add, "take_back"); },
     run_again,
     {"require"}},
    {"permits H3", "no_second_look_before_it_parks",
     [](request& r, reply& answer) {
         // Nobody is seen to be blocked, where the lock is held.
         answer.value = 0;
         return is(r, action::load, "blocked") &&
                engine::instance().look(engine::instance().place_of("permits") + lock_in_permits, 4) != 0;
     },
     run_again, hangs},
    {"permits H4", "a_turn_read_after_the_lock_opens",
     [](request& r, reply&) {
         if (is(r, action::futex_wait, "wait") && r.size == 4) {
             r.expected = engine::instance().look(r.address, 4);
         }
         return false;
     },
     run_again, hangs},
    {"permits H5", "the_end_not_told_to_who_is_parked",
     [](request& r, reply&) {
         return is(r, action::futex_wake, "notify") && engine::instance().thread() == 0 && r.operand > 1;
     },
     run_again, hangs},
};

class permits_fault : public testing::TestWithParam<seeded> {};
TEST_P(permits_fault, is_found) { expect_found(GetParam()); }
INSTANTIATE_TEST_SUITE_P(seeded, permits_fault, testing::ValuesIn(all), name_of_case);

} // namespace

} // namespace skerry::model
