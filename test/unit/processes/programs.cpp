// SPDX-License-Identifier: Apache-2.0

#include "programs.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <istream>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <ranges>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <variant>
#include <vector>

#include <sched.h>
#include <skerry/dataflow.hpp>
#include <skerry/remote_error.hpp>
#include <skerry/skerry.hpp>
#include <sys/mman.h>
#include <unistd.h>

#include "bodies.hpp"
#include "checks.hpp"

namespace skerry_test {

namespace {

using skerry::in;
using skerry::inout;
using skerry::out;
using skerry::region;
using skerry::spawn;
using skerry::taskwait;

using numbers = std::span<std::uint64_t>;

// --- inside of tasks that cross -------------------------------------------------------------------------------------

constexpr std::size_t half = 500;

void sort_halves(numbers all, std::uint64_t& total) {
    spawn([](numbers part) { skerry::parallel_sort(part); }, inout(all.first(half)));
    spawn([](numbers part) { skerry::parallel_sort(part); }, inout(all.subspan(half)));
    taskwait();
    std::ranges::sort(all);
    std::uint64_t odd = 0;
    std::uint64_t even = 0;
    skerry::parallel_invoke(
        [&] { odd = static_cast<std::uint64_t>(std::ranges::count_if(all, [](auto x) { return x % 2 != 0; })); },
        [&] { even = static_cast<std::uint64_t>(std::ranges::count_if(all, [](auto x) { return x % 2 == 0; })); });
    CHECK(odd + even == all.size());
    skerry::finish([&](skerry::scope& s) { s.async([&] { total = skerry::parallel_reduce(all, std::uint64_t{0}); }); });
    // The task ends when this has: nobody waits for it.
    spawn([](std::uint64_t& t) { ++t; }, inout(total));
}

void nested(skerry::runtime& r) {
    region home = skerry::root_region();
    const numbers all = home.make_array<std::uint64_t>(2 * half);
    auto* const total = home.make<std::uint64_t>(0U);
    std::uint64_t x = 1;
    for (std::uint64_t& a : all) {
        a = x = x * 48271 % 2147483647;
    }
    std::vector<std::uint64_t> expected(all.begin(), all.end());
    std::ranges::sort(expected);
    spawn(sort_halves, inout(all), inout(*total));
    hold_until_taken(r, 1);
    taskwait();
    CHECK(std::ranges::equal(all, expected));
    CHECK(*total == std::accumulate(expected.begin(), expected.end(), std::uint64_t{1}));
}

// --- errors ---------------------------------------------------------------------------------------------------------

void errors(skerry::runtime& r) {
    region home = skerry::root_region();
    const numbers x = home.make_array<std::uint64_t>(3);
    const auto text_of_wait = [] {
        try {
            taskwait();
        } catch (const skerry::remote_error& e) {
            return std::string(e.what());
        }
        return std::string("no remote_error");
    };
    spawn(
        [](std::uint64_t& a) {
            a = 7;
            throw std::out_of_range("the text of the original");
        },
        inout(x[0]));
    spawn([](const std::uint64_t& a, std::uint64_t& b) { b = a + 1; }, in(x[0]), out(x[1]));
    spawn([](const std::uint64_t& a, std::uint64_t& b) { b = a + 1; }, in(x[1]), out(x[2]));
    hold_until_taken(r, 1); // the others are skipped, here
    CHECK(text_of_wait() == "the text of the original");
    CHECK(x[1] == 0 && x[2] == 0);
    CHECK(text_of_wait() == "no remote_error"); // once

    spawn([](std::uint64_t&) { throw 3; }, inout(x[0]));
    hold_until_taken(r, 2);
    CHECK(text_of_wait() == "an exception that is no std::exception");

    // From a child of the task.
    spawn([](std::uint64_t& a) { spawn([](std::uint64_t&) { throw std::runtime_error("from a child"); }, inout(a)); },
          inout(x[0]));
    hold_until_taken(r, 3);
    CHECK(text_of_wait() == "from a child");

    // Everything goes on.
    spawn([](std::uint64_t& a) { a = 5; }, out(x[0]));
    spawn([](const std::uint64_t& a, std::uint64_t& b) { b = a + 1; }, in(x[0]), out(x[1]));
    hold_until_taken(r, 5);
    taskwait();
    CHECK(x[0] == 5 && x[1] == 6);
}

// --- where tasks run ------------------------------------------------------------------------------------------------

void where(pid_t& pid) { pid = ::getpid(); }

void staying(skerry::runtime& r) {
    region home = skerry::root_region();
    const auto pids = home.make_array<pid_t>(3);
    pid_t on_stack = 0;
    const auto on_heap = std::make_unique<pid_t>(0);
    const pid_t here = ::getpid();
    spawn([here](pid_t& p) { p = ::getpid() == here ? here : -1; }, out(pids[0]));
    spawn(where, out(on_stack));
    spawn(where, out(*on_heap));
    spawn([](pid_t& p, const std::vector<int>& v) { p = v.size() == 2 ? ::getpid() : -1; }, out(pids[1]),
          std::vector<int>{1, 2}); // a value that is more than its bytes
    spawn(where, out(pids[2]));    // can go, and does, before all those that came first
    hold_until_taken(r, 1);
    taskwait();
    CHECK(pids[0] == here && on_stack == here && *on_heap == here && pids[1] == here);
    CHECK(pids[2] != here);
}

// Each looks where its pointer leads to, and says where it has run.
struct looks {
    int first = 7;
    [[nodiscard]] int second() const { return first + 1; }
};
int seven() { return 7; }
pid_t here_if(bool so) { return so ? ::getpid() : -1; }

void pointers(skerry::runtime& r) {
    region home = skerry::root_region();
    const auto pids = home.make_array<pid_t>(24);
    auto* const inside = home.make<looks>();
    const looks on_stack;
    const auto on_heap = std::make_unique<looks>();
    static const looks fixed;
    const std::string long_text = "a text that does not fit into the string itself";
    const std::vector<int> list{7, 8};
    std::size_t n = 0;
    const auto stays = [&](auto f, const auto& value) { spawn(f, out(pids[n++]), value); };
    stays([](pid_t& p, const looks* x) { p = here_if(x->first == 7); }, &on_stack);
    stays([](pid_t& p, const looks* x) { p = here_if(x->first == 7); }, on_heap.get());
    stays([](pid_t& p, const looks* x) { p = here_if(x->first == 7); }, &fixed);
    stays([](pid_t& p, const void* x) { p = here_if(static_cast<const looks*>(x)->first == 7); },
          static_cast<const void*>(on_heap.get()));
    stays([](pid_t& p, const char* x) { p = here_if(*x == 'a'); }, "a literal");
    stays([](pid_t& p, int (*x)()) { p = here_if(x() == 7); }, &seven);
    stays([](pid_t& p, int (looks::*x)() const) { p = here_if((looks().*x)() == 8); }, &looks::second);
    stays([](pid_t& p, std::span<const int> x) { p = here_if(x[1] == 8); }, std::span<const int>(list));
    stays([](pid_t& p, std::string_view x) { p = here_if(x[0] == 'a'); }, std::string_view(long_text));
    stays([](pid_t& p, std::vector<int>::const_iterator x) { p = here_if(*x == 7); }, list.begin());
    stays([](pid_t& p, std::reference_wrapper<const looks> x) { p = here_if(x.get().first == 7); },
          std::cref(on_stack));
    stays([](pid_t& p, std::array<const looks*, 2> x) { p = here_if(x[1]->first == 7); },
          std::array<const looks*, 2>{inside, &on_stack});
    stays([](pid_t& p, std::optional<const looks*> x) { p = here_if((*x)->first == 7); },
          std::optional<const looks*>(&on_stack));
    stays([](pid_t& p, std::variant<int, const looks*> x) { p = here_if(std::get<1>(x)->first == 7); },
          std::variant<int, const looks*>(&on_stack));
    stays([](pid_t& p, std::ranges::subrange<const int*> x) { p = here_if(x[1] == 8); },
          std::ranges::subrange<const int*>(list.data(), list.data() + 2));
    stays([](pid_t& p, const std::reverse_iterator<const int*>& x) { p = here_if(*x == 8); },
          std::reverse_iterator<const int*>(list.data() + 2));
    stays([](pid_t& p, std::array<std::optional<std::span<const int>>, 1> x) { p = here_if((*x[0])[1] == 8); },
          std::array{std::optional(std::span<const int>(list))});
    const std::size_t stay = n;
    // These go, and first: nobody takes the others while the only worker is held.
    spawn([](pid_t& p, const looks& x, const looks* same) { p = here_if(&x == same); }, out(pids[n++]), in(*inside),
          inside);
    spawn([](pid_t& p, const looks* x) { p = here_if(x == nullptr); }, out(pids[n++]),
          static_cast<const looks*>(nullptr));
    spawn([](pid_t& p, std::array<int, 2> x, int looks::* y) { p = here_if(x[1] == 2 && looks().*y == 7); },
          out(pids[n++]), std::array<int, 2>{1, 2}, &looks::first);
    spawn(
        [](pid_t& p, const looks& x, std::optional<const looks*> same, std::optional<const looks*> none,
           std::variant<const looks*, int> number) { p = here_if(&x == *same && !none && std::get<int>(number) == 3); },
        out(pids[n++]), in(*inside), std::optional<const looks*>(inside), std::optional<const looks*>(),
        std::variant<const looks*, int>(3));
    hold_until_taken(r, n - stay);
    taskwait();
    const pid_t here = ::getpid();
    for (std::size_t i = 0; i < n; ++i) {
        CHECK(i < stay ? pids[i] == here : pids[i] != here && pids[i] > 0);
    }
}

struct hides_a_pointer {
    const int* where;
};

void hidden(skerry::runtime& r) {
    auto* const x = skerry::root_region().make<int>(0);
    // Only this process has something there.
    auto* const address = reinterpret_cast<void*>(std::uintptr_t{0x1234'5000'0000});
    const void* const begin =
        ::mmap(address, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    CHECK(begin == address);
    spawn(
        skerry::task_options{.name = "hidden"}, [](int& to, hides_a_pointer from) { to = *from.where; }, inout(*x),
        hides_a_pointer{static_cast<const int*>(begin)});
    hold_until_taken(r, 1);
}

// A function of another library lies elsewhere in each process.
void foreign_function(skerry::runtime& r) {
    auto* const text = skerry::root_region().make<std::istringstream>("  x");
    auto* const pid = skerry::root_region().make<pid_t>(0);
    spawn(static_cast<std::istream& (*)(std::istream&)>(&std::ws), inout(static_cast<std::istream&>(*text)));
    spawn(where, out(*pid));
    hold_until_taken(r, 1);
    taskwait();
    CHECK(text->get() == 'x' && *pid != ::getpid());
}

// Tasks that take a while without a processor: how many of these there are does not matter.
void spread(skerry::runtime& r) {
    const auto processes = static_cast<unsigned>(std::stoi(std::getenv("SKERRY_RANKS")));
    const unsigned tasks = 100 * processes;
    const auto pids = skerry::root_region().make_array<pid_t>(tasks);
    for (pid_t& p : pids) {
        spawn(
            [](pid_t& mine) {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
                mine = ::getpid();
            },
            out(p));
    }
    taskwait();
    std::map<pid_t, unsigned> ran;
    for (const pid_t p : pids) {
        ++ran[p];
    }
    CHECK(ran.size() == processes && !ran.contains(0));
    for (const auto& [pid, count] : ran) {
        CHECK(count >= tasks / processes / 4);
    }
    const auto executors = r.executors();
    std::uint64_t away = 0;
    CHECK(executors.size() == processes); // one worker here, and the others
    for (const auto& e : executors) {
        if (e.domain == 0) {
            CHECK(e.name == "worker 0");
        } else {
            CHECK(e.name == "process " + std::to_string(e.domain));
            CHECK(e.tasks >= tasks / processes / 4 && e.stolen == e.tasks);
            away += e.stolen;
        }
    }
    CHECK(away + ran[::getpid()] == tasks);
}

// --- ends -----------------------------------------------------------------------------------------------------------

void doomed(skerry::runtime& r) {
    auto* const x = skerry::root_region().make<int>(0);
    spawn(skerry::task_options{.name = "doomed"}, [](int&) { ::kill(::getpid(), SIGKILL); }, inout(*x));
    hold_until_taken(r, 1);
}

void triple_and_four(std::uint64_t& x) { x = 3 * x + 4; }

int run_twice_and_go_on() {
    {
        skerry::runtime r;
        std::uint64_t* x = nullptr;
        r.run([&] { // only the first process comes here
            x = skerry::root_region().make<std::uint64_t>(1U);
            spawn(triple_and_four, inout(*x));
            hold_until_taken(r, 1);
        });
        CHECK(*x == 7);
        r.run([&] {
            spawn(triple_and_four, inout(*x));
            hold_until_taken(r, 2);
        });
        CHECK(*x == 25);
    }
    // Alone from here on.
    skerry::runtime next;
    int sum = 0;
    next.run([&] {
        auto* const y = skerry::root_region().make<int>(1);
        spawn([](int& to) { ++to; }, inout(*y));
        taskwait();
        sum = *y;
    });
    CHECK(sum == 2);
    std::printf("went on\n");
    return 0;
}

// The first process does nothing in run(): the others still end.
void nothing(skerry::runtime&) {}

// The thread that moves messages shares the CPU of everybody else: ending must not depend on who gets to run when.
int run_on_one_cpu() {
    cpu_set_t allowed;
    cpu_set_t one;
    CPU_ZERO(&one);
    CHECK(::sched_getaffinity(0, sizeof allowed, &allowed) == 0);
    for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu) {
        if (CPU_ISSET(cpu, &allowed)) {
            CPU_SET(cpu, &one);
        }
    }
    CHECK(::sched_setaffinity(0, sizeof one, &one) == 0);
    skerry::runtime r;
    r.run([] {
        auto* const x = skerry::root_region().make<int>(0);
        for (int i = 0; i < 1'000; ++i) {
            spawn([](int& to) { ++to; }, inout(*x));
            taskwait();
        }
        CHECK(*x == 1'000);
    });
    return 0;
}

constexpr named_program programs[] = {
    {"nested", nested},     {"errors", errors}, {"staying", staying},
    {"spread", spread},     {"doomed", doomed}, {"nothing", nothing},
    {"pointers", pointers}, {"hidden", hidden}, {"foreign_function", foreign_function},
};

int run(std::string_view what) {
    if (what == "no_run") {
        return 0;
    }
    if (what == "no_run_of_a_runtime") {
        const skerry::runtime r;
        return 0;
    }
    if (what == "no_run_but_a_loop") {
        std::vector<int> all(1000);
        skerry::parallel_for(0, 1000, [&](int i) { all[static_cast<std::size_t>(i)] = i; });
        return all[999] == 999 ? 0 : 1;
    }
    if (what == "one_cpu") {
        return run_on_one_cpu();
    }
    if (what == "twice") {
        return run_twice_and_go_on();
    }
    for (const program_body body : {body_of(programs, what), crossing_program(what), stealing_program(what)}) {
        if (body != nullptr) {
            skerry::runtime r;
            r.run([&] { body(r); });
            return 0;
        }
    }
    std::fprintf(stderr, "no program of this name\n");
    return 1;
}

} // namespace

int run_program(int argc, char** argv) {
    const std::string_view what = argc > 1 ? argv[1] : "";
    try {
        return run(what);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%.*s: %s\n", static_cast<int>(what.size()), what.data(), e.what());
        return 1;
    }
}

} // namespace skerry_test
