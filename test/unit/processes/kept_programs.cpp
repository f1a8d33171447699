// SPDX-License-Identifier: Apache-2.0

// What tasks in other processes write stays there until somebody needs it. Each program is right however that is; most
// would be wrong if one of those who need it took what it has.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <skerry/dataflow.hpp>
#include <skerry/remote_error.hpp>
#include <skerry/skerry.hpp>
#include <sys/mman.h>
#include <unistd.h>

#include <skerry/detail/core/context.hpp>
#include <skerry/detail/core/worker_page.hpp>

#include "checks.hpp"
#include "launched_programs.hpp"
#include "sched/worker.hpp"

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

// What is in memory, whatever the compiler thinks may be there. Not for ThreadSanitizer, which cannot know that another
// process has told this one that nobody writes it now; and ahead_of_need looks while it is written, on purpose.
__attribute__((no_sanitize("thread"))) int peek(const int& x) { return *const_cast<const volatile int*>(&x); }

// Keeps a worker that brings ahead from what is made after this: it begins with the first byte.
std::span<char> much() { return skerry::root_region().create().make_array<char>(std::size_t{64} << 20); }
void fill(std::span<char> all) { std::memset(all.data(), 'x', all.size()); } // not a call for each byte at -O0

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

// Until nothing is left of the finish around the caller, so that its end finds nothing to wait for, and runs nothing.
void hold_until_ended() {
    using namespace skerry::detail;
    const latch<machine>& covering = *current_page->ctx->pending;
    hold_until([&covering] { return covering.alone(worker::of(*current_page).ahead.held_of(covering)); });
}

// A wait within, while a task of the same parent has not even begun.
void by_a_finish(skerry::runtime& r) {
    int* const other = made(0);
    int* const x = made(1);
    int* const seen = made(0);
    spawn([other](int& here) { CHECK(&here == other); }, inout(*other)); // has a state, so it stays
    skerry::finish([&](skerry::scope& /*unused*/) {
        spawn(copy, in(*x), out(*seen));
        hold_until_taken(r, 1);
        hold_until_ended();
    });
    CHECK(*seen == 1);
    *x = 2;
    skerry::finish([&](skerry::scope& /*unused*/) {
        spawn(copy, in(*x), out(*seen));
        hold_until_taken(r, 2);
        hold_until_ended();
    });
    CHECK(*seen == 2);
    taskwait();
}

// Only some of what is kept, and while other tasks of the same parent go on.
void by_taskwait_on(skerry::runtime& r) {
    int* const other = made(0);
    int* const x = made(1);
    spawn([other](int& here) { CHECK(&here == other); }, inout(*other)); // has a state, so it stays
    spawn(add_one, inout(*x));
    hold_until_taken(r, 1);
    skerry::taskwait_on(in(*x));
    CHECK(*x == 2);
    taskwait();
}

// Without any other wait.
void by_the_end_of_a_run(skerry::runtime& r) {
    int* const x = made(1);
    r.run([&] {
        spawn(add_one, inout(*x));
        hold_until_taken(r, 1);
    });
    CHECK(*x == 2);
}

// A task that goes there looks into a container that is kept there; its own one, which comes here, looks into it too.
struct holder {
    std::vector<int, skerry::region_allocator<int>> a;
};
void by_who_looks_into_it(skerry::runtime& r) {
    const std::span<char> first = much();
    spawn(fill, inout(first));
    hold_until_taken(r, 1);
    region home = skerry::root_region().create();
    auto* const h = home.make<holder>(holder{{10U, 5, home.allocator<int>()}});
    int* const y = made(0);
    const std::span<int> elements(h->a);
    spawn([](holder& there, std::span<int> /*unused*/) { there.a.pop_back(); }, inout(*h), inout(elements));
    hold_until_taken(r, 2);
    spawn(
        [](const holder& there, std::span<const int> /*unused*/, int& to) {
            spawn(
                [](const std::vector<int, skerry::region_allocator<int>>& v, int& n) {
                    tell(moment::child_begun);
                    n = static_cast<int>(v.size());
                },
                in(there.a), inout(to)); // back to the first process, which waits
            tell(moment::begun);
            await(moment::child_begun);
            taskwait();
        },
        in(*h), in(std::span<const int>(elements)), inout(*y));
    await(moment::begun);
    taskwait();
    CHECK(*y == 9 && h->a.size() == 9);
}

void nap(int& x) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ++x;
}

// A task that goes to where its object is kept, and comes back unbegun: the only worker there waits for something else.
// Nobody is told that it comes back, so nothing but the result is checked; the times make it likely.
void by_one_that_comes_back(skerry::runtime& r) {
    const auto soon = std::chrono::milliseconds(2);
    const std::span<char> first = much();
    for (int round = 0; round < 20; ++round) {
        spawn(fill, inout(first));
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
            tell(moment::begun);
            await(moment::seen);
            ++there;
        },
        inout(*x));
    await(moment::begun);
    skerry::finish([](skerry::scope& /*unused*/) {
        int* const y = made(0);
        spawn([y](int& here) { CHECK(&here == y); }, inout(*y)); // something to wait for
    });
    const int after = peek(*x);
    tell(moment::seen);
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
            tell(moment::begun);
            await(moment::seen);
            ++there;
        },
        inout(*y));
    await(moment::begun);
    bool brought = false;
    std::thread looks([&] {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (!brought && std::chrono::steady_clock::now() < deadline) {
            std::this_thread::sleep_for(std::chrono::microseconds(100));
            brought = peek(*x) == 2;
        }
        tell(moment::seen);
    });
    taskwait();
    looks.join();
    CHECK(brought && *x == 2 && *y == 1);
}

void add_one_as_a_child(int& x) {
    tell(moment::child_begun);
    ++x;
}

// Its own task writes what was kept: home gets it back as the next one left it.
void by_a_child(skerry::runtime& r) {
    int* const x = made(1);
    spawn(add_one, inout(*x));
    hold_until_taken(r, 1);
    spawn(
        [](int& there) {
            spawn(add_one_as_a_child, inout(there)); // back to the first process, which waits
            tell(moment::begun);
            await(moment::child_begun);
            taskwait();
            ++there;
        },
        inout(*x));
    spawn(add_one, inout(*x));
    await(moment::begun);
    taskwait();
    CHECK(*x == 5);
}

// What a child has written elsewhere is with its parent's process at once, for it is what the parent has written: a
// child that comes after it has begun, and this process has done nothing yet.
void by_a_child_alone(skerry::runtime& r) {
    int* const x = made(1);
    spawn(add_one, inout(*x));
    hold_until_taken(r, 1);
    spawn(
        [](int& there) {
            const int before = peek(there);
            spawn(add_one, inout(there)); // back to the first process, which waits
            spawn(
                [](int& of_parent) {
                    tell(moment::child_begun);
                    await(moment::seen);
                    ++of_parent;
                },
                inout(there));
            tell(moment::begun);
            await(moment::child_begun);
            const int after = peek(there);
            tell(moment::seen);
            CHECK(before == 2 && after == 3);
        },
        inout(*x));
    await(moment::begun);
    taskwait();
    CHECK(*x == 4);
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

// Until the process is dead, and not waited for.
void await_the_end_of(pid_t pid) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    for (char state = ' '; state != 'Z';) {
        CHECK(std::chrono::steady_clock::now() < deadline);
        std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
        const std::string text((std::istreambuf_iterator<char>(stat)), {});
        state = text.empty() ? 'Z' : text[text.rfind(')') + 2]; // empty: somebody has waited already
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
}

// Who keeps what a wait needs is dead by then, and nobody has been told: who tells is stopped for a while.
void dies_with_what_it_wrote(skerry::runtime& r) {
    auto* const pid = skerry::root_region().create().make<pid_t>(0);
    int* const x = made(1);
    spawn([](pid_t& there) { there = ::getpid(); }, inout(*pid));
    hold_until_taken(r, 1);
    taskwait();
    spawn(add_one, inout(*x));
    hold_until_taken(r, 2);
    const pid_t launcher = ::getppid();
    if (::fork() == 0) {
        ::kill(launcher, SIGSTOP);
        ::kill(*pid, SIGKILL);
        ::usleep(200'000);
        ::kill(launcher, SIGCONT);
        ::_exit(0);
    }
    await_the_end_of(*pid);
    taskwait();
    CHECK(*x == 2);
    std::fprintf(stderr, "went on\n");
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
    {"by_taskwait_on", by_taskwait_on},
    {"by_the_end_of_a_run", by_the_end_of_a_run},
    {"by_who_looks_into_it", by_who_looks_into_it},
    {"by_one_that_comes_back", by_one_that_comes_back},
    {"by_nobody", by_nobody},
    {"ahead_of_need", ahead_of_need},
    {"by_a_child", by_a_child},
    {"by_a_child_alone", by_a_child_alone},
};

} // namespace

} // namespace skerry_test
