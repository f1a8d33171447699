// SPDX-License-Identifier: Apache-2.0
#pragma once

// What every steal protocol must do, as programs over the public interface: one source on hardware threads, on
// simulated cores and in processes. Programs that are about a steal make it happen: branches that wait for each other.
// What dataflow tasks access lies in a region, so that those can cross between processes.
//
// A program says what went wrong, or null. It begins no runtime: it is run inside one of at least two workers, of which
// no other program takes part; tasks beside it, all of which end, may keep a worker from it for a while.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <skerry/dataflow.hpp>
#include <skerry/skerry.hpp>
#include <skerry/task.hpp>

#include "runtime/engine.hpp"

namespace skerry_test {

using skerry::detail::engine;
using skerry::detail::machine;

inline skerry::detail::team& crew() { return engine::current().crew(); }

inline void wait_for(const std::atomic<unsigned>& word, unsigned least) {
    while (word.load(std::memory_order_acquire) < least) {
        machine::pause();
    }
}

inline long fib(long n) {
    if (n < 2) {
        return n;
    }
    const auto [a, b] = skerry::parallel_invoke([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
    return a + b;
}

inline const char* fork_and_join() { return fib(12) == 144 ? nullptr : "fib(12) is not 144"; }

// The papers' low-level form.
struct fib_task final : skerry::task {
    fib_task(int n_, long* sum_) : n(n_), sum(sum_) {}
    void execute() override {
        if (n < 2) {
            *sum = n;
            return;
        }
        long x = 0;
        long y = 0;
        fib_task a(n - 1, &x);
        fib_task b(n - 2, &y);
        reference_count = 2;
        spawn(&a);
        spawn(&b);
        wait(this);
        *sum = x + y;
    }
    int n;
    long* sum;
};

inline const char* low_level_tasks() {
    long sum = 0;
    fib_task root(11, &sum);
    skerry::task::run_root(root);
    return sum == 89 ? nullptr : "fib(11) by tasks is not 89";
}

inline long queens(std::array<int, 8>& columns, int row, int n) {
    if (row == n) {
        return 1;
    }
    std::array<long, 8> found{};
    skerry::parallel_for(
        0, n,
        [&](int c) {
            for (int r = 0; r < row; ++r) {
                const int other = columns[static_cast<std::size_t>(r)];
                if (other == c || other - c == row - r || c - other == row - r) {
                    return;
                }
            }
            std::array<int, 8> next = columns;
            next[static_cast<std::size_t>(row)] = c;
            found[static_cast<std::size_t>(c)] = queens(next, row + 1, n);
        },
        skerry::grain::fixed(1));
    return std::accumulate(found.begin(), found.end(), 0L);
}

inline const char* n_queens() {
    std::array<int, 8> columns{};
    return queens(columns, 0, 6) == 4 ? nullptr : "six queens do not stand in four ways";
}

inline const char* loop_over_vectors() {
    constexpr int n = 600;
    std::vector<int> a(n);
    std::vector<int> b(n);
    std::vector<int> sum(n);
    std::iota(a.begin(), a.end(), 1);
    std::iota(b.begin(), b.end(), 1000);
    skerry::parallel_for(0, n, [&](int i) {
        const auto at = static_cast<std::size_t>(i);
        sum[at] = a[at] + b[at];
    });
    for (int i = 0; i < n; ++i) {
        if (sum[static_cast<std::size_t>(i)] != 1001 + 2 * i) {
            return "a sum of two elements is wrong";
        }
    }
    return nullptr;
}

inline void count_into(skerry::scope& s, std::vector<int>& cells, std::size_t first, std::size_t last) {
    if (last - first == 1) {
        ++cells[first];
        return;
    }
    const std::size_t middle = first + (last - first) / 2;
    s.async([&s, &cells, first, middle] { count_into(s, cells, first, middle); });
    s.async([&s, &cells, middle, last] { count_into(s, cells, middle, last); });
}

inline const char* finish_and_async() {
    std::vector<int> cells(48);
    skerry::finish([&](skerry::scope& s) { count_into(s, cells, 0, cells.size()); });
    for (const int c : cells) {
        if (c != 1) {
            return "an asynchronous task did not run exactly once";
        }
    }
    return nullptr;
}

inline const char* futures() {
    std::vector<skerry::future<long>> all;
    for (long n = 1; n <= 10; ++n) {
        all.push_back(skerry::submit([n] { return fib(n); }));
    }
    long sum = 0;
    for (auto& f : all) {
        sum += f.get();
    }
    return sum == 143 ? nullptr : "ten futures do not add up";
}

inline const char* group_of_tasks() {
    std::vector<long> cells(20);
    skerry::task_group group;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        group.run([&cells, i] { cells[i] = fib(static_cast<long>(i % 7)); });
    }
    group.wait();
    long sum = 0;
    for (const long c : cells) {
        sum += c;
    }
    return sum == 60 - 8 ? nullptr : "the tasks of a group do not add up";
}

// Both branches throw, and both run: the leftmost exception arrives, from whichever thread.
inline const char* exception_of_a_stolen_branch() {
    std::atomic<unsigned> met{0};
    for (int round = 0; round < 2; ++round) {
        met.store(0, std::memory_order_release);
        const bool first_throws = round == 0;
        try {
            skerry::parallel_invoke(
                [&] {
                    met.fetch_add(1);
                    wait_for(met, 2);
                    if (first_throws) {
                        throw std::runtime_error("left");
                    }
                },
                [&] {
                    met.fetch_add(1);
                    throw std::runtime_error("right");
                });
            return "no exception came";
        } catch (const std::runtime_error& e) {
            if (std::string_view(e.what()) != (first_throws ? "left" : "right")) {
                return "not the leftmost exception came";
            }
        }
    }
    return nullptr;
}

inline long deep(std::size_t levels) {
    if (levels == 0) {
        return 0;
    }
    const auto [a, b] = skerry::parallel_invoke([levels] { return deep(levels - 1); }, [] { return 1L; });
    return a + b;
}

inline const char* growth_of_the_deque() {
    const std::size_t levels = machine::initial_capacity + 20;
    return deep(levels) == static_cast<long>(levels) ? nullptr : "a deep recursion lost branches";
}

// As many leaves as workers, each of which waits for all: every other worker has to steal.
inline void meet(std::atomic<unsigned>& met, std::vector<unsigned>& at, unsigned first, unsigned last) {
    if (last - first > 1) {
        const unsigned middle = first + (last - first) / 2;
        skerry::parallel_invoke([&] { meet(met, at, first, middle); }, [&] { meet(met, at, middle, last); });
        return;
    }
    at[first] = skerry::this_worker::slot();
    met.fetch_add(1);
    wait_for(met, static_cast<unsigned>(at.size()));
}

inline const char* all_workers_meet() {
    std::atomic<unsigned> met{0};
    std::vector<unsigned> at(crew().workers());
    meet(met, at, 0, crew().workers());
    std::vector<bool> seen(crew().slots());
    for (const unsigned slot : at) {
        if (seen[slot]) {
            return "two leaves that waited for each other ran on one worker";
        }
        seen[slot] = true;
    }
    return nullptr;
}

// Every worker has gone to sleep; the same again has to wake them.
inline const char* sleepers_are_woken() {
    const auto all_asleep = [] {
        unsigned asleep = 0;
        for (unsigned i = 0; i < crew().slots(); ++i) {
            asleep += crew().slot(i).sleeping.prepared() ? 1U : 0U;
        }
        return asleep + 1 >= crew().workers();
    };
    for (int round = 0; round < 3; ++round) {
        while (!all_asleep()) {
            machine::pause();
        }
        if (const char* const wrong = all_workers_meet()) {
            return wrong;
        }
    }
    return nullptr;
}

// Of two workers, the thief forks a branch that waits for its sibling: only the joiner can run that.
inline const char* joiner_helps_its_thief() {
    std::atomic<unsigned> stolen{0};
    std::atomic<unsigned> inner{0};
    unsigned thief = ~0U;
    unsigned helper = ~0U;
    skerry::parallel_invoke([&] { wait_for(stolen, 1); },
                            [&] {
                                thief = skerry::this_worker::slot();
                                stolen.fetch_add(1);
                                skerry::parallel_invoke([&] { wait_for(inner, 1); },
                                                        [&] {
                                                            helper = skerry::this_worker::slot();
                                                            inner.fetch_add(1);
                                                        });
                            });
    return helper == thief ? "a branch ran on a worker that waited for it" : nullptr;
}

// Three tasks in a deque; the waiter takes the middle one out first, unless a thief was faster.
inline const char* future_from_the_middle() {
    int got = 0;
    skerry::finish([&](skerry::scope&) {
        auto below = skerry::submit([] { return 1; });
        auto middle = skerry::submit([] { return 2; });
        auto above = skerry::submit([] { return 3; });
        got = middle.get();
        got += below.get() + above.get();
    });
    return got == 6 ? nullptr : "futures lost values";
}

// Chains of tasks over objects that they share.
inline void add_to(const long& from, long& to) { to += from; }

inline const char* dataflow_tasks() {
    constexpr std::size_t n = 24;
    skerry::region home = skerry::root_region().create();
    const std::span<long> cells = home.make_array<long>(n);
    std::array<long, n> wanted{};
    std::ranges::fill(cells, 1);
    wanted.fill(1);
    for (int round = 0; round < 3; ++round) {
        for (std::size_t i = 1; i < n; ++i) {
            skerry::spawn(add_to, skerry::in(cells[(i * 7 + 1) % n]), skerry::inout(cells[i]));
            wanted[i] += wanted[(i * 7 + 1) % n];
        }
    }
    skerry::taskwait();
    const bool same = std::ranges::equal(cells, wanted);
    home.destroy_all();
    return same ? nullptr : "tasks did not run in the order of what they access";
}

// Tiles of a matrix, and its columns, which cross them.
inline void step_tile(skerry::tile<const long, 2> from, skerry::tile<long, 2> to) {
    for (std::size_t i = 0; i < to.extent(0); ++i) {
        for (std::size_t j = 0; j < to.extent(1); ++j) {
            to(i, j) = 3 * to(i, j) + from(i % from.extent(0), j % from.extent(1)) + 1;
        }
    }
}

inline const char* tasks_on_parts() {
    constexpr std::size_t n = 13; // so that tiles share cache lines
    skerry::region home = skerry::root_region().create();
    const std::span<long> cells = home.make_array<long>(n * n);
    std::array<long, n * n> wanted{};
    const auto tiles = skerry::partition(cells, {n, n}, {5, 5});
    const auto columns = skerry::partition(cells, {n, n}, {n, 4});
    const auto tiles_wanted = skerry::partition(wanted, {n, n}, {5, 5});
    const auto columns_wanted = skerry::partition(wanted, {n, n}, {n, 4});
    for (std::size_t i = 0; i < 27; ++i) {
        const std::size_t row = i / 3 % 3;
        const std::size_t column = i % 3;
        skerry::spawn(step_tile, skerry::in(tiles(2 - row, column)), skerry::inout(tiles(row, 2 - column)));
        step_tile(tiles_wanted(2 - row, column), tiles_wanted(row, 2 - column));
        if (i % 9 == 4) {
            skerry::spawn(step_tile, skerry::in(columns(0, 3)), skerry::inout(columns(0, column)));
            step_tile(columns_wanted(0, 3), columns_wanted(0, column));
        }
    }
    skerry::taskwait();
    const bool same = std::ranges::equal(cells, wanted);
    home.destroy_all();
    return same ? nullptr : "tasks did not run in the order of the parts that they access";
}

struct program {
    const char* name;
    const char* (*run)();
    unsigned workers;    // 0: all
    unsigned steals = 0; // at least so many, each time, if there are four workers or as many as it asks for
};

inline constexpr program programs[] = {
    {"fork_and_join", fork_and_join, 0},
    {"low_level_tasks", low_level_tasks, 0},
    {"n_queens", n_queens, 0},
    {"loop_over_vectors", loop_over_vectors, 0},
    {"finish_and_async", finish_and_async, 0},
    {"futures", futures, 0},
    {"group_of_tasks", group_of_tasks, 0},
    {"exception_of_a_stolen_branch", exception_of_a_stolen_branch, 0, 2},
    {"growth_of_the_deque", growth_of_the_deque, 0},
    {"all_workers_meet", all_workers_meet, 0, 3},
    {"sleepers_are_woken", sleepers_are_woken, 0, 9},
    {"dataflow_tasks", dataflow_tasks, 0},
    {"tasks_on_parts", tasks_on_parts, 0},
    {"future_from_the_middle", future_from_the_middle, 0},
    {"joiner_helps_its_thief", joiner_helps_its_thief, 2, 2},
};

} // namespace skerry_test
