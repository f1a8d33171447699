// SPDX-License-Identifier: Apache-2.0

// The same programs on four simulated cores, under each protocol that the machine has, with several interleavings each.
// On caches that software keeps no read may be stale.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "../../unit/base/child.hpp"
#include "programs.hpp"
#include "sim/port/trace.hpp"
#include "simulated.hpp"

namespace skerry_test {

namespace {

struct machine_and_protocol {
    const char* file;
    skerry::steal_mode steal;
    const char* name;
};

constexpr machine_and_protocol all[] = {
    {"tiny4-gwb.toml", skerry::steal_mode::locked, "gwb_locked"},
    {"tiny4-gwb.toml", skerry::steal_mode::interrupt, "gwb_interrupt"},
    {"tiny4-mesi.toml", skerry::steal_mode::asymmetric, "mesi_asymmetric"},
    {"tiny4-mesi.toml", skerry::steal_mode::locked, "mesi_locked"},
    {"tiny4-mesi.toml", skerry::steal_mode::interrupt, "mesi_interrupt"},
};

// Static: what the host's stack holds is not the simulated machine's.
struct run_of {
    const char* (*body)();
    unsigned workers;
    skerry::steal_mode steal;
    const char* wrong;
    skerry::statistics stats;
};
run_of now{};

skerry_sim::statistics simulate(const skerry_sim::machine_description& m, skerry::steal_mode steal, const program& p,
                                std::uint64_t seed) {
    now = {p.run, p.workers, steal, "it has not run", {}};
    skerry_sim::settings set;
    set.seed = seed;
    // Every other run gets the old values that the machine would give it.
    set.stale = seed % 2 == 0 ? skerry_sim::stale_mode::report : skerry_sim::stale_mode::emulate;
    skerry_sim::simulation simulation(m, set);
    return simulation.run(
        [](void*) {
            skerry::options o = all_cores(now.steal);
            o.workers = now.workers != 0 ? now.workers : o.workers;
            skerry::runtime rt(o);
            now.wrong = rt.run(now.body);
            now.stats = rt.stats();
        },
        nullptr);
}

skerry_sim::statistics simulate(const machine_and_protocol& m, const program& p, std::uint64_t seed) {
    return simulate(machine_named(m.file), m.steal, p, seed);
}

class steal : public testing::TestWithParam<std::tuple<machine_and_protocol, program>> {};

TEST_P(steal, conforms) {
    const auto& [m, p] = GetParam();
    std::uint64_t steals = 0;
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        const skerry_sim::statistics s = simulate(m, p, seed);
        ASSERT_EQ(now.wrong, nullptr) << now.wrong << ", seed " << seed;
        ASSERT_EQ(s.total.stale_reads, 0U) << stale_reads(s) << "seed " << seed;
        EXPECT_GE(now.stats.steals_granted, p.steals) << "seed " << seed;
        steals += now.stats.steals_granted;
    }
    EXPECT_GT(steals, 0U);
}

INSTANTIATE_TEST_SUITE_P(machines, steal, testing::Combine(testing::ValuesIn(all), testing::ValuesIn(programs)),
                         [](const testing::TestParamInfo<steal::ParamType>& i) {
                             return std::string(std::get<0>(i.param).name) + "_" + std::get<1>(i.param).name;
                         });

// --- what joins the cores -------------------------------------------------------------------------------------------

skerry::detail::edge between_cores{};
unsigned domain_of_the_last{};

const char* look_at_the_edges() {
    between_cores = skerry::detail::edge_between_workers();
    domain_of_the_last = static_cast<unsigned>(skerry::detail::domain_of(0, 3));
    return nullptr;
}

TEST(edge, is_flushed_where_software_keeps_the_caches) {
    static_cast<void>(simulate(all[0], {"edges", look_at_the_edges, 0}, 0));
    EXPECT_EQ(between_cores, skerry::detail::edge::flushed);
    EXPECT_EQ(domain_of_the_last, 3U); // each core is one
}

TEST(edge, is_coherent_where_hardware_keeps_the_caches) {
    static_cast<void>(simulate(all[2], {"edges", look_at_the_edges, 0}, 0));
    EXPECT_EQ(between_cores, skerry::detail::edge::coherent);
    EXPECT_EQ(domain_of_the_last, 0U); // all cores are one
}

// --- work spreads ---------------------------------------------------------------------------------------------------

std::array<std::uint64_t, 4> steals_of{};

// Long enough that the core that starts last finds work in many runs; of fib(12) hardly any is left for it.
const char* fork_and_count() {
    const char* const wrong = fib(15) == 610 ? nullptr : "fib(15) is not 610";
    for (unsigned i = 0; i < crew().slots(); ++i) {
        steals_of[i] += crew().slot(i).count.granted.read();
    }
    return wrong;
}

class every_core : public testing::TestWithParam<machine_and_protocol> {};

TEST_P(every_core, steals) {
    steals_of = {};
    constexpr std::uint64_t most_seeds = 100; // which core gets how much differs with the code that a compiler makes
    for (std::uint64_t seed = 0; seed < most_seeds && std::ranges::count(steals_of, 0U) != 0; ++seed) {
        static_cast<void>(simulate(GetParam(), {"fork_and_count", fork_and_count, 0}, seed));
        ASSERT_EQ(now.wrong, nullptr) << now.wrong;
    }
    EXPECT_THAT(steals_of, testing::Each(testing::Gt(0U)));
}

INSTANTIATE_TEST_SUITE_P(machines, every_core, testing::ValuesIn(all),
                         [](const testing::TestParamInfo<machine_and_protocol>& i) {
                             return std::string(i.param.name);
                         });

// --- the host's trace ----------------------------------------------------------------------------------------------

class traced : public testing::TestWithParam<machine_and_protocol> {};

TEST_P(traced, takes_the_same_cycles) {
    const program p{"fork_and_join", fork_and_join, 0};
    const std::string path = testing::TempDir() + "skerry_simulated_" + std::to_string(::getpid()) + ".json";
    // In processes of their own: what a run leaves in the program's static data is the next one's.
    const auto run = [&](std::uint64_t seed, bool listens) {
        return skerry_test::run_in_child([&] {
            if (listens) {
                skerry::port::listen(4, std::size_t{1} << 22U);
            }
            const std::uint64_t cycles = simulate(GetParam(), p, seed).total.cycles;
            if (listens) {
                skerry::port::write_trace(path);
            }
            std::fprintf(stderr, "%llu cycles\n", static_cast<unsigned long long>(cycles));
            return 0;
        });
    };
    std::map<std::string, unsigned> kinds;
    for (std::uint64_t seed = 0; seed < 6; ++seed) { // not in each run somebody has to wait
        const skerry_test::child_result untraced = run(seed, false);
        EXPECT_EQ(untraced.code, 0);
        EXPECT_THAT(untraced.output, testing::EndsWith(" cycles\n"));
        EXPECT_EQ(run(seed, true).output, untraced.output);

        std::ostringstream text;
        text << std::ifstream(path).rdbuf();
        std::filesystem::remove(path);
        const nlohmann::json document = nlohmann::json::parse(text.str());
        for (const auto& e : document.at("traceEvents")) {
            ++kinds[e.value("cat", "")];
        }
    }
    for (const char* const kind : {"start", "steal", "wait", "enter"}) {
        EXPECT_GT(kinds[kind], 0U) << kind;
    }
    const bool by_software = std::string_view(GetParam().file) == "tiny4-gwb.toml";
    EXPECT_EQ(kinds["publish"] > 0, by_software);
    EXPECT_EQ(kinds["discard"] > 0, by_software);
}

INSTANTIATE_TEST_SUITE_P(machines, traced, testing::ValuesIn(all),
                         [](const testing::TestParamInfo<machine_and_protocol>& i) {
                             return std::string(i.param.name);
                         });

// --- what a machine lacks ------------------------------------------------------------------------------------------

TEST(refused, a_trace_from_within) {
    skerry_sim::simulation simulation(machine_named(all[0].file));
    const auto run = [&] {
        static_cast<void>(simulation.run(
            [](void*) {
                skerry::options o = all_cores(all[0].steal);
                o.trace = "x.json";
                const skerry::runtime rt(o);
            },
            nullptr));
    };
    EXPECT_THAT(run,
                testing::ThrowsMessage<std::invalid_argument>(
                    "skerry: options::trace (SKERRY_TRACE) is 'x.json': the host of a simulation writes its trace; "
                    "skerry-sim --trace asks for it"));
    EXPECT_FALSE(std::filesystem::exists("x.json"));
}

TEST(refused, a_task_manager) {
    skerry_sim::simulation simulation(machine_named(all[0].file));
    const auto run = [&] {
        static_cast<void>(simulation.run(
            [](void*) {
                skerry::options o = all_cores(all[0].steal);
                o.task_manager = skerry::task_manager_kind::nexus_model;
                const skerry::runtime rt(o);
            },
            nullptr));
    };
    EXPECT_THAT(run, testing::ThrowsMessage<std::invalid_argument>(
                         "skerry: options::task_manager is nexus-model, but on simulated cores the runtime orders its "
                         "tasks itself; use software"));
}

template <class Error>
std::string text_of(const machine_and_protocol& m, unsigned workers) {
    try {
        static_cast<void>(simulate(m, {"fork_and_join", fork_and_join, workers}, 0));
    } catch (const Error& e) {
        return e.what();
    }
    return "no exception";
}

TEST(refused, asymmetric_steals_without_coherent_caches) {
    EXPECT_THAT(
        text_of<std::system_error>({"tiny4-gwb.toml", skerry::steal_mode::asymmetric, ""}, 0),
        testing::HasSubstr("skerry: options::steal (SKERRY_STEAL) is asymmetric, but the caches of this machine "
                           "are not coherent; use automatic, locked or interrupt"));
}

TEST(refused, more_workers_than_cores) {
    EXPECT_THAT(text_of<std::system_error>(all[0], 5),
                testing::AllOf(testing::HasSubstr("skerry: cannot start thread "),
                               testing::HasSubstr(": the simulated machine has 4"),
                               testing::HasSubstr(" cores, and each has one; lower options::workers or "
                                                  "SKERRY_WORKERS")));
}

// --- what a steal that does not happen costs ------------------------------------------------------------------------

std::uint64_t joins_before = 0;
std::uint64_t joins_after = 0;

const char* fork_alone() {
    using skerry::detail::coherence_step;
    joins_before =
        skerry::port::steps_done(coherence_step::task_joined) + skerry::port::steps_done(coherence_step::gate_entered);
    const char* const wrong = fork_and_join();
    joins_after =
        skerry::port::steps_done(coherence_step::task_joined) + skerry::port::steps_done(coherence_step::gate_entered);
    return wrong;
}

// fib(12) forks 232 times. Wang et al., IV-C: a join whose child was not stolen synchronises with nobody.
TEST(unstolen_joins, discard_nothing_under_interrupts) {
    static_cast<void>(simulate(all[1], {"fork_alone", fork_alone, 1}, 0));
    EXPECT_EQ(now.wrong, nullptr);
    EXPECT_EQ(joins_after - joins_before, 0U);
}

TEST(unstolen_joins, discard_at_each_push_and_pop_under_the_gate) {
    static_cast<void>(simulate(all[0], {"fork_alone", fork_alone, 1}, 0));
    EXPECT_EQ(now.wrong, nullptr);
    EXPECT_EQ(joins_after - joins_before, 2 * 232U);
}

// --- what a steal moves ---------------------------------------------------------------------------------------------

unsigned repetitions = 0;

const char* fork_for_long() {
    for (unsigned i = 0; i < repetitions; ++i) {
        if (fib(18) != 2584) {
            return "fib(18) is not 2584";
        }
    }
    return nullptr;
}

struct traffic {
    double lines = 0;
    double asked = 0;
    double granted = 0;
};

// Lines that came into private caches, and what was asked for meanwhile.
traffic traffic_of(const machine_and_protocol& m, unsigned workers, unsigned often) {
    repetitions = often;
    const skerry_sim::core_statistics s =
        simulate(with_large_caches(m.file), m.steal, {"fork_for_long", fork_for_long, workers}, 0).total;
    EXPECT_EQ(now.wrong, nullptr) << now.wrong;
    return {.lines = static_cast<double>(s.load_misses + s.store_misses),
            .asked = static_cast<double>(now.stats.steals_asked),
            .granted = static_cast<double>(now.stats.steals_granted)};
}

class stolen : public testing::TestWithParam<machine_and_protocol> {};

// Whole programs, so what thieves look at before they find something is in it; the start is not.
TEST_P(stolen, moves_few_lines) {
    constexpr unsigned often = 40;
    for (const unsigned workers : {2U, 4U}) {
        const traffic once = traffic_of(GetParam(), workers, often);
        const traffic twice = traffic_of(GetParam(), workers, 2 * often);
        const double granted = twice.granted - once.granted;
        ASSERT_GT(granted, 2 * often);
        const double lines = (twice.lines - once.lines) / granted;
        std::printf("%s, %u cores: %.1f lines and %.2f requests for each of %.0f steals\n", GetParam().name, workers,
                    lines, (twice.asked - once.asked) / granted, granted);
        EXPECT_LT(lines, 64);
    }
}

INSTANTIATE_TEST_SUITE_P(machines, stolen, testing::Values(all[2], all[3], all[4]),
                         [](const testing::TestParamInfo<machine_and_protocol>& i) {
                             return std::string(i.param.name);
                         });

// --- how long is searched -------------------------------------------------------------------------------------------

// What happens in each round, in µs. The owner forks and is deep in a leaf, the thief takes the other branch by force,
// forks in its turn when it has worked for so long, if it does, and then there is nothing for a while.
struct round_of_work {
    const char* name;
    std::uint64_t owner, thief, gap;
    std::uint64_t forks_for; // what each of the thief's branches takes; 0: it does not fork
    unsigned steals;
    bool sleeps;
};
round_of_work each_round{};
constexpr unsigned rounds = 20;

void work_for(std::uint64_t us) { skerry::port::sleep_ns(us * 1000); }

const char* work_in_rounds() {
    for (unsigned i = 0; i < rounds; ++i) {
        skerry::parallel_invoke([] { work_for(each_round.owner); },
                                [] {
                                    work_for(each_round.thief);
                                    if (each_round.forks_for != 0) {
                                        skerry::parallel_invoke([] { work_for(each_round.forks_for); },
                                                                [] { work_for(each_round.forks_for); });
                                    }
                                });
        work_for(each_round.gap);
    }
    return nullptr;
}

class search : public testing::TestWithParam<round_of_work> {};

TEST_P(search, lasts_as_long_as_has_been_worked) {
    each_round = GetParam();
    static_cast<void>(simulate(all[2], {"work_in_rounds", work_in_rounds, 2}, 0));
    ASSERT_EQ(now.wrong, nullptr) << now.wrong;
    EXPECT_EQ(now.stats.steals_granted, rounds * each_round.steals);
    if (each_round.sleeps) {
        EXPECT_GE(now.stats.sleeps, rounds - 1);
    } else {
        EXPECT_LE(now.stats.sleeps, 2U); // at the beginning, when nothing is earned, and at the end
    }
}

INSTANTIATE_TEST_SUITE_P(rounds, search,
                         testing::Values(round_of_work{"less_than_worked", 120, 100, 50, 0, 1, false},
                                         round_of_work{"more_than_worked", 120, 100, 150, 0, 1, true},
                                         round_of_work{"hardly_worked", 40, 1, 40, 0, 1, true},
                                         round_of_work{"worked_for_long", 1020, 1000, 200, 0, 1, false},
                                         round_of_work{"never_for_longer_than_300_us", 1020, 1000, 400, 0, 1, true},
                                         round_of_work{"joiner_less_than_worked", 120, 200, 10, 0, 1, false},
                                         round_of_work{"joiner_asks_later_than_40_us", 300, 400, 10, 60, 2, false}),
                         [](const testing::TestParamInfo<round_of_work>& i) { return std::string(i.param.name); });

} // namespace

} // namespace skerry_test
