// SPDX-License-Identifier: Apache-2.0

// Faults seeded into the simulated library: a coherence step or the masks left out. Each must be found, by the
// simulator's report of stale reads or by what becomes of the program; a run without the fault passes. The report is
// part of the test: it has to name the line that reads the old value.

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <iterator>
#include <ostream>
#include <span>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../unit/base/child.hpp"
#include "programs.hpp"
#include "simulated.hpp"

namespace skerry_test {

namespace {

using skerry::steal_mode;
using skerry::detail::coherence_step;

struct run_of {
    const char* (*body)();
    steal_mode steal;
    const char* wrong;
    std::uint64_t seed;
};
run_of now{};

skerry_sim::statistics simulate(const char* (*body)(), steal_mode steal, std::uint64_t seed) {
    now = {body, steal, "it has not run", seed};
    skerry_sim::settings set;
    set.seed = seed;
    set.livelock_cycles = 3'000'000;
    set.most_cycles = 20'000'000;
    skerry_sim::simulation simulation(machine_named("tiny4-gwb.toml"), set);
    return simulation.run(
        [](void*) {
            skerry::runtime rt(all_cores(now.steal));
            now.wrong = rt.run(now.body);
        },
        nullptr);
}

void pass_time() {
    for (int i = 0; i < 300; ++i) {
        machine::pause();
    }
}

// The joiner has read what the stolen branch then writes, and the branch has ended before it joins. The line must stay
// in the cache until then, so each seed's lies in another of the cache's sets: some are free of what the runtime uses.
struct alignas(64) line_of_the_cache {
    int cell;
    volatile int neighbour; // never written, and yet read
};
line_of_the_cache lines[32];
line_of_the_cache& line() { return lines[now.seed % std::size(lines)]; }

const char* read_before_a_join() {
    int& cell = line().cell;
    volatile int& neighbour = line().neighbour;
    cell = 1;
    int seen = cell;
    std::atomic<unsigned> met{0};
    skerry::parallel_invoke(
        [&] {
            while (met.load(std::memory_order_acquire) < 1) {
                seen += neighbour; // brings the line back, which serving the thief may have discarded
            }
            pass_time();
        },
        [&] {
            cell = 2;
            met.fetch_add(1);
        });
    seen += cell;
    return seen == 3 ? nullptr : "the joiner has not seen what the branch wrote";
}

const char* read_before_a_finish() {
    int& cell = line().cell;
    volatile int& neighbour = line().neighbour;
    cell = 1;
    int seen = cell;
    std::atomic<unsigned> met{0};
    skerry::finish([&](skerry::scope& s) {
        s.async([&] {
            cell = 2;
            met.fetch_add(1);
        });
        seen += neighbour; // brings the line back, which a gate may have discarded
        wait_for(met, 1);
        pass_time();
    });
    seen += cell;
    return seen == 3 ? nullptr : "the waiter has not seen what the task wrote";
}

// Whether both results arrive, so many bytes further down the stack than elsewhere.
template <std::size_t Further>
[[gnu::noinline]] bool both_arrive() {
    [[maybe_unused]] const volatile std::array<std::byte, Further> further{};
    std::atomic<unsigned> met{0};
    const auto [a, b] = skerry::parallel_invoke(
        [&] {
            wait_for(met, 1);
            return 1;
        },
        [&] {
            met.fetch_add(1);
            pass_time();
            return 2;
        });
    return a + b == 3;
}

// The joiner looks at the task's header while it waits. The result lies behind it, at one of four places of the stack
// in the same line.
[[maybe_unused]] const char* result_after_a_wait() {
    return both_arrive<16>() && both_arrive<32>() && both_arrive<48>() && both_arrive<64>()
               ? nullptr
               : "the result of a stolen branch was lost";
}

// The only task of a deque, again and again: its owner and thieves meet at it. What async() begins deletes itself, and
// who takes it a second time crashes; these tasks stay, and tell how often they ran.
struct counted_task final : skerry::detail::loose_task {
    counted_task() : loose_task(&count, nullptr) {}

    void begin_in(skerry::detail::finish_frame& frame) {
        ctx = &frame.ctx;
        pending = &frame.pending;
        begin_counted(*this, *pending, nullptr);
    }
    static void count(task_header* header) noexcept {
        auto& self = *static_cast<counted_task*>(header);
        if (self.runs.fetch_add(1) == 0) {
            arrive(*self.pending); // which is there until then
        }
    }

    skerry::detail::latch<machine>* pending = nullptr;
    std::atomic<unsigned> runs{0};
};

std::span<counted_task> counted_tasks;

const char* many_short_finishes() {
    counted_tasks = std::span(new counted_task[400], 400); // for whoever looks when this is stuck
    for (counted_task& t : counted_tasks) {
        skerry::detail::finish_frame frame;
        t.begin_in(frame);
        frame.wait();
    }
    return nullptr;
}

struct fault {
    const char* name;
    steal_mode steal;
    coherence_step left_out;
    const char* (*program)();
    const char* report; // a regular expression that one line of the report matches
};

std::ostream& operator<<(std::ostream& out, const fault& f) { return out << f.name; }

const fault all[] = {
    {"no_discard_after_a_steal_by_interrupt", steal_mode::interrupt, coherence_step::reply_taken, fork_and_join,
     "stale read on core .* read at .*steal_interrupt.cpp:[0-9]+ .*team::(request|steal_from).*last written by core "
     ".*steal_interrupt.cpp:[0-9]+ .*team::serve"},
    {"no_discard_after_a_steal_under_the_gate", steal_mode::locked, coherence_step::gate_entered, fork_and_join,
     "read at .*deque_owner.hpp:[0-9]+ .*settle.*last written by core .*deque_thief.hpp:[0-9]+ .*steal_from"},
    {"no_publish_before_the_reply", steal_mode::interrupt, coherence_step::reply_sent, fork_and_join,
     "read at .*steal_interrupt.cpp:[0-9]+ .*team::(request|steal_from).*last written by core .*team::serve"},
    {"no_publish_before_the_gate_opens", steal_mode::locked, coherence_step::gate_left, fork_and_join,
     "read at .*team(_wait.hpp|.cpp):[0-9]+ .*last written by core .*task_header.hpp:[0-9]+ .*fib"},
    {"no_publish_of_the_request", steal_mode::interrupt, coherence_step::request_sent, fork_and_join,
     "read at .*team::serve.*last written by core .*team::(request|steal_from)"},
    {"no_discard_of_an_old_request", steal_mode::interrupt, coherence_step::request_taken, fork_and_join,
     "read at .*team::serve.*last written by core .*team::(request|steal_from)"},
    {"no_publish_of_a_stolen_branch", steal_mode::interrupt, coherence_step::task_ended, fork_and_join,
     "read at .*outcome.hpp:[0-9]+ .*(outcome<long>::take|join_with<).*"
     "last written by core .*(run_stolen|outcome<long>::run<)"},
    {"no_publish_of_a_stolen_branch_under_the_gate", steal_mode::locked, coherence_step::task_ended, fork_and_join,
     "read at .*outcome.hpp:[0-9]+ .*(outcome<long>::take|join_with<).*"
     "last written by core .*(run_stolen|outcome<long>::run<)"},
    {"no_discard_at_the_join", steal_mode::interrupt, coherence_step::task_joined, read_before_a_join,
     "read at .*fault_test.cpp:[0-9]+ .*read_before_a_join.*last written by core .*fault_test.cpp"},
#ifndef __clang__ // whose code keeps in registers what it has read of the header: nothing old is read again
    {"no_discard_at_the_join_under_the_gate", steal_mode::locked, coherence_step::task_joined, result_after_a_wait,
     "read at .*outcome.hpp:[0-9]+ .*(outcome<int>::take|join_with<).*last written by core .*run_stolen"},
#endif
    {"no_discard_at_the_end_of_a_finish_under_the_gate", steal_mode::locked, coherence_step::task_joined,
     read_before_a_finish,
     "read at .*fault_test.cpp:[0-9]+ .*read_before_a_finish.*last written by core .*fault_test.cpp"},
    {"no_discard_at_the_end_of_a_finish", steal_mode::interrupt, coherence_step::task_joined, read_before_a_finish,
     "read at .*fault_test.cpp:[0-9]+ .*read_before_a_finish.*last written by core .*fault_test.cpp"},
};

class left_out : public testing::TestWithParam<fault> {};

TEST_P(left_out, is_found) {
    const fault& f = GetParam();
    const auto found = testing::ContainsRegex(f.report);
    std::string report; // of as many seeds as it takes: how many depends on the compiler's code
    for (std::uint64_t seed = 0; seed < 100 && !testing::Value(report, found); ++seed) {
        skerry::port::leave_out({});
        EXPECT_EQ(simulate(f.program, f.steal, seed).total.stale_reads, 0U) << "without the fault";
        EXPECT_EQ(now.wrong, nullptr) << "without the fault: " << now.wrong;
        skerry::port::leave_out({f.left_out});
        try {
            report += stale_reads(simulate(f.program, f.steal, seed));
        } catch (const skerry_sim::simulation_stuck& e) {
            report += e.what();
        }
    }
    skerry::port::leave_out({});
    EXPECT_THAT(report, found);
}

INSTANTIATE_TEST_SUITE_P(steps, left_out, testing::ValuesIn(all),
                         [](const testing::TestParamInfo<fault>& i) { return std::string(i.param.name); });

// --- masks ----------------------------------------------------------------------------------------------------------

// What is seen of many_short_finishes, a line each. Run in a child: what has gone wrong in a process stays wrong.
std::string seen_with(bool masks, std::uint64_t seed) {
    const child_result r = run_in_child([=] {
        skerry::port::leave_out_masks(!masks);
        try {
            static_cast<void>(simulate(many_short_finishes, steal_mode::interrupt, seed));
        } catch (const skerry_sim::simulation_stuck& e) {
            std::printf("%s\n", e.what());
        }
        for (std::size_t i = 0; i < counted_tasks.size() && counted_tasks[i].pending != nullptr; ++i) {
            if (const unsigned runs = counted_tasks[i].runs; runs != 1) {
                std::printf("task %zu ran %u times\n", i, runs);
            }
        }
        return 0;
    });
    return r.output + (r.exited ? "" : "killed by signal " + std::to_string(r.code) + '\n');
}

// Owner and thief both get a task; a later one is then taken for stolen, and nobody runs it.
TEST(masks, are_needed) {
    const auto found =
        testing::ContainsRegex("is stuck: no core can go on\n.*task [0-9]+ ran 2 times\ntask [0-9]+ ran 0 times\n");
    std::string report; // of as many seeds as it takes, as above
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        EXPECT_EQ(seen_with(true, seed), "") << "with masks, seed " << seed;
        report += testing::Value(report, found) ? "" : seen_with(false, seed);
    }
    EXPECT_THAT(report, found);
}

} // namespace

} // namespace skerry_test
