// SPDX-License-Identifier: Apache-2.0

// The explorer's C++ memory against RC11's axioms: the classic small programs with every order of their accesses and
// every fence between them, and random ones. Of the classic ones the known results stand here, too, so that an error
// that machine and axioms have in common shows.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "axioms.hpp"
#include "explorer.hpp"
#include "machine.hpp"
#include "program_world.hpp"

namespace skerry::model {

namespace {

using enum memory_order;
using axiomatic::instruction;
using axiomatic::kind;
using axiomatic::program;
using order = memory_order;

constexpr unsigned variables = 3;

char perform(const instruction& in, machine::atomic<int>& cell) {
    switch (in.what) {
    case kind::load: return digit(cell.load(in.order));
    case kind::store: cell.store(in.value, in.order); return 0;
    case kind::exchange: return digit(cell.exchange(in.value, in.order));
    case kind::add: return digit(cell.fetch_add(in.value, in.order));
    case kind::compare: {
        int old = 0;
        static_cast<void>(cell.compare_exchange_strong(old, in.value, in.order, relaxed));
        return digit(old);
    }
    case kind::fence: machine::fence(in.order); return 0;
    }
    return 0;
}

std::set<std::string> explored(const program& p, const options& o = {.memory = memory_order_of::rc11}) {
    const result r = program_world<instruction, variables, perform>::explore_all(p, o);
    EXPECT_TRUE(r.ok) << r.report;
    return r.outcomes;
}

std::string text(const program& p) {
    static const char* const names[] = {"load", "store", "exchange", "add", "compare", "fence"};
    static const char* const orders[] = {"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};
    std::string all;
    for (const auto& thread : p) {
        for (const instruction& in : thread) {
            all +=
                std::string(names[static_cast<int>(in.what)]) + "(" +
                (in.what == kind::fence ? ""
                                        : std::string(1, "xyz"[in.variable]) + "," + std::to_string(in.value) + ",") +
                orders[static_cast<int>(in.order)] + ") ";
        }
        all += "\n";
    }
    return all;
}

// --- the classic programs -------------------------------------------------------------------------------------------

instruction load(unsigned variable, order o) { return {kind::load, variable, 0, o}; }
instruction store(unsigned variable, int value, order o) { return {kind::store, variable, value, o}; }

using thread_code = std::vector<instruction>;

// Two accesses with every order that they may have, and every fence between them or none.
std::vector<thread_code> all_of(const instruction& first, const instruction& second) {
    const auto orders_of = [](const instruction& in) {
        return std::array{relaxed, in.what == kind::load ? acquire : release};
    };
    std::vector<thread_code> all;
    for (const order a : orders_of(first)) {
        for (const order b : orders_of(second)) {
            for (const order f : {relaxed, acquire, release, acq_rel, seq_cst}) {
                thread_code code = {first, second};
                code[0].order = a;
                code[1].order = b;
                if (f != relaxed) {
                    code.insert(code.begin() + 1, {kind::fence, 0, 0, f});
                }
                all.push_back(code);
            }
        }
    }
    return all;
}

std::vector<thread_code> all_of(const instruction& only) {
    const bool loads = only.what == kind::load;
    thread_code ordered = {only};
    ordered[0].order = loads ? acquire : release;
    return {{only}, ordered};
}

// None of these tells RC11 from what the machine excludes besides.
void expect_as_by_axioms(const program& p) {
    EXPECT_EQ(explored(p), axiomatic::outcomes(p, variables, axiomatic::excluded::load_buffering)) << text(p);
}

// `twins`: the last two threads are alike, so that half of their pairs is enough.
void expect_all_as_by_axioms(const std::vector<std::vector<thread_code>>& choices, bool twins = false) {
    program p(choices.size());
    std::vector<std::size_t> at(choices.size());
    std::size_t checked = 0;
    for (bool more = true; more;) {
        for (std::size_t t = 0; t < choices.size(); ++t) {
            p[t] = choices[t][at[t]];
        }
        if (!twins || at[at.size() - 2] <= at[at.size() - 1]) {
            expect_as_by_axioms(p);
            ++checked;
        }
        more = false;
        for (std::size_t t = 0; t < choices.size() && !more; ++t) {
            at[t] = at[t] + 1 == choices[t].size() ? 0 : at[t] + 1;
            more = at[t] != 0;
        }
    }
    std::printf("[rc11] %zu programs\n", checked);
}

// Whether both, machine and axioms, have such an outcome.
testing::AssertionResult allowed(const program& p, const std::string& outcome) {
    const bool here = explored(p).contains(outcome);
    const bool there = axiomatic::outcomes(p, variables).contains(outcome);
    if (here != there) {
        ADD_FAILURE() << "machine and axioms disagree about " << outcome << " of\n" << text(p);
    }
    return here ? testing::AssertionSuccess() << outcome << " of\n"
                                              << text(p)
                : testing::AssertionFailure() << "no " << outcome << " of\n"
                                              << text(p);
}

instruction fence(order o) { return {kind::fence, 0, 0, o}; }

TEST(rc11, store_buffering) {
    expect_all_as_by_axioms(
        {all_of(store(0, 1, relaxed), load(1, relaxed)), all_of(store(1, 1, relaxed), load(0, relaxed))});
    const std::string weak = "0|0| 1 1 0";
    const auto with = [](order s, order l, std::vector<instruction> between) {
        program p = {{store(0, 1, s)}, {store(1, 1, s)}};
        for (std::size_t t = 0; t < 2; ++t) {
            p[t].insert(p[t].end(), between.begin(), between.end());
            p[t].push_back(load(t == 0 ? 1 : 0, l));
        }
        return p;
    };
    EXPECT_TRUE(allowed(with(relaxed, relaxed, {}), weak));
    EXPECT_TRUE(allowed(with(release, acquire, {}), weak));
    EXPECT_TRUE(allowed(with(release, acquire, {fence(acq_rel)}), weak));
    EXPECT_FALSE(allowed(with(relaxed, relaxed, {fence(seq_cst)}), weak));
    program one_sided = with(relaxed, relaxed, {fence(seq_cst)});
    one_sided[1].erase(one_sided[1].begin() + 1);
    EXPECT_TRUE(allowed(one_sided, weak));
}

TEST(rc11, message_passing) {
    expect_all_as_by_axioms(
        {all_of(store(0, 1, relaxed), store(1, 1, relaxed)), all_of(load(1, relaxed), load(0, relaxed))});
    const std::string weak = "|10| 1 1 0";
    const program by_accesses = {{store(0, 1, relaxed), store(1, 1, release)}, {load(1, acquire), load(0, relaxed)}};
    EXPECT_FALSE(allowed(by_accesses, weak));
    program unreleased = by_accesses;
    unreleased[0][1].order = relaxed;
    EXPECT_TRUE(allowed(unreleased, weak));
    program unacquired = by_accesses;
    unacquired[1][0].order = relaxed;
    EXPECT_TRUE(allowed(unacquired, weak));
    const program by_fences = {{store(0, 1, relaxed), fence(release), store(1, 1, relaxed)},
                               {load(1, relaxed), fence(acquire), load(0, relaxed)}};
    EXPECT_FALSE(allowed(by_fences, weak));
    program wrong_fence = by_fences;
    wrong_fence[0][1].order = acquire;
    EXPECT_TRUE(allowed(wrong_fence, weak));
    wrong_fence = by_fences;
    wrong_fence[1][1].order = release;
    EXPECT_TRUE(allowed(wrong_fence, weak));
}

// A read-modify-write carries on what the store before it says; a store of anybody, since C++20, does not.
TEST(rc11, release_sequences) {
    program p = {{store(0, 1, relaxed), store(1, 1, release)},
                 {{kind::add, 1, 1, relaxed}},
                 {load(1, acquire), load(0, relaxed)}};
    const std::string weak = "|1|20| 1 2 0";
    EXPECT_FALSE(allowed(p, weak));
    p[0][1].order = relaxed;
    EXPECT_TRUE(allowed(p, weak));
    const program overwritten = {{store(0, 1, relaxed), store(1, 1, release), store(1, 2, relaxed)},
                                 {load(1, acquire), load(0, relaxed)}};
    EXPECT_TRUE(allowed(overwritten, "|20| 1 2 0"));
}

// What RC11 excludes: both loads see what comes after the other one. The axioms without that one have it.
TEST(rc11, load_buffering_is_excluded) {
    expect_all_as_by_axioms(
        {all_of(load(0, relaxed), store(1, 1, relaxed)), all_of(load(1, relaxed), store(0, 1, relaxed))});
    const program p = {{load(0, relaxed), store(1, 1, relaxed)}, {load(1, relaxed), store(0, 1, relaxed)}};
    const std::string excluded = "1|1| 1 1 0";
    EXPECT_TRUE(axiomatic::outcomes(p, variables, axiomatic::excluded::nothing).contains(excluded));
    EXPECT_FALSE(allowed(p, excluded));
    std::printf("[rc11] excluded, though C++ does not forbid it: load buffering, %s of\n%s", excluded.c_str(),
                text(p).c_str());
}

TEST(rc11, independent_reads_of_independent_writes) {
    expect_all_as_by_axioms({all_of(store(0, 1, relaxed)), all_of(store(1, 1, relaxed)),
                             all_of(load(0, relaxed), load(1, relaxed)), all_of(load(1, relaxed), load(0, relaxed))},
                            true);
    const std::string weak = "||10|10| 1 1 0";
    program p = {{store(0, 1, release)},
                 {store(1, 1, release)},
                 {load(0, acquire), load(1, acquire)},
                 {load(1, acquire), load(0, acquire)}};
    EXPECT_TRUE(allowed(p, weak));
    p[2].insert(p[2].begin() + 1, fence(seq_cst));
    EXPECT_TRUE(allowed(p, weak));
    p[3].insert(p[3].begin() + 1, fence(seq_cst));
    EXPECT_FALSE(allowed(p, weak));
}

TEST(rc11, coherence_of_reads) {
    expect_all_as_by_axioms({all_of(store(0, 1, relaxed)), all_of(load(0, relaxed), load(0, relaxed))});
    expect_all_as_by_axioms(
        {all_of(store(0, 1, relaxed)), all_of(store(0, 2, relaxed)), all_of(load(0, relaxed), load(0, relaxed))});
    EXPECT_FALSE(allowed({{store(0, 1, relaxed)}, {load(0, relaxed), load(0, relaxed)}}, "|10| 1 0 0"));
    const program two_readers = {{store(0, 1, relaxed)},
                                 {store(0, 2, relaxed)},
                                 {load(0, relaxed), load(0, relaxed)},
                                 {load(0, relaxed), load(0, relaxed)}};
    EXPECT_FALSE(allowed(two_readers, "||12|21| 1 0 0"));
    EXPECT_FALSE(allowed(two_readers, "||12|21| 2 0 0"));
    EXPECT_TRUE(allowed(two_readers, "||12|12| 2 0 0"));
}

TEST(rc11, two_writes_each) {
    expect_all_as_by_axioms(
        {all_of(store(0, 1, relaxed), store(1, 2, relaxed)), all_of(store(1, 1, relaxed), store(0, 2, relaxed))});
    const std::string weak = "|| 1 1 0"; // both first stores are last
    program p = {{store(0, 1, release), store(1, 2, release)}, {store(1, 1, release), store(0, 2, release)}};
    EXPECT_TRUE(allowed(p, weak));
    p[0].insert(p[0].begin() + 1, fence(seq_cst));
    EXPECT_TRUE(allowed(p, weak));
    p[1].insert(p[1].begin() + 1, fence(seq_cst));
    EXPECT_FALSE(allowed(p, weak));
}

TEST(rc11, write_to_read_causality) {
    expect_all_as_by_axioms({all_of(store(0, 1, relaxed)), all_of(load(0, relaxed), store(1, 1, relaxed)),
                             all_of(load(1, relaxed), load(0, relaxed))});
    const std::string weak = "|1|10| 1 1 0";
    program p = {
        {store(0, 1, relaxed)}, {load(0, relaxed), store(1, 1, release)}, {load(1, acquire), load(0, relaxed)}};
    EXPECT_FALSE(allowed(p, weak)) << "what a thread has read, its release hands on";
    p[1][1].order = relaxed;
    EXPECT_TRUE(allowed(p, weak));
    p[1].insert(p[1].begin() + 1, fence(release));
    EXPECT_FALSE(allowed(p, weak));
    p[2][0].order = relaxed;
    EXPECT_TRUE(allowed(p, weak));
    p[2].insert(p[2].begin() + 1, fence(acquire));
    EXPECT_FALSE(allowed(p, weak));
}

// What the machine excludes besides: two fences that a relaxed chain brings into one order, and what they order into
// the other. Unless the thread between has its store seen before its load has read, the first fence has happened.
TEST(rc11, fences_against_a_relaxed_chain_are_excluded) {
    program p = {{store(0, 1, relaxed), fence(seq_cst), store(1, 1, relaxed)},
                 {load(1, relaxed), store(2, 1, relaxed)},
                 {load(2, relaxed), fence(seq_cst), load(0, relaxed)}};
    const std::string excluded = "|1|10| 1 1 1";
    EXPECT_TRUE(axiomatic::outcomes(p, variables, axiomatic::excluded::load_buffering).contains(excluded));
    EXPECT_FALSE(allowed(p, excluded));
    std::printf("[rc11] excluded, though RC11 does not forbid it: %s of\n%s", excluded.c_str(), text(p).c_str());
    p[1].insert(p[1].begin() + 1, fence(acq_rel));
    EXPECT_FALSE(axiomatic::outcomes(p, variables, axiomatic::excluded::load_buffering).contains(excluded));
}

// --- random programs ------------------------------------------------------------------------------------------------

class random_programs {
  public:
    explicit random_programs(std::uint64_t seed) : seed_(seed) {}

    program next() {
        program p(draw(3) == 0 ? 3 : 2);
        const std::size_t length = p.size() == 2 ? 3 + draw(2) : 2 + draw(2);
        used_ = p.size() == 3 && draw(2) == 0 ? 3 : 2;
        int value = 1;
        for (auto& thread : p) {
            for (std::size_t i = 0; i < length; ++i) {
                thread.push_back(any(value));
            }
        }
        return p;
    }

  private:
    instruction any(int& value) {
        const auto variable = draw(used_);
        switch (draw(8)) {
        case 0:
        case 1:
        case 2: return load(variable, draw(2) == 0 ? relaxed : acquire);
        case 3:
        case 4: return store(variable, value++ % 5 + 1, draw(2) == 0 ? relaxed : release);
        case 5: {
            const kind what = std::array{kind::exchange, kind::add, kind::compare}[draw(3)];
            const order o = std::array{relaxed, acquire, release, acq_rel}[draw(4)];
            return {what, variable, what == kind::add ? 1 : value++ % 5 + 1, o};
        }
        default: return fence(std::array{acquire, release, acq_rel, seq_cst, seq_cst, seq_cst}[draw(6)]);
        }
    }
    unsigned draw(unsigned n) {
        seed_ = seed_ * 6364136223846793005U + 1442695040888963407U;
        return static_cast<unsigned>((seed_ >> 33) % n);
    }
    std::uint64_t seed_;
    unsigned used_ = 2;
};

TEST(rc11, random_programs) {
    constexpr std::uint64_t seed = 11;
    random_programs programs(seed);
    std::size_t all = 0;
    std::size_t less = 0;
    for (int i = 0; i < 400; ++i) {
        const program p = programs.next();
        const std::set<std::string> expected = axiomatic::outcomes(p, variables);
        less += expected != axiomatic::outcomes(p, variables, axiomatic::excluded::load_buffering) ? 1 : 0;
        ASSERT_EQ(explored(p), expected) << "seed " << seed << ", program " << i << "\n" << text(p);
        if (i % 4 == 0) {
            ASSERT_EQ(explored(p, {.memory = memory_order_of::rc11, .reduce = false}), expected)
                << "seed " << seed << ", program " << i << "\n"
                << text(p);
        }
        all += expected.size();
    }
    std::printf("[rc11] seed %llu: %zu outcomes of 400 programs, of which %zu have more in RC11\n",
                static_cast<unsigned long long>(seed), all, less);
}

// Where one store of a place may be read, memory is sequential; with each more there is nothing that RC11 forbids.
TEST(rc11, a_bound_on_how_old_a_store_is_read) {
    constexpr std::uint64_t seed = 12;
    random_programs programs(seed);
    std::array<std::size_t, 4> outcomes{};
    for (int i = 0; i < 200; ++i) {
        const program p = programs.next();
        std::set<std::string> all = explored(p);
        const std::set<std::string> sequential = explored(p, {.memory = memory_order_of::sequential});
        for (std::uint8_t newest = 3; newest >= 1; --newest) {
            const options bounded = {.memory = memory_order_of::rc11, .newest = newest};
            const std::set<std::string> some = explored(p, bounded);
            options whole = bounded;
            whole.reduce = false;
            ASSERT_EQ(some, explored(p, whole)) << "seed " << seed << ", program " << i << "\n" << text(p);
            ASSERT_TRUE(std::includes(all.begin(), all.end(), some.begin(), some.end()))
                << "seed " << seed << ", program " << i << "\n"
                << text(p);
            outcomes[newest] += some.size();
            all = some;
        }
        ASSERT_EQ(all, sequential) << "seed " << seed << ", program " << i << "\n" << text(p);
        outcomes[0] += explored(p).size();
    }
    EXPECT_LT(outcomes[1], outcomes[2]);
    EXPECT_LT(outcomes[2], outcomes[0]);
}

} // namespace

} // namespace skerry::model
