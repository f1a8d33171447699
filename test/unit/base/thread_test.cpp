// SPDX-License-Identifier: Apache-2.0
#include "base/port/thread.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

#include <gmock/gmock.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/port/cpu_limits.hpp"
#include "base/port/memory.hpp"
#include "child.hpp"

namespace {

using namespace skerry::port;
using skerry_test::run_in_child;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::size_t stack_size = 256 * 1024;

void nothing(void*) {}

// The error that start() reports, or 0.
std::pair<int, std::string> start_error(std::size_t size, std::optional<unsigned> cpu = std::nullopt) {
    thread t;
    try {
        t.start(size, "worker 3", nothing, nullptr, cpu);
    } catch (const std::system_error& e) {
        EXPECT_FALSE(t.joinable());
        return {e.code().value(), e.what()};
    }
    t.join();
    return {0, ""};
}

TEST(thread, smoke) {
    struct seen {
        int id = 0;
        char name[16]{};
    } result;
    thread t;
    EXPECT_FALSE(t.joinable());
    t.start(
        stack_size, "a name that is too long",
        [](void* p) {
            auto& r = *static_cast<seen*>(p);
            r.id = ::gettid();
            pthread_getname_np(pthread_self(), r.name, sizeof r.name);
        },
        &result);
    EXPECT_TRUE(t.joinable());
    t.join();
    EXPECT_FALSE(t.joinable());
    EXPECT_GT(result.id, 0);
    EXPECT_NE(result.id, ::gettid());
    EXPECT_STREQ(result.name, "a name that is ");
}

TEST(thread, name_for_the_report_alone) {
    char own[16]{};
    pthread_getname_np(pthread_self(), own, sizeof own);
    char name[16]{};
    thread t;
    t.start(
        stack_size, "worker 3", [](void* p) { pthread_getname_np(pthread_self(), static_cast<char*>(p), sizeof name); },
        name, std::nullopt, name_for::report);
    t.join();
    EXPECT_STREQ(name, own); // of the thread that started it
}

TEST(thread, moves) {
    int runs = 0;
    thread a;
    a.start(stack_size, "a", [](void* p) { ++*static_cast<int*>(p); }, &runs);
    thread b(std::move(a));
    thread c;
    c = std::move(b);
    c.join();
    c.start(stack_size, "c", [](void* p) { ++*static_cast<int*>(p); }, &runs);
    c.join();
    EXPECT_EQ(runs, 2);
}

[[gnu::noinline]] void touch(char* buffer, std::size_t size) { std::memset(buffer, 1, size); }

TEST(thread, whole_stack_is_usable) {
    static constexpr std::size_t size = 2 * 1024 * 1024;
    thread t;
    t.start(
        size, "deep",
        [](void*) {
            char buffer[size - 64 * 1024];
            touch(buffer, sizeof buffer);
        },
        nullptr);
    t.join();
}

TEST(thread, small_stack_is_raised) { EXPECT_EQ(start_error(1).first, 0); }

TEST(thread, inherits_the_signal_mask) {
    sigset_t mask;
    sigset_t old;
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &mask, &old);
    bool blocked = false;
    thread t;
    t.start(
        stack_size, "m",
        [](void* p) {
            sigset_t current;
            pthread_sigmask(SIG_BLOCK, nullptr, &current);
            *static_cast<bool*>(p) = sigismember(&current, SIGUSR1) == 1;
        },
        &blocked);
    t.join();
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
    EXPECT_TRUE(blocked);
}

TEST(thread, runs_on_the_cpu_it_is_pinned_to) {
    for (const unsigned cpu : process_cpus()) {
        cpu_set_t set;
        CPU_ZERO(&set);
        thread t;
        t.start(
            stack_size, "pinned", [](void* p) { sched_getaffinity(0, sizeof(cpu_set_t), static_cast<cpu_set_t*>(p)); },
            &set, cpu);
        t.join();
        EXPECT_EQ(CPU_COUNT(&set), 1);
        EXPECT_TRUE(CPU_ISSET(cpu, &set));
    }
}

TEST(thread, cpu_out_of_reach_is_an_error) {
    const auto [code, text] = start_error(stack_size, 5000);
    EXPECT_EQ(code, EINVAL);
    EXPECT_THAT(text,
                StartsWith("skerry: cannot start worker 3: this process may not run on CPU 5000; switch pinning off "
                           "(options::pin, SKERRY_PIN)"));
}

TEST(thread, stack_out_of_reach_is_an_error) {
    for (const std::size_t size : {SIZE_MAX, SIZE_MAX / 8}) {
        const auto [code, text] = start_error(size);
        EXPECT_EQ(code, ENOMEM);
        EXPECT_THAT(text, HasSubstr("lower options::stack_size (SKERRY_STACK_SIZE)"));
    }
}

TEST(thread, every_failed_allocation_is_an_error) {
    int failures = 0;
    for (;; ++failures) {
        fail_memory_after(failures);
        const auto [code, text] = start_error(stack_size);
        fail_memory_after(-1);
        if (code == 0) {
            break;
        }
        EXPECT_EQ(code, ENOMEM);
        EXPECT_THAT(text, StartsWith("skerry: cannot start worker 3: no memory for a stack of "));
    }
    EXPECT_EQ(failures, 3); // the mapping, the stack, what lies above it
}

TEST(thread, no_more_threads_is_an_error) {
    const auto child = run_in_child([] {
        const rlimit one = {1, 1};
        if (setrlimit(RLIMIT_NPROC, &one) != 0) {
            return 2;
        }
        // The limit does not bind root.
        if (geteuid() == 0 && setuid(65534) != 0) {
            return 3;
        }
        const auto [code, text] = start_error(stack_size);
        std::fputs(text.c_str(), stdout);
        return code == EAGAIN ? 0 : 1;
    });
    EXPECT_TRUE(child.exited && child.code == 0) << child.code;
    EXPECT_THAT(child.output,
                HasSubstr("skerry: cannot start worker 3: the system has no more threads for this process "
                          "(RLIMIT_NPROC, the cgroup's pids.max or memory); lower options::workers or "
                          "SKERRY_WORKERS"));
}

TEST(thread, child_of_a_fork_forgets) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    thread t;
    t.start(
        stack_size, "parent's",
        [](void* p) {
            char byte = 0;
            while (read(*static_cast<int*>(p), &byte, 1) < 0 && errno == EINTR) {
            }
        },
        ends);
    const pid_t pid = fork();
    if (pid == 0) {
        t.forget();
        _exit(t.joinable() ? 1 : 0);
    }
    EXPECT_EQ(skerry_test::wait_for(pid), 0);
    close(ends[1]);
    t.join();
    close(ends[0]);
}

TEST(thread, misuse_is_a_panic) {
    const auto unjoined = run_in_child([] {
        thread t;
        t.start(stack_size, "worker 3", nothing, nullptr);
        return 0;
    });
    EXPECT_EQ(unjoined.code, SIGABRT);
    EXPECT_THAT(unjoined.output, HasSubstr("destroyed without join: worker 3"));
    const auto twice = run_in_child([] {
        thread t;
        t.start(stack_size, "worker 3", nothing, nullptr);
        t.start(stack_size, "worker 4", nothing, nullptr);
        return 0;
    });
    EXPECT_EQ(twice.code, SIGABRT);
    EXPECT_THAT(twice.output, HasSubstr("started twice: worker 3"));
    const auto overwritten = run_in_child([] {
        thread t;
        t.start(stack_size, "worker 3", nothing, nullptr);
        t = thread();
        return 0;
    });
    EXPECT_EQ(overwritten.code, SIGABRT);
    EXPECT_THAT(overwritten.output, HasSubstr("not joined: worker 3"));
}

TEST(thread, yield_returns) { yield(); }

} // namespace
