// SPDX-License-Identifier: Apache-2.0

#include "bodies.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <skerry/dataflow.hpp>
#include <skerry/skerry.hpp>
#include <unistd.h>

#include "checks.hpp"

namespace skerry_test {

namespace {

using skerry::in;
using skerry::inout;
using skerry::out;
using skerry::region;
using skerry::spawn;
using skerry::taskwait;
using skerry::taskwait_on;

// --- each kind of work that may cross -------------------------------------------------------------------------------

// A task tells the process that waits for its beginning. Processes share nothing, so it does by a signal.
std::atomic<int> told{0};
void listen() {
    CHECK(std::signal(SIGUSR1, [](int) { told.fetch_add(1); }) != SIG_ERR);
}
void tell(pid_t process) {
    if (::kill(process, SIGUSR1) != 0) {
        throw std::runtime_error("cannot tell the other process");
    }
}
// Keeps the worker until somebody has told, so that nothing else runs on it.
void hold_until_told() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (told.load() == 0) {
        CHECK(std::chrono::steady_clock::now() < deadline);
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    told.fetch_sub(1);
}

void here(pid_t& ran_in, pid_t spawned_in) {
    ran_in = ::getpid();
    tell(spawned_in);
}
void stay_here(pid_t& ran_in) { ran_in = ::getpid(); }

using pids = std::span<pid_t>;

// Its own task crosses again: back to where the parent is, which waits.
void spawn_further(pids two, pid_t parent) {
    two[0] = ::getpid();
    tell(parent);
    spawn(here, out(two[1]), ::getpid());
    hold_until_told();
}

enum place : std::size_t { body, left, right, inside_finish, async, future, group, further, furthest, places };

// Each task that is spawned here is begun elsewhere before this goes on.
void spawn_everywhere(pids ran_in, pid_t first) {
    listen();
    tell(first);
    const auto spawn_at = [ran_in](place p) {
        spawn(here, out(ran_in[p]), ::getpid());
        hold_until_told();
    };
    spawn_at(body);
    skerry::parallel_invoke([&] { spawn_at(left); }, [&] { spawn_at(right); });
    skerry::finish([&](skerry::scope& s) {
        spawn_at(inside_finish);
        s.async([&] { spawn_at(async); });
    });
    skerry::submit([&] {
        spawn_at(future);
        return 0;
    }).get();
    skerry::task_group g;
    g.run([&] { spawn_at(group); });
    g.wait();
    spawn(spawn_further, inout(ran_in.subspan(further, 2)), ::getpid());
    hold_until_told();
    taskwait(); // idle from here on: the grandchild comes
}

void kinds(skerry::runtime& r) {
    CHECK(r.workers() == 1);
    listen();
    const auto ran_in = skerry::root_region().make_array<pid_t>(places);
    const pid_t first = ::getpid();
    spawn(spawn_everywhere, inout(ran_in), first);
    hold_until_told(); // the other process has begun it
    taskwait();
    for (std::size_t p = body; p <= further; ++p) {
        CHECK(ran_in[p] == first); // stolen back
    }
    CHECK(ran_in[furthest] != first && ran_in[furthest] != 0); // and back again
}

void spawn_one_and_wait(pid_t& ran_in, pid_t first) {
    listen();
    tell(first);
    spawn(here, out(ran_in), ::getpid());
    hold_until_told();
    tell(first);
}

// A worker of the first process that has nothing to do asks for work, too, though nobody waits there. The other process
// has one worker.
void idle_at_home(skerry::runtime& r) {
    CHECK(r.workers() == 2);
    listen();
    auto& ran_in = *skerry::root_region().make<pid_t>(0);
    std::atomic<bool> busy{false};
    std::atomic<bool> away{false};
    spawn([&] {
        busy = true;
        while (!away) {
            std::this_thread::yield();
        }
    });
    while (!busy) {
        std::this_thread::yield();
    }
    spawn(spawn_one_and_wait, inout(ran_in), ::getpid());
    hold_until_told(); // the other process has begun it
    away = true;
    hold_until_told(); // what it spawned has run: neither there nor by this worker
    taskwait();
    CHECK(ran_in == ::getpid());
}

// --- waits inside waits ---------------------------------------------------------------------------------------------

using numbers = std::span<std::uint64_t>;
constexpr std::size_t fan = 3;

std::uint64_t mixed(std::uint64_t x) { return (x ^ (x >> 29U)) * 0xbf58476d1ce4e5b9U; }

void tree(numbers all, bool waits) {
    if (all.size() == 1) {
        all[0] = mixed(all[0]);
        return;
    }
    const std::size_t part = all.size() / fan;
    for (std::size_t i = 0; i < fan; ++i) {
        spawn(tree, inout(all.subspan(i * part, part)), waits);
    }
    if (waits) {
        taskwait();
        for (std::uint64_t& x : all) {
            x = mixed(x + all.size());
        }
    } else if (part > 1) { // one after the other, without a wait
        spawn(tree, inout(all.first(part)), waits);
    }
}
void tree_in_place(numbers all, bool waits) {
    if (all.size() == 1) {
        all[0] = mixed(all[0]);
        return;
    }
    const std::size_t part = all.size() / fan;
    for (std::size_t i = 0; i < fan; ++i) {
        tree_in_place(all.subspan(i * part, part), waits);
    }
    if (waits) {
        for (std::uint64_t& x : all) {
            x = mixed(x + all.size());
        }
    } else if (part > 1) {
        tree_in_place(all.first(part), waits);
    }
}

// Every process waits for tasks of every other one.
void nests(skerry::runtime&) {
    constexpr std::size_t n = fan * fan * fan * fan;
    region home = skerry::root_region().create();
    const numbers all = home.make_array<std::uint64_t>(2 * n);
    std::vector<std::uint64_t> expected(2 * n);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        all[i] = expected[i] = i;
    }
    for (int round = 0; round < 20; ++round) {
        spawn(tree, inout(all.first(n)), true);
        spawn(tree, inout(all.subspan(n)), false);
        if (round % 3 == 2) {
            taskwait();
        }
        tree_in_place(numbers(expected).first(n), true);
        tree_in_place(numbers(expected).subspan(n), false);
    }
    taskwait();
    CHECK(std::vector<std::uint64_t>(all.begin(), all.end()) == expected);
    home.destroy_all();
}

// --- regions that are read and written on both sides ----------------------------------------------------------------

struct leaf {
    std::uint64_t value;
    leaf* next;
};
struct branch {
    region home;
    branch* left = nullptr;
    branch* right = nullptr;
    leaf* first = nullptr;
};

void grow(region& home, branch& b, std::uint64_t depth) {
    if (depth == 0) {
        b.first = home.make<leaf>(leaf{depth + 1, b.first});
        return;
    }
    for (branch** const side : {&b.left, &b.right}) {
        if (*side == nullptr) {
            const region inner = home.create();
            *side = region(inner).make<branch>(branch{.home = inner});
        }
        spawn(grow, inout((*side)->home), inout(**side), depth - 1);
    }
}
void count(const region&, const branch& b, numbers sums) {
    if (sums.size() == 1) {
        sums[0] = 0;
        for (const leaf* l = b.first; l != nullptr; l = l->next) {
            sums[0] += l->value;
        }
        return;
    }
    spawn(count, in(b.left->home), in(*b.left), out(sums.first(sums.size() / 2)));
    spawn(count, in(b.right->home), in(*b.right), out(sums.last(sums.size() / 2)));
}

void forests(skerry::runtime&) {
    constexpr std::uint64_t depth = 4;
    region results = skerry::root_region().create();
    region home = skerry::root_region().create();
    auto* const top = home.make<branch>(branch{.home = home});
    const numbers sums = results.make_array<std::uint64_t>(std::size_t{1} << depth);
    const numbers same = results.make_array<std::uint64_t>(std::size_t{1} << depth);
    for (std::uint64_t round = 1; round <= 15; ++round) {
        spawn(grow, inout(home), inout(*top), depth);
        spawn(count, in(home), in(*top), out(sums)); // both at a time
        spawn(count, in(home), in(*top), out(same));
        if (round % 2 == 0) {
            taskwait();
            for (std::size_t i = 0; i < sums.size(); ++i) {
                CHECK(sums[i] == round && same[i] == round);
            }
        }
    }
    taskwait();
    home.destroy_all();
    results.destroy_all();
}

// --- where nothing may go -------------------------------------------------------------------------------------------

// A task that declares nothing stays: its children need what is here. The other process passes it over and takes the
// next.
void undeclared(skerry::runtime& r) {
    const pids ran_in = skerry::root_region().make_array<pid_t>(3);
    CHECK(r.workers() == 1);
    listen();
    spawn(
        [](pid_t* cells) {
            cells[0] = ::getpid();
            spawn(stay_here, out(cells[1]));
        },
        ran_in.data());
    spawn(here, out(ran_in[2]), ::getpid());
    hold_until_told();
    taskwait();
    CHECK(ran_in[0] == ::getpid() && ran_in[1] != 0 && ran_in[2] != ::getpid());
}

// One that declares an object of no bytes says that it needs none, and goes.
void no_bytes(skerry::runtime& r) {
    static_cast<void>(skerry::root_region());
    constexpr std::span<const int> none;
    spawn([](std::span<const int>) {}, in(none));
    hold_until_taken(r, 1);
    taskwait();
}

// --- what is here already -------------------------------------------------------------------------------------------

void read_there(const std::uint64_t& x, std::uint64_t& seen, pid_t spawned_in) {
    seen = x;
    tell(spawned_in);
}

void write_and_read(std::uint64_t& x, const std::uint64_t& /*x*/, std::uint64_t& seen, pid_t first) {
    listen();
    tell(first);
    x = 2;
    spawn(read_there, in(x), out(seen), ::getpid());
    hold_until_told();
}

// A task that says twice what it does with an object writes it: what it wrote goes along with its child, back to where
// the task came from.
void both_modes(skerry::runtime& r) {
    CHECK(r.workers() == 1);
    listen();
    const numbers all = skerry::root_region().make_array<std::uint64_t>(2);
    all[0] = 1;
    spawn(write_and_read, inout(all[0]), in(all[0]), out(all[1]), ::getpid());
    hold_until_told();
    taskwait();
    CHECK(all[1] == 2);
}

std::atomic<int> readers{0}; // of this process

// Reads until a second task does.
void read_on(const std::uint64_t& x, std::uint64_t& sum, pid_t spawned_in) {
    readers.fetch_add(1);
    tell(spawned_in);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    do {
        sum += x;
        CHECK(std::chrono::steady_clock::now() < deadline);
    } while (readers.load() < 2);
}

// What a task reads is not sent again meanwhile, though home has forgotten that it was: ThreadSanitizer would see it.
// The other process has two workers.
void sent_once(skerry::runtime& r) {
    CHECK(r.workers() == 1);
    listen();
    const numbers all = skerry::root_region().make_array<std::uint64_t>(4);
    all[0] = 1;
    spawn(read_on, in(all[0]), inout(all[1]), ::getpid());
    hold_until_told();
    // Here, since it has a state; when its wait is over its objects may change.
    spawn(
        [&r](std::uint64_t& x) {
            CHECK(r.workers() == 1);
            spawn([](std::uint64_t& to) { ++to; }, inout(x));
            taskwait();
        },
        inout(all[3]));
    taskwait_on(in(all[3]));
    spawn(read_on, in(all[0]), inout(all[2]), ::getpid());
    hold_until_told();
    taskwait();
    CHECK(all[1] != 0 && all[2] != 0);
}

// Only what a task declares as written comes back, also if its accesses overlap: the parent may read the rest
// meanwhile, and ThreadSanitizer would see it written.
void read_beside(skerry::runtime& r) {
    const numbers all = skerry::root_region().make_array<std::uint64_t>(3);
    std::ranges::fill(all, 5);
    spawn([](std::span<const std::uint64_t> from, numbers to) { to[0] = to[1] = from[1] + 1; }, in(all.subspan(1)),
          inout(all.first(2)));
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    std::uint64_t sum = 0;
    while (taken(r) == 0) {
        sum += all[2];
        CHECK(std::chrono::steady_clock::now() < deadline);
    }
    taskwait();
    CHECK(sum % 5 == 0 && all[0] == 6 && all[1] == 6 && all[2] == 5);
}

} // namespace

program_body stealing_program(std::string_view name) {
    constexpr named_program all[] = {
        {"kinds", kinds},       {"idle_at_home", idle_at_home}, {"nests", nests},
        {"forests", forests},   {"undeclared", undeclared},     {"both_modes", both_modes},
        {"no_bytes", no_bytes}, {"sent_once", sent_once},       {"read_beside", read_beside}};
    return body_of(all, name);
}

} // namespace skerry_test
