// SPDX-License-Identifier: Apache-2.0

// Programs of every construct inside every other, made up from a seed, run by many threads at once beside runtimes that
// come and go and processes that fork, with tasks that throw, groups that are cancelled and memory that runs out. A
// program gives its serial value, or fails with what one of its tasks threw or what was out; and no construct ends
// before the tasks that were begun in it.
//
// SKERRY_STRESS_SECONDS is the time for each test (default 1); SKERRY_STRESS_SEED repeats a run's programs.

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <skerry/skerry.hpp>

#include "../unit/base/child.hpp"
#include "program.hpp"
#include "stress_time.hpp"

namespace {

std::atomic<bool> starving{false};
thread_local std::uint64_t luck = 1;

// One in some hundred allocations fails while memory is said to run out.
void* allocate(std::size_t size, std::size_t alignment) noexcept {
    if (starving.load(std::memory_order_relaxed)) {
        luck = skerry_test::mix(luck);
        if (luck % 300 == 0) {
            return nullptr;
        }
    }
    return std::aligned_alloc(alignment, (std::max<std::size_t>(size, 1) + alignment - 1) / alignment * alignment);
}

void* allocate_or_throw(std::size_t size, std::size_t alignment) {
    if (void* const p = allocate(size, alignment)) {
        return p;
    }
    throw std::bad_alloc();
}

} // namespace

// All forms but those of arrays, which call these, or are a sanitizer's as a whole.
void* operator new(std::size_t size) { return allocate_or_throw(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t a) {
    return allocate_or_throw(size, static_cast<std::size_t>(a));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    return allocate(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t a, const std::nothrow_t&) noexcept {
    return allocate(size, static_cast<std::size_t>(a));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace {

using skerry_test::failure;
using skerry_test::mix;
using skerry_test::program;
using skerry_test::settings;

constexpr unsigned depth = 4;

skerry::options three_workers() {
    skerry::options o = skerry::options::from_environment();
    o.workers = 3;
    return o;
}

// Runs the program of a seed; says what is wrong with how it ended, or nothing.
std::string wrong_with(skerry::runtime* rt, std::uint64_t seed, settings s, bool starves) {
    program p(s);
    const std::uint64_t expected = p.serial(seed, depth);
    const bool fails = p.fails(seed, depth);
    std::optional<std::uint64_t> value;
    std::exception_ptr error;
    const auto run = [&] {
        try {
            value = p.run(seed, depth);
        } catch (...) {
            error = std::current_exception();
        }
    };
    try {
        if (rt != nullptr) {
            rt->run(run);
        } else if (!s.throws && !starves) {
            skerry::finish([&](skerry::scope&) { run(); });
        } else { // a parent of its own: threads outside run() share one, and the errors of its children
            skerry::finish([&](skerry::scope&) { skerry::spawn([&run] { run(); }); });
        }
        if (error != nullptr) {
            std::rethrow_exception(error);
        }
    } catch (const failure&) {
        if (!fails) {
            return "failed without reason";
        }
    } catch (const std::bad_alloc&) {
        if (!starves) {
            return "without memory";
        }
    } catch (const std::system_error& e) {
        if (!starves) {
            return e.what();
        }
    }
    if (p.left_behind != 0) {
        return std::to_string(p.left_behind) + " tasks ran on when their construct had ended";
    }
    if (const char* const wrong = p.wrong) {
        return wrong;
    }
    if (value && !s.cancels && (fails || *value != expected)) {
        return fails ? "did not fail" : "wrong value";
    }
    return {};
}

// A child of a process with many threads: it has one, and a runtime of its own. No regions: another thread may have
// been inside one at the fork (src/coherence/README.md).
std::string wrong_with_a_fork(std::uint64_t seed) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(120);
        _exit(wrong_with(nullptr, seed, {.regions = false}, false).empty() ? 0 : 1);
    }
    const int status = skerry_test::wait_for(child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? "" : "a forked child ended with " + std::to_string(status);
}

// So that no kind is missing, however little time the mixtures have.
TEST(Constructs, OfEachKindAtTheRootOfAProgram) {
    const std::uint64_t first = skerry_test::first_seed();
    skerry::runtime shared(three_workers());
    const program any({});
    for (std::size_t kind = 0; kind < program::kinds(); ++kind) {
        std::uint64_t seed = first;
        while (any.kind_of(seed) != kind) {
            seed = mix(seed);
        }
        EXPECT_EQ(wrong_with(&shared, seed, {}, false), "") << "kind " << kind << ", seed of the program " << seed;
    }
}

struct mixture {
    const char* name;
    settings what;
    bool starves = false;
    bool forks = false;
};

class ConstructStress : public testing::TestWithParam<mixture> {};

TEST_P(ConstructStress, EveryProgramEndsAsItShould) {
    const mixture& m = GetParam();
    const skerry_test::until time;
    const std::uint64_t seed = skerry_test::first_seed();
    skerry::runtime shared(three_workers());
    std::array<std::string, 5> wrong;
    std::vector<std::thread> threads;
    std::atomic<std::uint64_t> programs{0};
    starving = m.starves;
    for (std::size_t t = 0; t < wrong.size(); ++t) {
        threads.emplace_back([&, t] {
            std::uint64_t own = mix(seed + t);
            luck = own;
            do {
                try {
                    const bool forks = m.forks && t == 0;
                    const std::string found = forks
                                                  ? wrong_with_a_fork(own)
                                                  : wrong_with(t % 2 == 0 ? nullptr : &shared, own, m.what, m.starves);
                    if (!found.empty()) {
                        wrong[t] = found + ", seed of the program " + std::to_string(own);
                    }
                } catch (const std::bad_alloc&) { // of this function's own texts
                }
                ++programs;
                own = mix(own);
            } while (!time.over() && wrong[t].empty());
        });
    }
    for (std::thread& t : threads) {
        t.join();
    }
    starving = false;
    for (const std::string& w : wrong) {
        EXPECT_EQ(w, "");
    }
    RecordProperty("programs", std::to_string(programs));
}

std::vector<mixture> mixtures() {
    std::vector<mixture> all{
        {"plain", {}},
        {"throwing", {.throws = true}},
        {"cancelled", {.throws = true, .cancels = true}},
        {"starving", {.throws = true, .cancels = true}, true},
    };
#ifndef SKERRY_FORKS_ALONE // ThreadSanitizer refuses threads in the child of a process that has some
    all.push_back({"forking", {}, false, true});
#endif
    return all;
}

INSTANTIATE_TEST_SUITE_P(Mixtures, ConstructStress, testing::ValuesIn(mixtures()),
                         [](const auto& given) { return std::string(given.param.name); });

} // namespace
