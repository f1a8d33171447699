// SPDX-License-Identifier: Apache-2.0

// Random programs on two and four simulated cores against their serial elision.

#include <string>

#include <gtest/gtest.h>
#include <skerry/dataflow.hpp>
#include <skerry/finish.hpp>
#include <skerry/parallel_invoke.hpp>
#include <skerry/runtime.hpp>

#include "../conformance/steal/simulated.hpp"
#include "simulated.hpp"

namespace random_programs {

namespace {

using skerry::detail::coherence_step;

TEST(RandomCores, EqualTheirElision) { expect_programs_equal_their_elision(this_back_end(usual_patience_seconds)); }

// Programs that cannot fail show nothing. Two steps are not here, found and turn_taken: no program has noticed that one
// of them is missing.
struct fault {
    coherence_step left_out;
    skerry::steal_mode steal;
    const char* name;
};
constexpr skerry::steal_mode locked = skerry::steal_mode::locked;
constexpr skerry::steal_mode interrupt = skerry::steal_mode::interrupt;
constexpr fault faults[] = {
    {coherence_step::gate_entered, locked, "gate_entered"},
    {coherence_step::gate_left, locked, "gate_left"},
    {coherence_step::request_sent, interrupt, "request_sent"},
    {coherence_step::request_taken, interrupt, "request_taken"},
    {coherence_step::reply_sent, interrupt, "reply_sent"},
    {coherence_step::reply_taken, interrupt, "reply_taken"},
    {coherence_step::task_ended, locked, "task_ended"},
#ifndef __clang__ // whose code keeps in registers what it has read of a branch: in 60 rounds, none reads it again
    {coherence_step::task_joined, locked, "task_joined"},
#endif
    {coherence_step::handed_over, locked, "handed_over"},
    {coherence_step::turn_passed, interrupt, "turn_passed"},
};

class left_out : public testing::TestWithParam<fault> {};

TEST_P(left_out, is_found) {
    const fault& f = GetParam();
    std::string text;
    for (std::uint64_t seed = 0; seed < 120 && text.empty(); ++seed) {
        text = failure(skerry_test::run_in_child([&] {
            skerry::port::leave_out({f.left_out});
            return run_round(round_of(seed), {f.steal}, usual_patience_seconds);
        }));
    }
    EXPECT_FALSE(text.empty());
    std::printf("%s", text.c_str());
}

INSTANTIATE_TEST_SUITE_P(steps, left_out, testing::ValuesIn(faults),
                         [](const auto& given) { return std::string(given.param.name); });

// Static: what the host's stack holds is not the simulated machine's.
skerry::steal_mode stolen_by{};

// A branch that begins a finish looks at the number of what other branches of its task have spawned.
void spawn_in_both_branches(void* /*none*/) {
    skerry::runtime rt(skerry_test::all_cores(stolen_by));
    rt.run([] {
        const auto branch = [] {
            for (unsigned i = 0; i < 20; ++i) {
                skerry::finish([](skerry::scope&) { skerry::spawn([] { skerry_sim::pause(100); }); });
            }
        };
        skerry::parallel_invoke(branch, branch, branch, branch);
    });
}

class RandomCoresFound : public testing::TestWithParam<skerry::steal_mode> {};

TEST_P(RandomCoresFound, FinishInBranchesThatSpawn) {
    stolen_by = GetParam();
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        skerry_sim::settings set;
        set.seed = seed;
        skerry_sim::simulation simulation(skerry_test::machine_named("tiny4-gwb.toml"), set);
        const skerry_sim::statistics& s = simulation.run(&spawn_in_both_branches, nullptr);
        EXPECT_EQ(s.total.stale_reads, 0U) << skerry_test::stale_reads(s);
    }
}

INSTANTIATE_TEST_SUITE_P(Protocols, RandomCoresFound, testing::Values(locked, interrupt),
                         [](const auto& given) { return given.param == locked ? "locked" : "interrupt"; });

} // namespace
} // namespace random_programs
