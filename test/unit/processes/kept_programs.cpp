// SPDX-License-Identifier: Apache-2.0

// What tasks in other processes write stays there until somebody needs it. Each program is right however that is; most
// would be wrong if one of those who need it took what it has.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>

#include <skerry/dataflow.hpp>
#include <skerry/remote_error.hpp>
#include <skerry/skerry.hpp>
#include <sys/mman.h>

#include "checks.hpp"
#include "launched_programs.hpp"

namespace skerry_test {

namespace {

using skerry::in;
using skerry::inout;
using skerry::out;
using skerry::region;
using skerry::spawn;
using skerry::taskwait;

void add_one(int& x) { ++x; }
void copy(const int& from, int& to) { to = from; }

int* made(int value) { return skerry::root_region().create().make<int>(value); }

// What is in memory, whatever the compiler thinks may be there.
int peek(const int& x) { return *const_cast<const volatile int*>(&x); }

// Two tasks in a row on the same bytes, before and after a wait. A part of them is not touched the second time.
void rests(skerry::runtime& r, bool stays) {
    const std::span<int> all = skerry::root_region().create().make_array<int>(10'000);
    std::ranges::fill(all, 1);
    const auto add = [](std::span<int> numbers) {
        for (int& x : numbers) {
            add_one(x);
        }
    };
    spawn(add, inout(all));
    hold_until_taken(r, 1);
    const int after_one = peek(all[5000]);
    const std::span<int> middle = all.subspan(1000, 8000);
    spawn(add, inout(middle));
    hold_until_taken(r, 2);
    const int after_two = peek(all[5000]);
    taskwait();
    CHECK(std::ranges::count(all.first(1000), 2) == 1000);
    CHECK(std::ranges::count(middle, 3) == 8000);
    CHECK(std::ranges::count(all.last(1000), 2) == 1000);
    CHECK(after_one == (stays ? 1 : 2) && after_two == (stays ? 1 : 3));
    all[0] = 10; // there it is old now
    spawn(add, inout(all));
    hold_until_taken(r, 3);
    taskwait();
    CHECK(all[0] == 11 && all[1] == 3);
}
void stays(skerry::runtime& r) { rests(r, true); }
void is_sent(skerry::runtime& r) { rests(r, false); }

// A task here, which has a state and so does not go anywhere.
void by_a_task(skerry::runtime& r) {
    int* const x = made(1);
    int* const y = made(1);
    spawn(add_one, inout(*x));
    spawn(add_one, inout(*y));
    hold_until_taken(r, 2);
    int x_seen = 0;
    int y_seen = 0;
    spawn([&x_seen](int& here) { x_seen = here++; }, inout(*x));
    spawn([](int& here) { here = -here; }, inout(*x));
    spawn([&y_seen](const int& here) { y_seen = here; }, in(*y));
    taskwait();
    CHECK(x_seen == 2 && y_seen == 2 && *x == -3 && *y == 2);
}

// Who declares a region declares what lies in it, and the next one finds what the last one wrote.
void by_a_region(skerry::runtime& r) {
    region home = skerry::root_region().create();
    int* const x = home.make<int>(1);
    spawn(add_one, inout(*x));
    hold_until_taken(r, 1);
    int seen = 0;
    spawn([&seen, x](region&) { seen = (*x)++; }, inout(home));
    taskwait();
    CHECK(seen == 2 && *x == 3);
    spawn(add_one, inout(*x));
    spawn(
        [](region& there, int* p) {
            CHECK(*p == 4);
            *p = *there.make<int>(7);
        },
        inout(home), x);
    spawn(add_one, inout(*x));
    hold_until_taken(r, 4);
    taskwait();
    CHECK(*x == 8);
}

// By processes in turn: whoever comes next finds what another one keeps.
void by_others(skerry::runtime& r) {
    constexpr int rounds = 300;
    int* const x = made(0);
    int* const sum = made(0);
    for (int i = 0; i < rounds; ++i) {
        spawn(add_one, inout(*x));
        spawn([](const int& from, int& to) { to += from; }, in(*x), inout(*sum));
    }
    hold_until_taken(r, 2 * rounds);
    taskwait();
    CHECK(*x == rounds && *sum == rounds * (rounds + 1) / 2);
    for (const auto& e : r.executors()) {
        CHECK(e.name.starts_with("worker") || e.tasks > 10);
    }
}

// What a failed task has written is there, and so is what it would have.
void after_an_error(skerry::runtime& r) {
    int* const x = made(1);
    int* const y = made(1);
    spawn(add_one, inout(*x));
    spawn(add_one, inout(*y));
    hold_until_taken(r, 2);
    spawn(
        [](int& a, int&) {
            a = 7;
            throw std::runtime_error("too late");
        },
        inout(*x), inout(*y));
    hold_until_taken(r, 3);
    bool told = false;
    try {
        taskwait();
    } catch (const skerry::remote_error&) {
        told = true;
    }
    CHECK(told && *x == 7 && *y == 2);
}

// A wait within, while a task of the same parent has not even begun.
template <class Around>
void within(const skerry::runtime& r, const Around& around) {
    int* const other = made(0);
    int* const x = made(1);
    int* const seen = made(0);
    spawn([other](int& here) { CHECK(&here == other); }, inout(*other)); // has a state, so it stays
    around([&] {
        spawn(copy, in(*x), out(*seen));
        hold_until_taken(r, 1);
    });
    CHECK(*seen == 1);
    *x = 2;
    around([&] {
        spawn(copy, in(*x), out(*seen));
        hold_until_taken(r, 2);
    });
    CHECK(*seen == 2);
    taskwait();
}
void by_a_finish(skerry::runtime& r) {
    within(r, [](const auto& body) { skerry::finish([&](skerry::scope& /*unused*/) { body(); }); });
}
void by_a_group(skerry::runtime& r) {
    within(r, [](const auto& body) {
        skerry::task_group g;
        g.run(body);
        g.wait();
    });
}

void nap(int& x) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ++x;
}

// A task that goes to where its object is kept, and comes back unbegun: the only worker there waits for something else.
void by_one_that_comes_back(skerry::runtime& r) {
    const auto soon = std::chrono::milliseconds(2);
    for (int round = 0; round < 20; ++round) {
        int* const x = made(1);
        int* const y = made(0);
        spawn(add_one, inout(*x));
        std::this_thread::sleep_for(soon); // it ends there
        spawn(
            [](int& there) {
                spawn(nap, inout(there)); // back to the first process, which waits
                taskwait();
            },
            inout(*y));
        spawn(add_one, inout(*x));
        std::this_thread::sleep_for(soon); // both are there
        taskwait();
        CHECK(*x == 3 && *y == 1);
    }
    CHECK(taken(r) != 0);
}

// Nobody brings what is being written over there.
void by_nobody(skerry::runtime& r) {
    int* const x = made(1);
    spawn(add_one, inout(*x));
    hold_until_taken(r, 1);
    const int before = peek(*x);
    spawn(
        [](int& there) {
            ++there;
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            ++there;
        },
        inout(*x));
    std::this_thread::sleep_for(std::chrono::milliseconds(10)); // it has begun
    skerry::finish([](skerry::scope& /*unused*/) {});
    const int after = peek(*x);
    hold_until_taken(r, 2);
    taskwait();
    CHECK(before == after && *x == 4);
}

// A worker that waits for something else has time to bring it.
void ahead_of_need(skerry::runtime& r) {
    int* const x = made(1);
    int* const y = made(0);
    spawn(add_one, inout(*x));
    hold_until_taken(r, 1);
    spawn(
        [](int& there) {
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
            ++there;
        },
        inout(*y));
    std::this_thread::sleep_for(std::chrono::milliseconds(10)); // it has begun
    bool brought = false;
    std::thread looks([&] {
        for (int i = 0; i < 100 && !brought; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            brought = peek(*x) == 2;
        }
    });
    taskwait();
    looks.join();
    CHECK(brought && *x == 2 && *y == 1);
}

// Its own task writes what was kept: home gets it back as the next one left it.
void by_a_child(skerry::runtime& r) {
    int* const x = made(1);
    spawn(add_one, inout(*x));
    hold_until_taken(r, 1);
    spawn(
        [](int& there) {
            spawn(nap, inout(there));
            taskwait();
            ++there;
        },
        inout(*x));
    spawn(add_one, inout(*x));
    std::this_thread::sleep_for(std::chrono::milliseconds(2)); // it is there
    taskwait();
    CHECK(*x == 5);
}

// As before, but the task itself writes nothing: what its child writes, wherever that runs, is what it has written.
void by_a_child_alone(skerry::runtime& r) {
    int* const x = made(1);
    spawn(add_one, inout(*x));
    hold_until_taken(r, 1);
    spawn(
        [](int& there) {
            spawn(nap, inout(there)); // back to the first process, which waits
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        },
        inout(*x));
    int seen = 0;
    spawn([&seen](const int& here) { seen = here; }, in(*x));  // has a state, so it stays
    std::this_thread::sleep_for(std::chrono::milliseconds(2)); // the other is there
    taskwait();
    CHECK(seen == 3 && *x == 3);
}

// Nobody can read what it wrote, though it goes on.
void closes_its_pages(skerry::runtime& r) {
    const std::span<std::byte> all = skerry::root_region().create().make_array<std::byte>(1'000'000);
    spawn(
        [](std::span<std::byte> bytes) {
            bytes.front() = std::byte{1};
            const auto page = reinterpret_cast<std::uintptr_t>(bytes.data()) + 500'000;
            CHECK(::mprotect(reinterpret_cast<void*>(page & ~std::uintptr_t{65535}), 65536, PROT_NONE) == 0);
        },
        inout(all));
    hold_until_taken(r, 1);
    taskwait();
}

// Dies when its task has ended.
void dies_with_what_it_wrote(skerry::runtime& r) {
    int* const x = made(1);
    spawn(
        [](int& there) {
            ++there;
            std::thread([] {
                std::this_thread::sleep_for(std::chrono::microseconds(500));
                ::raise(SIGKILL);
            }).detach();
        },
        inout(*x));
    hold_until_taken(r, 1);
    for (;;) {
        taskwait();
        spawn([x](const int& here) { CHECK(&here == x && here == 2); }, in(*x));
    }
}

const launched_programs programs{
    {"closes_its_pages", closes_its_pages},
    {"dies_with_what_it_wrote", dies_with_what_it_wrote},
    {"stays", stays},
    {"is_sent", is_sent},
    {"by_a_task", by_a_task},
    {"by_a_region", by_a_region},
    {"by_others", by_others},
    {"after_an_error", after_an_error},
    {"by_a_finish", by_a_finish},
    {"by_a_group", by_a_group},
    {"by_one_that_comes_back", by_one_that_comes_back},
    {"by_nobody", by_nobody},
    {"ahead_of_need", ahead_of_need},
    {"by_a_child", by_a_child},
    {"by_a_child_alone", by_a_child_alone},
};

} // namespace

} // namespace skerry_test
