// SPDX-License-Identifier: Apache-2.0

// A system that gives little: small stacks, little memory, few system calls. What cannot be had is a clear error; what
// is asked for is no more than said. Sanitizers have needs of their own: no part of their builds.

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <new>
#include <numeric>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skerry/skerry.hpp>

#include "../base/child.hpp"
#include "../base/control_group.hpp"
#include "../base/memory_group.hpp"
#include "../base/seccomp.hpp"

namespace {

using skerry_test::child_result;
using skerry_test::no_filter;
using skerry_test::run_in_child;
using testing::ContainsRegex;

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;

long fib(int n) {
    if (n < 2) {
        return n;
    }
    const auto [x, y] = skerry::parallel_invoke([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
    return x + y;
}

template <std::size_t Stack>
[[gnu::noinline]] void fill() {
    char room[Stack];
    std::memset(room, 1, sizeof room);
    asm volatile("" : : "r"(room) : "memory");
}

// Ends only if somebody takes the second branch, which needs so much stack.
template <std::size_t Stack>
void steal() {
    std::atomic<bool> stolen{false};
    skerry::parallel_invoke(
        [&] {
            while (!stolen) {
                std::this_thread::yield();
            }
        },
        [&] {
            fill<Stack>();
            stolen = true;
        });
}

// Some of everything.
bool computes() {
    std::vector<int> numbers(20'000);
    skerry::parallel_for(std::size_t{0}, numbers.size(),
                         [&](std::size_t i) { numbers[i] = static_cast<int>(i * 7919 % 20'011); });
    const long sum = std::accumulate(numbers.begin(), numbers.end(), 0L);
    std::vector<int> again = numbers;
    skerry::parallel_sort(numbers);
    skerry::parallel_stable_sort(again);
    std::atomic<int> ran{0};
    skerry::finish([&](skerry::scope& s) {
        for (int i = 0; i < 1000; ++i) {
            s.async([&] { ++ran; });
        }
        s.async([&] { skerry::blocking([&] { ++ran; }); });
    });
    int steps = 0;
    skerry::finish([&](skerry::scope&) { // waits for what was spawned also when a spawn throws
        for (int i = 0; i < 1000; ++i) {
            skerry::spawn([](int& n) { ++n; }, skerry::inout(steps));
        }
    });
    return fib(18) == 2584 && std::is_sorted(numbers.begin(), numbers.end()) && again == numbers &&
           skerry::parallel_reduce(numbers, 0L) == sum && ran == 1001 && steps == 1000 &&
           skerry::submit([] { return 7; }).get() == 7;
}

void expect_success(const child_result& child) {
    EXPECT_TRUE(child.exited && child.code == 0) << child.code << " " << child.output;
}

// --- stacks ---------------------------------------------------------------------------------------------------------

constexpr std::size_t small = 64 * kib;

// From the first use on: the thread makes the default runtime.
TEST(SmallStack, OfAThreadFromOutside) {
    expect_success(run_in_child([] {
        setenv("SKERRY_WORKERS", "2", 1);
        pthread_attr_t attributes;
        pthread_t thread;
        bool right = false;
        pthread_attr_init(&attributes);
        if (pthread_attr_setstacksize(&attributes, small) != 0 || pthread_create(
                                                                      &thread, &attributes,
                                                                      [](void* to) -> void* {
                                                                          steal<kib>();
                                                                          *static_cast<bool*>(to) = computes();
                                                                          return nullptr;
                                                                      },
                                                                      &right) != 0) {
            return 1;
        }
        pthread_join(thread, nullptr);
        return right ? 0 : 2;
    }));
}

// The limit holds for the thread that runs main() from exec on. Workers have the stacks of their option.
TEST(SmallStack, OfTheMainThread) {
    expect_success(run_in_child([]() -> int {
        const rlimit limit{.rlim_cur = small, .rlim_max = small};
        if (setrlimit(RLIMIT_STACK, &limit) != 0) {
            return 1;
        }
        execl("/proc/self/exe", "unit_limits", "small-stack", nullptr);
        return 2;
    }));
}

int main_with_a_small_stack() {
    rlimit limit{};
    getrlimit(RLIMIT_STACK, &limit);
    setenv("SKERRY_WORKERS", "2", 1);
    steal<4 * mib>();
    return limit.rlim_cur == small && computes() ? 0 : 3;
}

// --- memory ---------------------------------------------------------------------------------------------------------

std::size_t page() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

// What the process has of that, in bytes.
std::size_t in_use(__rlimit_resource resource) {
    std::ifstream statm("/proc/self/statm"); // in pages: all, resident, shared, text, 0, data
    std::size_t all = 0;
    std::size_t data = 0;
    std::string skipped;
    statm >> all >> skipped >> skipped >> skipped >> skipped >> data;
    return (resource == RLIMIT_AS ? all : data) * page();
}

bool limit_memory(__rlimit_resource resource, std::size_t more) {
    rlimit limit{};
    getrlimit(resource, &limit);
    limit.rlim_cur = in_use(resource) + more;
    return setrlimit(resource, &limit) == 0;
}

skerry::options with(unsigned workers, std::size_t stack = skerry::options().stack_size) {
    skerry::options o;
    o.workers = workers;
    o.stack_size = stack;
    return o;
}

class MemoryLimit : public testing::TestWithParam<__rlimit_resource> {};
INSTANTIATE_TEST_SUITE_P(Of, MemoryLimit, testing::Values(RLIMIT_AS, RLIMIT_DATA));

// Some workers find room. What the message says helps.
TEST_P(MemoryLimit, TooLowForTheStacks) {
    const child_result child = run_in_child([] {
        if (!limit_memory(GetParam(), 40 * mib)) {
            return 1;
        }
        try {
            const skerry::runtime rt(with(16));
            return 2;
        } catch (const std::system_error& e) {
            std::puts(e.what());
            if (e.code() != std::errc::not_enough_memory) {
                return 3;
            }
        }
        skerry::runtime rt(with(16, 256 * kib));
        return rt.run(computes) ? 0 : 4;
    });
    expect_success(child);
    EXPECT_THAT(child.output,
                ContainsRegex("skerry: cannot start skerry worker [1-9]: no memory for a stack of [0-9]+ KiB; lower "
                              "options::stack_size \\(SKERRY_STACK_SIZE\\) or options::workers \\(SKERRY_WORKERS\\)"));
}

// However little there is: the result or an exception. From none on, until it is enough.
TEST_P(MemoryLimit, TooLowForSomething) {
    int refused = 0;
    int enough = 0; // in a row
    for (std::size_t more = 0; enough < 8; more += 64 * kib) {
        const child_result child = run_in_child([more] {
            fill<256 * kib>(); // when the stack cannot grow, the system ends the process
            if (!limit_memory(GetParam(), more)) {
                return 1;
            }
            try {
                skerry::runtime rt(with(4, 256 * kib));
                return rt.run(computes) ? 0 : 2;
            } catch (const std::bad_alloc&) {
                return 3;
            } catch (const std::system_error& e) {
                std::puts(e.what());
                return 3;
            }
        });
        ASSERT_TRUE(child.exited && (child.code == 0 || child.code == 3))
            << more / kib << " KiB: " << child.code << " " << child.output;
        refused += child.code == 3 ? 1 : 0;
        enough = child.code == 0 ? enough + 1 : 0;
        ASSERT_LT(more, 100 * mib) << child.output;
    }
    EXPECT_GT(refused, 10);
}

// Bytes that a limit on memory counts, those of a control group too.
std::size_t resident() {
    std::ifstream smaps("/proc/self/smaps_rollup");
    for (std::string word; smaps >> word;) {
        if (word == "Rss:") {
            std::size_t kilobytes = 0;
            smaps >> kilobytes;
            return kilobytes * kib;
        }
    }
    return 0;
}

// 64 stacks of 8 MiB are address space, of which each worker touches some pages.
TEST(Resident, OfAStackWhatWasTouched) {
    const child_result child = run_in_child([] {
        fill<256 * kib>();
        { // what is allocated once per process
            skerry::runtime rt(with(2));
            rt.run(computes);
        }
        const std::size_t before = resident();
        skerry::runtime rt(with(64));
        std::atomic<int> met{0};
        rt.run([&met] { // every worker has one
            skerry::parallel_for(
                0, 64,
                [&met](int) {
                    ++met;
                    while (met < 64) {
                        std::this_thread::yield();
                    }
                },
                skerry::grain::fixed(1));
        });
        const std::size_t after = resident();
        std::printf("%zu KiB for each worker\n", (after - before) / 64 / kib);
        return before > mib && after > before && after - before < 64 * 16 * page() ? 0 : 1;
    });
    expect_success(child);
}

// 1 TiB of addresses, and the tables for its pages.
TEST(Resident, OfTheArenaWhatWasMade) {
    const child_result child = run_in_child([] {
        const std::size_t before = resident();
        skerry::region r = skerry::root_region().create();
        const auto bytes = r.make_array<std::byte>(mib);
        std::memset(bytes.data(), 1, mib);
        const std::size_t after = resident();
        std::printf("%zu KiB\n", (after - before) / kib);
        return after - before >= mib && after - before < 4 * mib ? 0 : 1;
    });
    expect_success(child);
}

// 16 stacks of 8 MiB, 1 TiB of addresses and a million spawned tasks, of which few are there at a time.
TEST(MemoryOfTheGroup, IsForWhatWasTouched) {
    const skerry_test::memory_group group(48 * mib);
    if (!group.made()) {
        GTEST_SKIP() << skerry_test::memory_group::not_made;
    }
    expect_success(run_in_child([&group] {
        if (!group.enter()) {
            return 1;
        }
        skerry::runtime rt(with(16));
        const bool right = rt.run([] {
            skerry::region r = skerry::root_region().create();
            std::atomic<long> ran{0};
            skerry::finish([&](skerry::scope& s) {
                for (int i = 0; i < 1'000'000; ++i) {
                    skerry::spawn([&ran] { ran.fetch_add(1, std::memory_order_relaxed); });
                }
                s.async([&ran] { ran.fetch_add(1, std::memory_order_relaxed); });
            });
            return ran == 1'000'001 && *r.make<int>(5) == 5 && computes();
        });
        return right ? 0 : 2;
    }));
}

// Where a group's limits are hit while a program ends, others hang: numba#10556. Of 16 workers on one CPU most sleep
// then, some search, and one runs what nobody waits for.
int ends_inside() {
    alarm(60);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) {
        return 1;
    }
    setenv("SKERRY_WORKERS", "16", 1);
    {
        skerry::runtime rt(with(16));
        if (!rt.run(computes)) {
            return 2;
        }
    }
    if (!computes()) {
        return 3;
    }
    std::atomic<bool> begun{false};
    static_cast<void>(skerry::submit([&begun] {
        begun = true;
        for (;;) {
            pause();
        }
    }));
    while (!begun) {
        std::this_thread::yield();
    }
    std::exit(0);
}

TEST(MemoryOfTheGroup, AProgramEndsInIt) {
    const skerry_test::memory_group group(48 * mib);
    if (!group.made()) {
        GTEST_SKIP() << skerry_test::memory_group::not_made;
    }
    expect_success(run_in_child([&group] { return group.enter() ? ends_inside() : 1; }));
}

// A fiftieth of a processor: it is taken away for most of the time, from whoever has it just then.
TEST(QuotaOfTheGroup, AProgramEndsInIt) {
    std::string reason;
    const auto group = skerry_test::control_group::make("cpu", reason);
    if (group == nullptr) {
        GTEST_SKIP() << reason;
    }
    ASSERT_TRUE(group->set_quota(2'000));
    expect_success(run_in_child([&group] { return group->enter() ? ends_inside() : 1; }));
    EXPECT_THAT(skerry::port::read_small_file(group->path() + "/cpu.stat"),
                testing::Optional(testing::ContainsRegex("nr_throttled [1-9]")));
}

// --- system calls ---------------------------------------------------------------------------------------------------

// What a program with threads and files needs of Linux. Not there: membarrier, prctl, sched_setattr, memfd_create,
// process_vm_readv and whatever else is new or rare.
std::vector<long> usual_calls() {
    std::vector<long> calls{SYS_openat,         SYS_faccessat,
                            SYS_faccessat2,     SYS_readlinkat,
                            SYS_newfstatat,     SYS_fstat,
                            SYS_read,           SYS_pread64,
                            SYS_write,          SYS_lseek,
                            SYS_close,          SYS_fcntl,
                            SYS_getdents64,     SYS_brk,
                            SYS_mmap,           SYS_mprotect,
                            SYS_munmap,         SYS_mremap,
                            SYS_madvise,        SYS_clone,
                            SYS_clone3,         SYS_set_robust_list,
                            SYS_rseq,           SYS_futex,
                            SYS_sched_yield,    SYS_sched_getaffinity,
                            SYS_nanosleep,      SYS_clock_nanosleep,
                            SYS_clock_gettime,  SYS_rt_sigaction,
                            SYS_rt_sigprocmask, SYS_rt_sigreturn,
                            SYS_sigaltstack,    SYS_restart_syscall,
                            SYS_getpid,         SYS_gettid,
                            SYS_tgkill,         SYS_uname,
                            SYS_sysinfo,        SYS_prlimit64,
                            SYS_getrandom,      SYS_exit,
                            SYS_exit_group};
#ifdef SYS_open // x86-64; newer machines have the *at calls alone
    calls.insert(calls.end(), {SYS_open, SYS_access, SYS_readlink, SYS_stat});
#endif
    return calls;
}

bool end_at_all_but(const std::vector<long>& calls) {
    return skerry_test::filter_calls(calls, SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS);
}

#define SKIP_WITHOUT_FILTER(child)                                                                                     \
    if ((child).exited && (child).code == no_filter) {                                                                 \
        GTEST_SKIP() << "this kernel forbids seccomp filters here";                                                    \
    }

TEST(StrictSandbox, LockedStealsMakeUsualCallsOnly) {
    const child_result child = run_in_child([] {
        if (!end_at_all_but(usual_calls())) {
            return no_filter;
        }
        setenv("SKERRY_WORKERS", "3", 1);
        setenv("SKERRY_STEAL", "locked", 1);
        steal<kib>();
        if (!computes()) {
            return 1;
        }
        skerry::options o = skerry::options::from_environment();
        o.watchdog_seconds = 100;
        skerry::runtime rt(o);
        return rt.run([] {
            skerry::region r = skerry::root_region().create();
            return computes() && *r.make<int>(5) == 5;
        })
                   ? 0
                   : 2;
    });
    SKIP_WITHOUT_FILTER(child);
    expect_success(child);
}

// A child of the process tries the other calls, and is ended for them.
TEST(StrictSandbox, ByDefaultNeedsToWaitForAChildBesides) {
    const child_result child = run_in_child([] {
        std::vector<long> calls = usual_calls();
        calls.push_back(SYS_wait4);
        if (!end_at_all_but(calls)) {
            return no_filter;
        }
        setenv("SKERRY_WORKERS", "3", 1);
        if (!computes()) {
            return 1;
        }
        return skerry::describe_machine().membarrier ? 2 : 0;
    });
    SKIP_WITHOUT_FILTER(child);
    expect_success(child);
}

// One that allows them costs a child, and nothing else. The program sees no child and no signal of it.
TEST(StrictSandbox, AFilterThatAllowsTheCallsChangesNothing) {
    static const bool with_membarrier = skerry::describe_machine().membarrier;
    const child_result child = run_in_child([] {
        static bool told = false;
        std::signal(SIGCHLD, [](int) { told = true; });
        if (!skerry_test::filter_calls({SYS_acct}, SECCOMP_RET_ERRNO | EPERM, SECCOMP_RET_ALLOW)) {
            return no_filter;
        }
        if (!computes() || told) {
            return 1;
        }
        if (::wait(nullptr) != -1 || errno != ECHILD) {
            return 2;
        }
        return skerry::describe_machine().membarrier == with_membarrier ? 0 : 3;
    });
    SKIP_WITHOUT_FILTER(child);
    expect_success(child);
}

// The kernel does it, before anybody could say a word.
TEST(StrictSandbox, WithoutThatTheProcessEnds) {
    const child_result child = run_in_child([] {
        if (!end_at_all_but(usual_calls())) {
            return no_filter;
        }
        setenv("SKERRY_WORKERS", "2", 1);
        return computes() ? 0 : 1;
    });
    SKIP_WITHOUT_FILTER(child);
    EXPECT_FALSE(child.exited);
    EXPECT_EQ(child.code, SIGSYS);
    EXPECT_STREQ(strsignal(child.code), "Bad system call"); // what a shell says
    EXPECT_EQ(child.output, "");
}

} // namespace

int main(int argc, char** argv) {
    if (argc == 2 && std::string_view(argv[1]) == "small-stack") {
        return main_with_a_small_stack();
    }
    testing::InitGoogleMock(&argc, argv);
    return RUN_ALL_TESTS();
}
