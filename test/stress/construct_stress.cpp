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
#include "stress_time.hpp"
#include "tree.hpp"

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

using skerry_test::mix;

struct failure {};

// Counts the tasks inside a construct; when the construct has ended, in whatever way, none may be left.
class census {
  public:
    explicit census(std::atomic<unsigned>& left_behind) noexcept : left_behind_(left_behind) {}
    census(const census&) = delete;
    census& operator=(const census&) = delete;
    ~census() { left_behind_ += inside_; }

    class member {
      public:
        explicit member(census& c) noexcept : inside_(c.inside_) { ++inside_; }
        member(const member&) = delete;
        member& operator=(const member&) = delete;
        ~member() { --inside_; }

      private:
        std::atomic<unsigned>& inside_;
    };

  private:
    std::atomic<unsigned>& left_behind_;
    std::atomic<unsigned> inside_{0};
};

struct settings {
    bool throws = false;
    bool cancels = false;
};

class program {
  public:
    explicit program(settings s) : settings_(s) {}

    std::uint64_t serial(std::uint64_t seed, unsigned depth) const {
        if (depth == 0) {
            return leaf_value(seed);
        }
        std::uint64_t sum = 0;
        for (unsigned i = 0; i < branches(seed); ++i) {
            sum += serial(child(seed, i), depth - 1);
        }
        return sum;
    }
    bool fails(std::uint64_t seed, unsigned depth) const {
        if (depth == 0) {
            return leaf_throws(seed);
        }
        for (unsigned i = 0; i < branches(seed); ++i) {
            if (fails(child(seed, i), depth - 1)) {
                return true;
            }
        }
        return false;
    }

    std::uint64_t run(std::uint64_t seed, unsigned depth) {
        if (depth == 0) {
            return leaf(seed);
        }
        const auto at = [this, seed, depth](unsigned i) { return run(child(seed, i), depth - 1); };
        const unsigned n = branches(seed);
        switch (kind(seed)) {
        case 0: return in_branches(at, n);
        case 1: return in_finish(at, n);
        case 2: return in_group(at, n, seed);
        case 3: return in_futures(seed, depth, n);
        case 4: return in_loop(at, n);
        case 5: return skerry::parallel_transform_reduce(indices(n), std::uint64_t{0}, std::plus<>(), at);
        case 6: return in_tasks(at, n);
        case 7: return skerry::blocking([&] { return in_branches(at, n); });
        case 8: return in_runtime(at, n, seed);
        default: return in_sort(at, n);
        }
    }

    unsigned left_behind() const { return left_behind_; }
    bool sorted() const { return sorted_; }

  private:
    static std::uint64_t child(std::uint64_t seed, unsigned i) { return mix(seed + i + 1); }
    static unsigned branches(std::uint64_t seed) { return 1 + static_cast<unsigned>(mix(seed ^ 0x1234) % 4); }
    // A runtime of its own seldom: it starts threads.
    static unsigned kind(std::uint64_t seed) {
        const auto k = static_cast<unsigned>(mix(seed ^ 0x4321) % 200);
        return k == 0 ? 8 : k % 9 + (k % 9 == 8 ? 1 : 0);
    }
    static std::uint64_t leaf_value(std::uint64_t seed) { return mix(seed) >> 8U; }
    bool leaf_throws(std::uint64_t seed) const { return settings_.throws && mix(seed ^ 0x77) % 200 == 0; }
    static std::vector<unsigned> indices(unsigned n) {
        std::vector<unsigned> all(n);
        for (unsigned i = 0; i < n; ++i) {
            all[i] = i;
        }
        return all;
    }

    std::uint64_t leaf(std::uint64_t seed) const {
        if (leaf_throws(seed)) {
            throw failure();
        }
        return leaf_value(seed);
    }

    template <class At>
    std::uint64_t in_branches(const At& at, unsigned n) {
        census here(left_behind_);
        const auto branch = [&](unsigned i) {
            const census::member inside(here);
            return i < n ? at(i) : 0;
        };
        if (n == 1) {
            return branch(0);
        }
        if (n == 2) {
            const auto [a, b] = skerry::parallel_invoke([&] { return branch(0); }, [&] { return branch(1); });
            return a + b;
        }
        const auto [a, b, c, d] = skerry::parallel_invoke([&] { return branch(0); }, [&] { return branch(1); },
                                                          [&] { return branch(2); }, [&] { return branch(3); });
        return a + b + c + d;
    }

    template <class At>
    std::uint64_t in_finish(const At& at, unsigned n) {
        std::atomic<std::uint64_t> sum{0};
        census here(left_behind_);
        skerry::finish([&](skerry::scope& s) {
            for (unsigned i = 0; i < n; ++i) {
                s.async([&, i] {
                    const census::member inside(here);
                    sum += at(i);
                });
            }
        });
        return sum;
    }

    template <class At>
    std::uint64_t in_group(const At& at, unsigned n, std::uint64_t seed) {
        std::atomic<std::uint64_t> sum{0};
        census here(left_behind_);
        skerry::task_group group;
        for (unsigned i = 0; i < n; ++i) {
            group.run([&, i] {
                const census::member inside(here);
                sum += at(i);
            });
            if (settings_.cancels && mix(seed ^ i) % 5 == 0) {
                group.cancel();
            }
        }
        group.wait();
        return sum;
    }

    // What a future's task uses outlives it here: the region's end waits for tasks whose futures are gone.
    std::uint64_t in_futures(std::uint64_t seed, unsigned depth, unsigned n) {
        std::vector<skerry::future<std::uint64_t>> futures;
        for (unsigned i = 0; i < n; ++i) {
            futures.push_back(skerry::submit([this, seed, depth, i] { return run(child(seed, i), depth - 1); }));
        }
        std::uint64_t sum = 0;
        for (auto& f : futures) {
            sum += f.get();
        }
        return sum;
    }

    template <class At>
    std::uint64_t in_loop(const At& at, unsigned n) {
        std::atomic<std::uint64_t> sum{0};
        census here(left_behind_);
        skerry::parallel_for(
            0U, n,
            [&](unsigned i) {
                const census::member inside(here);
                sum += at(i);
            },
            skerry::grain::fixed(1));
        return sum;
    }

    // In order, by the access to the sum; each beside tasks that only look.
    template <class At>
    std::uint64_t in_tasks(const At& at, unsigned n) {
        std::uint64_t sum = 0;
        census here(left_behind_);
        skerry::finish([&](skerry::scope&) {
            for (unsigned i = 0; i < n; ++i) {
                skerry::spawn(
                    [&here, &at, i](std::uint64_t& s) {
                        const census::member inside(here);
                        s += at(i);
                    },
                    skerry::inout(sum));
                skerry::spawn([&here](const std::uint64_t&) { const census::member inside(here); }, skerry::in(sum));
            }
            if (n % 2 == 0) {
                skerry::taskwait();
            }
        });
        return sum;
    }

    template <class At>
    std::uint64_t in_runtime(const At& at, unsigned n, std::uint64_t seed) {
        skerry::options o;
        o.workers = 1 + static_cast<unsigned>(seed % 3);
        skerry::runtime inner(o);
        return inner.run([&] { return in_branches(at, n); });
    }

    template <class At>
    std::uint64_t in_sort(const At& at, unsigned n) {
        std::vector<std::uint64_t> values(3000);
        std::uint64_t x = n;
        for (std::uint64_t& v : values) {
            v = x = mix(x);
        }
        skerry::parallel_sort(values);
        if (!std::is_sorted(values.begin(), values.end())) {
            sorted_ = false;
        }
        return in_branches(at, n);
    }

    const settings settings_;
    std::atomic<unsigned> left_behind_{0};
    std::atomic<bool> sorted_{true};
};

constexpr unsigned depth = 4;

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
    if (p.left_behind() != 0) {
        return std::to_string(p.left_behind()) + " tasks ran on when their construct had ended";
    }
    if (!p.sorted()) {
        return "sorted wrongly";
    }
    if (value && !s.cancels && (fails || *value != expected)) {
        return fails ? "did not fail" : "wrong value";
    }
    return {};
}

// A child of a process with many threads: it has one, and a runtime of its own.
std::string wrong_with_a_fork(std::uint64_t seed) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(120);
        _exit(wrong_with(nullptr, seed, {}, false).empty() ? 0 : 1);
    }
    const int status = skerry_test::wait_for(child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? "" : "a forked child ended with " + std::to_string(status);
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
    skerry::options o = skerry::options::from_environment();
    o.workers = 3;
    skerry::runtime shared(o);
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
