// SPDX-License-Identifier: Apache-2.0

// Programs over two processes whose tasks touch what they did not declare, or just do not.

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>

#include <fcntl.h>
#include <skerry/dataflow.hpp>
#include <skerry/remote_error.hpp>
#include <skerry/skerry.hpp>
#include <unistd.h>

#include "base/port/reserve.hpp"
#include "checks.hpp"
#include "coherence/arena.hpp"
#include "coherence/exposure.hpp"
#include "launched_programs.hpp"

namespace skerry_test {

namespace {

using skerry::in;
using skerry::inout;
using skerry::out;
using skerry::region;
using skerry::spawn;
using skerry::task_options;
using skerry::taskwait;

// Two objects in pages of their own.
struct apart {
    int* mine = skerry::root_region().create().make<int>(1);
    int* other = skerry::root_region().create().make<int>(2);
};

void snoop(int& x, int* p) { x = *p; }

void never_brought(skerry::runtime& r) {
    const apart two;
    spawn(task_options{.name = "snoop"}, snoop, inout(*two.mine), two.other);
    hold_until_taken(r, 1);
}

// The object was open while a task had it; then it is closed again.
void closed_again(skerry::runtime& r) {
    const apart two;
    spawn([](const int& from, int& to) { to = from; }, in(*two.other), inout(*two.mine));
    spawn(task_options{.name = "snoop"}, snoop, inout(*two.mine), two.other);
    hold_until_taken(r, 2);
}

void without_a_name(skerry::runtime& r) {
    const apart two;
    spawn([](int& p, int* q) { *q = p; }, inout(*two.mine), two.other);
    hold_until_taken(r, 1);
}

// A branch that another worker over there has stolen.
void stolen_branch(skerry::runtime& r) {
    const apart two;
    spawn(
        task_options{.name = "forks"},
        [](int&, int* p) {
            std::atomic<bool> begun{false};
            skerry::parallel_invoke(
                [&] {
                    while (!begun) {
                        std::this_thread::yield();
                    }
                },
                [&] {
                    begun = true;
                    *p = 1;
                });
        },
        inout(*two.mine), two.other);
    hold_until_taken(r, 1);
}

// What a child declares, its parent has to declare, or it is not brought along.
void child_of_a_bracket(skerry::runtime& r) {
    const apart two;
    spawn(
        task_options{.name = "bracket"},
        [](int&, int* p) { // a task that declares nothing may spawn what it likes
            spawn([](int* q) { spawn(task_options{.name = "child"}, [](int& x) { ++x; }, inout(*q)); }, p);
        },
        inout(*two.mine), two.other);
    hold_until_taken(r, 1);
}

void writes_what_it_reads(skerry::runtime& r) {
    const std::span<int> many = skerry::root_region().create().make_array<int>(10'000);
    spawn(
        task_options{.name = "scribbler"}, [](std::span<const int> all) { const_cast<int&>(all[5'000]) = 1; },
        in(std::span<const int>(many)));
    hold_until_taken(r, 1);
}

void writes_in_a_region_it_reads(skerry::runtime& r) {
    region home = skerry::root_region().create();
    auto* const x = home.make<std::array<int, 16>>();
    spawn(task_options{.name = "scribbler"}, [](const region&, std::array<int, 16>* p) { (*p)[3] = 1; }, in(home), x);
    hold_until_taken(r, 1);
}

// In one page with what the task may write: only the sums tell.
void writes_beside(skerry::runtime& r) {
    const std::span<int> two = skerry::root_region().create().make_array<int>(2);
    spawn(
        task_options{.name = "scribbler"},
        [](const int& x, int& y) {
            y = 1;
            const_cast<int&>(x) = 1;
        },
        in(two[0]), inout(two[1]));
    hold_until_taken(r, 1);
    try {
        taskwait();
    } catch (const skerry::remote_error& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return;
    }
    throw std::runtime_error("nobody has seen it");
}

// What is declared is open as it was declared, what was made in a region too, and nothing else.
#define CHECK(condition)                                                                                               \
    ((condition) ? void() : throw std::logic_error(std::to_string(__LINE__) + ": not so: " #condition))

// Whether the system would let this process write there.
bool open_to_writing(void* at) {
    static const int zeros = ::open("/dev/zero", O_RDONLY | O_CLOEXEC);
    char old = 0;
    std::array<int, 2> ends{};
    CHECK(::pipe(ends.data()) == 0);
    const bool readable = ::write(ends[1], at, 1) == 1;
    const bool writable = readable && ::read(ends[0], &old, 1) == 1 && ::read(zeros, at, 1) == 1;
    if (writable) {
        *static_cast<char*>(at) = old;
    }
    ::close(ends[0]);
    ::close(ends[1]);
    return writable;
}

struct place {
    int* of = nullptr;
};

void rights(skerry::runtime& r) {
    const std::span<char> big = skerry::root_region().create().make_array<char>(5 * 4096);
    const apart two;
    region home = skerry::root_region().create();
    auto* const found = skerry::root_region().create().make<place>();
    spawn(
        [](const char& first, char& third, int* other, region& here, place& made) {
            const char* const begin = &first;
            auto* const writable = const_cast<char*>(begin);
            CHECK(!open_to_writing(writable));
            CHECK(!open_to_writing(other));
            CHECK(&third == begin + 8192 && open_to_writing(&third));
            CHECK(!open_to_writing(writable + 4 * 4096));
            made.of = here.make<int>(7);
            CHECK(open_to_writing(made.of));
        },
        in(big[0]), inout(big[8192]), two.other, inout(home), out(*found));
    hold_until_taken(r, 1);
    taskwait();
    spawn(
        [](place& made, int& mine) {
            CHECK(!open_to_writing(made.of)); // its region is closed now, with the rest of its page
            CHECK(!open_to_writing(made.of + 20'000));
            mine = 5;
        },
        inout(*found), inout(*two.mine));
    hold_until_taken(r, 2);
    taskwait();
    const int* const made = found->of;
    CHECK(*made == 7 && *two.mine == 5);
    // Pages that a task gives back over there, and takes again for another region, are open to their new owner.
    spawn([](region& old) { old.destroy_all(); }, inout(home));
    region next = skerry::root_region().create();
    spawn(
        [](region& fresh, place& result) {
            for (int i = 0; i < 100'000; ++i) {
                result.of = fresh.make<int>(i);
            }
        },
        inout(next), inout(*found));
    hold_until_taken(r, 4);
    taskwait();
    const int* const last = found->of;
    CHECK(*last == 99'999);
}

// A region within, made by a task over there, is read by a child here, and by a child of that over there.
void read_meanwhile(skerry::runtime& /*r*/) {
    region home = skerry::root_region().create();
    spawn(
        [](region& here) {
            int* const made = here.create().make<int>(1);
            spawn(
                [](const region& all) {
                    tell(moment::child_begun);
                    spawn([](const region& /*unused*/) { tell(moment::seen); }, in(all));
                    await(moment::seen);
                },
                in(here));
            tell(moment::begun);
            await(moment::child_begun);
            taskwait();
            CHECK(open_to_writing(made));
        },
        inout(home));
    await(moment::begun);
    taskwait();
}

// A region within, made by a task over there, is destroyed by a child here: its pages are this process's then.
void given_back_elsewhere(skerry::runtime& /*r*/) {
    region home = skerry::root_region().create();
    spawn(
        [](region& here) {
            region inner = here.create();
            int* const made = inner.make<int>(1);
            spawn(
                [](region& /*unused*/, region within) {
                    tell(moment::child_begun);
                    within.destroy_all();
                },
                inout(here), inner);
            tell(moment::begun);
            await(moment::child_begun);
            taskwait();
            CHECK(!open_to_writing(made));
        },
        inout(home));
    await(moment::begun);
    taskwait();
}

// The system refuses to tell one page's rights from another's: the program goes on without the check.
void too_many_mappings(skerry::runtime& r) {
    const apart two;
    spawn(
        task_options{.name = "many"},
        [](int& done, int* other) {
            using skerry::detail::exposure;
            constexpr std::uintptr_t page = 4096;
            const auto& place = skerry::detail::arena::instance().place();
            std::uintptr_t at = place.address + place.bytes / 2;
            while (skerry::port::protect(reinterpret_cast<void*>(at), page, skerry::port::access::read)) {
                at += 2 * page; // the gaps are mappings, too
                CHECK(at < place.address + place.bytes);
            }
            exposure* const guard = exposure::active();
            CHECK(guard != nullptr);
            guard->close(other); // holds nothing
            guard->open(other, {.parts = {{at + page, at + 2 * page, false}}, .regions = {}});
            CHECK(exposure::active() == nullptr);
            done = 3;
        },
        inout(*two.mine), two.other);
    hold_until_taken(r, 1);
    taskwait();
    CHECK(*two.mine == 3);
}

const launched_programs programs{
    {"never_brought", never_brought},
    {"closed_again", closed_again},
    {"without_a_name", without_a_name},
    {"stolen_branch", stolen_branch},
    {"child_of_a_bracket", child_of_a_bracket},
    {"writes_what_it_reads", writes_what_it_reads},
    {"writes_in_a_region_it_reads", writes_in_a_region_it_reads},
    {"writes_beside", writes_beside},
    {"rights", rights},
    {"read_meanwhile", read_meanwhile},
    {"given_back_elsewhere", given_back_elsewhere},
    {"too_many_mappings", too_many_mappings},
};

} // namespace

} // namespace skerry_test
