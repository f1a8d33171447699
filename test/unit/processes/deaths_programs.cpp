// SPDX-License-Identifier: Apache-2.0

// Programs in which a process is killed: at a place that it chooses, or at any time by a thread of its own
// (deaths_test.cpp).

#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>

#include <program.hpp>
#include <skerry/dataflow.hpp>
#include <skerry/skerry.hpp>
#include <unistd.h>

#include "fabric/shm/shm.hpp"
#include "launched_programs.hpp"

namespace skerry_test {

namespace {

using skerry::inout;
using skerry::spawn;
using skerry::taskwait;
using numbers = std::span<std::uint64_t>;

unsigned rank() { return static_cast<unsigned>(std::stoi(std::getenv("SKERRY_RANK"))); }

[[noreturn]] void die() {
    ::kill(::getpid(), SIGKILL);
    std::abort(); // not reached
}

// Keeps the worker. The end of another process ends this one meanwhile, or something is wrong.
[[noreturn]] void be_ended() {
    std::this_thread::sleep_for(std::chrono::minutes(1));
    throw std::logic_error("nothing has ended this process");
}

// --- where it chooses ------------------------------------------------------------------------------------------------

constexpr std::array names{"one", "two", "three", "four", "five", "six", "seven", "eight"};

// More than one process takes, so that each of the others has some.
void spawn_all(void (*task)(std::uint64_t&, std::size_t)) {
    const numbers all = skerry::root_region().make_array<std::uint64_t>(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
        spawn(skerry::task_options{.name = names[i]}, task, inout(all[i]), i);
    }
}

void last_dies(std::uint64_t&, std::size_t i) {
    if (rank() != 2) {
        tell(moment::begun);
        be_ended();
    }
    await(moment::begun);
    std::fprintf(stderr, "dies in %s\n", names.at(i));
    die();
}
void one_of_three(skerry::runtime&) {
    spawn_all(last_dies);
    be_ended();
}

void die_here(std::uint64_t&) { die(); }
void give_away(numbers all) {
    tell(moment::begun);
    spawn(skerry::task_options{.name = "child"}, die_here, inout(all[0]));
    be_ended();
}
// A task of one of the others, in the third.
void child_of_another(skerry::runtime&) {
    spawn(give_away, inout(skerry::root_region().make_array<std::uint64_t>(2)));
    be_ended();
}
// It has come to where its parent was spawned.
void child_in_the_first(skerry::runtime&) {
    spawn(give_away, inout(skerry::root_region().make_array<std::uint64_t>(2)));
    await(moment::begun);
    taskwait();
    be_ended();
}

void begin(std::uint64_t&, std::size_t) {
    tell(rank() == 1 ? moment::begun : moment::child_begun);
    be_ended();
}
void the_first_of_three(skerry::runtime&) {
    spawn_all(begin);
    await(moment::begun);
    await(moment::child_begun);
    die();
}
void the_first_when_nobody_has_work(skerry::runtime&) { die(); }

// --- at any time -----------------------------------------------------------------------------------------------------

void step(std::uint64_t& x) { x = x * 3 + 1; }
void steps(numbers all) {
    for (std::uint64_t& x : all) {
        spawn(step, inout(x));
    }
    taskwait();
    for (std::uint64_t& x : all) {
        spawn(step, inout(x));
    }
}

template <class Round>
[[noreturn]] void go_on(Round&& round) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    tell(moment::begun);
    while (std::chrono::steady_clock::now() < end) {
        round();
    }
    throw std::logic_error("nothing has ended this process");
}

void many_tasks(skerry::runtime&) {
    constexpr std::size_t lanes = 16;
    constexpr std::size_t cells = 4;
    const numbers all = skerry::root_region().make_array<std::uint64_t>(lanes * cells);
    go_on([all] {
        for (std::size_t lane = 0; lane < 2 * lanes; ++lane) {
            spawn(steps, inout(all.subspan(lane % lanes * cells, cells)));
        }
        taskwait();
    });
}

void digits(skerry::runtime&) {
    apps::options o;
    o.size = apps::size::tiny;
    const auto made = apps::find_program("digits")->parallel(o);
    go_on([&made] {
        made->reset();
        made->run();
    });
}

const launched_programs here{{"one_of_three", one_of_three},
                             {"child_of_another", child_of_another},
                             {"child_in_the_first", child_in_the_first},
                             {"the_first_of_three", the_first_of_three},
                             {"the_first_when_nobody_has_work", the_first_when_nobody_has_work},
                             {"many_tasks", many_tasks},
                             {"digits", digits}};

} // namespace

} // namespace skerry_test
