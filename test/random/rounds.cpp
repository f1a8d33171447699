// SPDX-License-Identifier: Apache-2.0

#include "rounds.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <sstream>
#include <string_view>

#include <gtest/gtest.h>

#include <unistd.h>

namespace random_programs {

namespace {

using clock = std::chrono::steady_clock;

constexpr unsigned round = 100;     // programs
constexpr unsigned most_tries = 20; // a fault may need luck to show
constexpr std::chrono::seconds most_for_shrinking{60};

// The number behind the last line that begins so; -1: there is none.
long last_number(const std::string& output, std::string_view line) {
    const std::size_t at = output.rfind("\n" + std::string(line));
    return at == std::string::npos ? -1 : std::stol(output.substr(at + 1 + line.size()));
}

// The program alone, without whatever it can lose and still fail. Empty: alone it does not fail. RapidCheck, which
// knows only the choices, needs thousands of runs for this.
std::string shrunk(const back_end& on, unsigned variant, choices c) {
    unsigned tries = most_tries;
    std::string smallest;
    const auto fails = [&](const choices& smaller) {
        const auto r = on.run(variant, std::vector<choices>(tries, smaller));
        const std::string text = failure(r);
        if (text.empty()) {
            return false;
        }
        // The luckier a failure has to be, the more often is a smaller program tried.
        tries = std::min(most_tries, 3 * static_cast<unsigned>(std::max(last_number(r.output, begins), 0L) + 1));
        smallest = text + text_of(made_of(smaller));
        return true;
    };
    const auto end = clock::now() + most_for_shrinking;
    if (!fails(c)) {
        return {};
    }
    const program p = make_program(c.list);
    const std::vector<const statement*> index = p.index();
    for (bool smaller = true; smaller && clock::now() < end;) {
        smaller = false;
        for (std::uint32_t id = 0; id < p.statements && clock::now() < end; ++id) {
            if (std::ranges::any_of(c.without, [&](auto gone) { return gone <= id && id < index[gone]->end; }) ||
                !may_go(*index[id])) {
                continue;
            }
            c.without.push_back(id);
            if (fails(c)) {
                smaller = true;
            } else {
                c.without.pop_back();
            }
        }
    }
    return smallest;
}

} // namespace

int run_programs(std::span<const program> programs, unsigned patience_seconds,
                 const std::function<std::string(std::uint32_t)>& run, const std::function<spread()>& counts) {
    std::printf("\n");
    for (std::uint32_t i = 0; i < programs.size(); ++i) {
        std::printf("%.*s%u\n", static_cast<int>(begins.size()), begins.data(), i);
        std::fflush(stdout);
        ::alarm(patience_seconds); // its signal ends the process
        if (const std::string wrong = run(i); !wrong.empty()) {
            std::printf("%s\n", wrong.c_str());
            std::fflush(stdout);
            return 1;
        }
    }
    ::alarm(0);
    const spread s = counts();
    std::printf("%.*s%llu\nelsewhere %llu\n", static_cast<int>(ends.size()), ends.data(),
                static_cast<unsigned long long>(s.tasks), static_cast<unsigned long long>(s.elsewhere));
    std::fflush(stdout);
    return 0;
}

std::vector<choices> round_of(std::uint64_t seed) {
    std::vector<choices> list;
    static_cast<void>(check_round(seed, round, [&list](const choices& c) { list.push_back(c); }));
    return list;
}

std::string failure(const skerry_test::child_result& r) {
    if (r.exited && r.code == 0) {
        return {};
    }
    const std::size_t at = r.output.rfind("\n" + std::string(begins));
    return (r.exited ? "exit status " : "signal ") + std::to_string(r.code) + "\n" +
           (at == std::string::npos ? r.output : r.output.substr(r.output.find('\n', at + 1) + 1));
}

std::size_t round_result::begun() const { return static_cast<std::size_t>(last_number(process.output, begins) + 1); }

round_result run_round(const back_end& on, std::uint64_t seed) {
    round_result r{.list = round_of(seed), .variant = static_cast<unsigned>(seed % on.variants), .process{}, .wrong{}};
    r.process = on.run(r.variant, r.list);
    r.wrong = failure(r.process);
    return r;
}

std::string report(const back_end& on, std::uint64_t seed, const round_result& r, bool shrinks) {
    const std::size_t number = std::max(r.begun(), std::size_t{1}) - 1;
    const choices& failed = r.list.at(number);
    std::ostringstream text;
    text << "program " << number << " of seed " << seed << ", variant " << r.variant << ": " << r.wrong
         << text_of(made_of(failed));
    if (shrinks) {
        const std::string smaller = shrunk(on, r.variant, failed);
        text << (smaller.empty() ? "Alone it does not fail.\n" : "Shrunk:\n" + smaller);
    }
    text << "\nSKERRY_STRESS_SEED=" << seed << " repeats the round.\n";
    return text.str();
}

void expect_programs_equal_their_elision(const back_end& on) {
    shares seen;
    spread all;
    std::uint64_t seed = first_seed();
    const auto end = clock::now() + std::chrono::duration<double>(on.seconds * stress_seconds());
    do {
        const round_result r = run_round(on, seed);
        if (!r.wrong.empty()) {
            FAIL() << report(on, seed, r, true);
        }
        all.tasks += static_cast<std::uint64_t>(std::max(last_number(r.process.output, ends), 0L));
        all.elsewhere += static_cast<std::uint64_t>(std::max(last_number(r.process.output, "elsewhere "), 0L));
        for (std::size_t i = 0; i < r.begun(); ++i) {
            seen.add(traits_of(made_of(r.list[i])));
        }
        ++seed;
    } while (clock::now() < end || seen.programs < on.fewest);
    seen.print();
    std::printf("%llu tasks ran, %llu elsewhere\n", static_cast<unsigned long long>(all.tasks),
                static_cast<unsigned long long>(all.elsewhere));
    seen.expect_enough();
    EXPECT_GE(100 * all.elsewhere, on.percent_elsewhere * all.tasks);
}

} // namespace random_programs
