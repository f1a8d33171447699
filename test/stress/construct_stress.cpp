// SPDX-License-Identifier: Apache-2.0

// Programs of every construct inside every other, made up from a seed, run by many threads at once beside runtimes that
// come and go and processes that fork, with tasks that throw, groups that are cancelled and memory that runs out. A
// program gives its serial value, or fails with what one of its tasks threw or what was out; and no construct ends
// before the tasks that were begun in it. Of the runtime that threads share, the seed also chooses how tasks are
// stolen, and whether it has a watchdog and a trace.
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
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <optional>
#include <string>
#include <string_view>
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
thread_local bool spared = false;

// What the thread does meanwhile is not what is tested: it gets its memory.
class with_memory {
  public:
    with_memory() noexcept { spared = true; }
    with_memory(const with_memory&) = delete;
    with_memory& operator=(const with_memory&) = delete;
    ~with_memory() { spared = false; }
};

// One in some hundred allocations fails while memory is said to run out.
void* allocate(std::size_t size, std::size_t alignment) noexcept {
    if (starving.load(std::memory_order_relaxed) && !spared) {
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

// One for the process: a runtime's part comes behind those of the runtimes before it.
class trace_file {
  public:
    static const std::filesystem::path& path() {
        static const trace_file of_this_process;
        return of_this_process.path_;
    }
    trace_file(const trace_file&) = delete;
    trace_file& operator=(const trace_file&) = delete;

  private:
    trace_file()
        : path_(std::filesystem::temp_directory_path() / ("skerry-stress-" + std::to_string(getpid()) + ".json")) {}
    ~trace_file() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }

    const std::filesystem::path path_;
};

// What a seed makes of the runtime that threads share.
struct chosen {
    explicit chosen(std::uint64_t seed) {
        const std::uint64_t drawn = mix(seed ^ 0x2468);
        how.workers = 3;
        if (drawn % 2 == 0) {
            how.steal = skerry::steal_mode::locked;
            text += ", locked steals";
        }
        if (drawn / 2 % 2 == 0) {
            how.watchdog_seconds = 10'000; // it never has anything to report
            text += ", a watchdog";
        }
        if (drawn / 4 % 2 == 0) {
            how.trace = trace_file::path();
            how.trace_memory = std::size_t{16} << 10; // the oldest events make room for new ones
            text += ", a trace";
        }
        std::printf("%s\n", text.c_str());
        std::fflush(stdout);
    }
    chosen(const chosen&) = delete;
    chosen& operator=(const chosen&) = delete;
    // Precondition: the runtime has gone.
    ~chosen() {
        if (!how.trace.empty()) {
            constexpr std::string_view end = "\n]}\n";
            std::array<char, end.size()> found{};
            std::ifstream(how.trace).seekg(-std::ssize(end), std::ios::end).read(found.data(), found.size());
            EXPECT_EQ(std::string_view(found.data(), found.size()), end) << "the trace has no end; " << text;
        }
    }

    skerry::options how = skerry::options::from_environment();
    std::string text = "the shared runtime: 3 workers";
};

// What is wrong with an exception that a program ended with, or nothing.
std::string wrong_with(const std::exception_ptr& error, bool fails, bool starves) {
    if (error == nullptr) {
        return {};
    }
    try {
        std::rethrow_exception(error);
    } catch (const failure&) {
        return fails ? "" : "failed without reason";
    } catch (const std::bad_alloc&) {
        return starves ? "" : "without memory";
    } catch (const std::system_error& e) {
        return starves ? "" : e.what();
    } catch (const std::exception& e) {
        return e.what();
    } catch (...) {
        return "an exception that no task throws";
    }
}

// Runs the program of a seed; says what is wrong with how it ended, or nothing.
std::string wrong_with(skerry::runtime* rt, std::uint64_t seed, settings s, bool starves) {
    program p(s);
    std::optional<std::uint64_t> value;
    std::exception_ptr error;        // the program's
    std::exception_ptr error_around; // of what was to run it
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
    } catch (...) {
        error_around = std::current_exception();
    }
    const with_memory to_say_so;
    const bool fails = p.fails(seed, depth);
    for (const std::exception_ptr& e : {error, error_around}) {
        if (std::string wrong = wrong_with(e, fails, starves); !wrong.empty()) {
            return wrong;
        }
    }
    if (!value && error == nullptr && error_around == nullptr) {
        return "was not run";
    }
    if (p.left_behind != 0) {
        return std::to_string(p.left_behind) + " tasks ran on when their construct had ended";
    }
    if (const char* const wrong = p.wrong) {
        return wrong;
    }
    if (value && !s.cancels && (fails || *value != p.serial(seed, depth))) {
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
    const chosen options(first);
    skerry::runtime shared(options.how);
    const program any({});
    for (std::size_t kind = 0; kind < program::kinds(); ++kind) {
        std::uint64_t seed = first;
        while (any.kind_of(seed) != kind) {
            seed = mix(seed);
        }
        EXPECT_EQ(wrong_with(&shared, seed, {}, false), "")
            << "kind " << kind << ", seed of the program " << seed << "; " << options.text;
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
    const chosen options(seed);
    skerry::runtime shared(options.how);
    std::array<std::string, 5> wrong;
    std::vector<std::thread> threads;
    std::atomic<std::uint64_t> programs{0};
    const with_memory now; // for the threads to begin
    starving = m.starves;
    for (std::size_t t = 0; t < wrong.size(); ++t) {
        threads.emplace_back([&, t] {
            std::uint64_t own = mix(seed + t);
            luck = own;
            do {
                const bool forks = m.forks && t == 0;
                const std::string found =
                    forks ? wrong_with_a_fork(own) : wrong_with(t % 2 == 0 ? nullptr : &shared, own, m.what, m.starves);
                if (!found.empty()) {
                    const with_memory to_say_so;
                    wrong[t] = found + ", seed of the program " + std::to_string(own);
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
        EXPECT_EQ(w, "") << options.text;
    }
    RecordProperty("programs", std::to_string(programs));
}

std::vector<mixture> mixtures() {
    std::vector<mixture> all{
        {"plain", {}},
        {"throwing", {.throws = true}},
        {"cancelled", {.throws = true, .cancels = true}},
        {"starving", {.throws = true}, true}, // who is cancelled gives any value
        {"starving_cancelled", {.throws = true, .cancels = true}, true},
    };
#ifndef SKERRY_FORKS_ALONE // ThreadSanitizer refuses threads in the child of a process that has some
    all.push_back({"forking", {}, false, true});
#endif
    return all;
}

INSTANTIATE_TEST_SUITE_P(Mixtures, ConstructStress, testing::ValuesIn(mixtures()),
                         [](const auto& given) { return std::string(given.param.name); });

} // namespace
