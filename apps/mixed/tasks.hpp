// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tasks of the program: each takes the objects that it touches and calls other constructs on the way. Included by
// mixed.cpp, once in each variant.

#include "mixed/model.hpp"
#include "support/dataflow.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace apps::SKERRY_APP_VARIANT {

namespace mixed_tasks {

using mixed::intended;
using mixed::place;
using mixed::plan;
using numbers = std::span<std::uint64_t>;
using const_numbers = std::span<const std::uint64_t>;

inline void fill(numbers data, const plan& p, std::size_t lane) {
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = mixed::item(p, lane, i);
}

inline void step(std::uint64_t& x, std::uint64_t by) { x = scatter(x + by); }
inline void join(const std::uint64_t& x, std::uint64_t& y) { y = scatter(x ^ y); }
inline void set(std::uint64_t& x, std::uint64_t value) { x = value; }

/// Fork and join inside a task: a sum by halves.
inline std::uint64_t sum_by_halves(const_numbers data) {
    constexpr std::size_t leaf = 16;
    std::uint64_t sum = 0;
    if (data.size() <= leaf) {
        for (const std::uint64_t x : data) sum += x;
        return sum;
    }
    std::uint64_t rest = 0;
    par::parallel_invoke([&] { sum = sum_by_halves(data.first(data.size() / 2)); },
                         [&] { rest = sum_by_halves(data.subspan(data.size() / 2)); });
    return sum + rest;
}

inline void work(numbers data, std::size_t rounds) {
    par::parallel_for(std::size_t{0}, data.size(), [=](std::size_t i) { data[i] = mixed::worked(data[i], rounds); });
}
inline void total(const_numbers data, std::uint64_t& sum) { sum = sum_by_halves(data); }

/// Tasks inside a task, first in a row and then at the same time, and a wait for them.
inline void nest(numbers cells) {
    for (std::uint64_t& cell : cells) par::spawn(step, par::inout(cell), std::uint64_t{1});
    for (std::size_t i = 1; i < cells.size(); ++i) par::spawn(join, par::in(cells[i - 1]), par::inout(cells[i]));
    par::taskwait();
    cells[0] ^= cells[cells.size() - 1];
}

/// A finish inside a task, around an async, a branch and a task.
inline void finish_all(numbers cells) {
    par::finish([&](par::scope& s) {
        s.async([&] { step(cells[0], 2); });
        par::spawn(step, par::inout(cells[1]), std::uint64_t{3});
        par::parallel_invoke([&] { par::spawn(step, par::inout(cells[2]), std::uint64_t{4}); },
                             [&] { s.async([&] { par::spawn(step, par::inout(cells[3]), std::uint64_t{5}); }); });
    });
    for (std::size_t i = 1; i < cells.size(); ++i) cells[0] ^= cells[i];
}

/// Futures inside a task: one computes, one spawns and waits.
inline void look_ahead(numbers cells) {
    auto value = par::submit([cells] { return scatter(cells[0]); });
    auto done = par::submit([cells] {
        par::spawn(step, par::inout(cells[1]), std::uint64_t{6});
        par::taskwait();
        return cells[1];
    });
    cells[2] = value.get();
    cells[3] = done.get();
}

inline void fail_in_body(std::uint64_t&, std::size_t lane) { throw intended(place::task, lane); }

/// Both branches fail: the left one's exception is the serial program's.
inline void fail_in_branch(std::uint64_t&, std::size_t lane) {
    par::parallel_invoke([] {}, [=] { throw intended(place::branch, lane); },
                         [=] { throw intended(place::right_branch, lane); });
}

inline void fail_in_async(std::uint64_t&, std::size_t lane) {
    par::finish([=](par::scope& s) {
        s.async([] {});
        s.async([=] { throw intended(place::async, lane); });
    });
}

inline void fail_in_future(std::uint64_t&, std::size_t lane) {
    par::submit([=]() -> std::uint64_t { throw intended(place::future, lane); }).get();
}

inline void fail_in_group(std::uint64_t&, std::size_t lane) {
    par::task_group group;
    group.run([=] { throw intended(place::group, lane); });
    group.wait();
}

/// The body's own exception is heard, and what it has begun ends before.
inline void fail_in_finish(std::uint64_t& x, std::size_t lane) {
    par::finish([&](par::scope& s) {
        s.async([&x] { step(x, 20); });
        throw intended(place::finish, lane);
    });
}

inline void fail_in_task_of_branch(std::uint64_t& x, std::size_t lane) {
    par::parallel_invoke([] {}, [&] { par::spawn(fail_in_body, par::inout(x), lane); });
}

inline void fail_in_task_of_async(std::uint64_t& x, std::size_t lane) {
    par::finish([&](par::scope& s) { s.async([&] { par::spawn(fail_in_body, par::inout(x), lane); }); });
}

/// The child's exception arrives at the end of its parent, which fails by it.
inline void fail_in_child(numbers cells, std::size_t lane) {
    par::spawn(step, par::inout(cells[0]), std::uint64_t{7});
    par::spawn(fail_in_body, par::inout(cells[1]), lane);
    par::spawn(join, par::in(cells[1]), par::inout(cells[2])); // skipped
}

/// A group is called off, drops what comes then, and is as new after the wait. What its tasks spawn, they wait for.
/// Called off with tasks under way it may drop those, too, and no task that is not its own.
inline void call_off(numbers cells) {
    par::task_group group;
    group.run([&] {
        par::spawn(step, par::inout(cells[0]), std::uint64_t{8});
        par::taskwait();
        group.cancel();
        if (par::stop_requested()) step(cells[0], 9);
    });
    group.wait();
    group.cancel();
    group.run([&] { cells[1] = 0; });
    group.wait();
    group.run([&] {
        if (!par::stop_requested()) step(cells[2], 10);
    });
    group.wait();
    constexpr unsigned pending = 4;
    std::atomic<unsigned> begun{0};
    for (unsigned i = 0; i < pending; ++i) group.run([&begun] { ++begun; });
    par::spawn(step, par::inout(cells[3]), std::uint64_t{19});
    group.cancel();
    group.wait();
    par::taskwait();
    if (begun > pending) cells[3] = 0;
}

} // namespace mixed_tasks

} // namespace apps::SKERRY_APP_VARIANT
