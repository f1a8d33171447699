// SPDX-License-Identifier: Apache-2.0

// Random programs on four simulated cores against their serial elision: private caches that software keeps coherent,
// old values where the hardware would give old values, both protocols that such caches have. A round is a process.

#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "../conformance/steal/simulated.hpp"
#include "interpreter.hpp"
#include "rounds.hpp"

namespace random_programs {

namespace {

using skerry::detail::coherence_step;

// Static: what the host's stack holds is not the simulated machine's.
struct run_of {
    const program* what;
    std::uint32_t number;
    skerry::steal_mode steal;
    outcome expected;
    outcome found;
    spread counts;
};
run_of now{};

void run_simulated(void* /*none*/) {
    skerry::serial::runtime serial; // here, since objects are not for the host: their regions' locks are simulated
    now.expected = interpreter<serial_constructs>::run(serial, *now.what, now.number);
    skerry::runtime rt(skerry_test::all_cores(now.steal));
    now.found = interpreter<parallel_constructs>::run(rt, *now.what, now.number);
    for (const auto& e : rt.executors()) {
        if (e.name != "worker " + std::to_string(e.domain)) { // each core's cache is a domain of its own
            throw std::logic_error(e.name + " runs in domain " + std::to_string(e.domain));
        }
        now.counts.tasks += e.tasks;
        now.counts.elsewhere += e.name == "worker 0" ? 0 : e.tasks;
    }
}

int run_round(std::span<const choices> list, skerry::steal_mode steal) {
    std::vector<program> programs;
    for (const choices& c : list) {
        programs.push_back(made_of(c));
    }
    install(programs);
    now.steal = steal;
    const skerry_sim::machine_description machine = skerry_test::machine_named("tiny4-gwb.toml");
    return run_programs(
        programs,
        [&](std::uint32_t i) {
            now.what = &programs[i];
            now.number = i;
            skerry_sim::settings set;
            set.stale = skerry_sim::stale_mode::emulate;
            set.seed = i + 1;
            set.livelock_cycles = 20'000'000;
            set.most_cycles = 1'000'000'000;
            skerry_sim::simulation simulation(machine, set);
            const skerry_sim::statistics& s = simulation.run(&run_simulated, nullptr);
            return difference(programs[i], now.expected, now.found) + skerry_test::stale_reads(s);
        },
        [] { return now.counts; });
}

TEST(RandomCores, EqualTheirElision) {
    const auto run = [](unsigned variant, std::span<const choices> list) {
        return skerry_test::run_in_child(
            [&] { return run_round(list, variant == 0 ? skerry::steal_mode::locked : skerry::steal_mode::interrupt); });
    };
    expect_programs_equal_their_elision(
        {.run = run, .variants = 2, .seconds = 3, .fewest = 600, .percent_elsewhere = 30});
}

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
    {coherence_step::task_joined, locked, "task_joined"},
    {coherence_step::handed_over, locked, "handed_over"},
    {coherence_step::turn_passed, interrupt, "turn_passed"},
};

class left_out : public testing::TestWithParam<fault> {};

TEST_P(left_out, is_found) {
    const fault& f = GetParam();
    std::string text;
    for (std::uint64_t seed = 0; seed < 60 && text.empty(); ++seed) {
        text = failure(skerry_test::run_in_child([&] {
            skerry::port::leave_out({f.left_out});
            return run_round(round_of(seed), f.steal);
        }));
    }
    EXPECT_FALSE(text.empty());
    std::printf("%s", text.c_str());
}

INSTANTIATE_TEST_SUITE_P(steps, left_out, testing::ValuesIn(faults),
                         [](const auto& given) { return std::string(given.param.name); });

// A branch that begins a finish looks at the number of what other branches of its task have spawned.
void spawn_in_both_branches(void* /*none*/) {
    skerry::runtime rt(skerry_test::all_cores(now.steal));
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
    now.steal = GetParam();
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
