// SPDX-License-Identifier: Apache-2.0
#include "base/port/stack_guard.hpp"

#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdio>

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/port/thread.hpp"
#include "child.hpp"

// The handler is installed once per process, so everything here runs in children and this process starts no thread.

namespace {

using namespace skerry::port;
using skerry_test::child_result;
using skerry_test::run_in_child;
using testing::HasSubstr;
using testing::Not;

constexpr std::size_t stack_size = 512 * 1024;

[[gnu::noinline]] int descend(int depth) {
    volatile char frame[512];
    frame[0] = static_cast<char>(depth);
    return depth < 1 << 30 ? descend(depth + 1) + frame[0] : 0;
}

void overflow(void*) { descend(0); }

// An address that faults.
volatile int* const nowhere = reinterpret_cast<volatile int*>(std::uintptr_t{64});

void fault(void*) { *nowhere = 1; }

void nothing(void*) {}

void run_thread(void (*fn)(void*)) {
    thread t;
    t.start(stack_size, "worker 7", fn, nullptr);
    t.join();
}

void set_handler(int signal, void (*handler)(int, siginfo_t*, void*), int flags = 0) {
    struct sigaction action = {};
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO | flags;
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGUSR2);
    sigaction(signal, &action, nullptr);
}

constexpr const char* report = "skerry: stack overflow in worker 7 (stack of 512 KiB); raise options::stack_size or "
                               "SKERRY_STACK_SIZE\n";

TEST(stack_guard, overflow_is_reported) {
    const child_result child = run_in_child([] {
        run_thread(overflow);
        return 0;
    });
    EXPECT_FALSE(child.exited);
    EXPECT_EQ(child.code, SIGABRT);
    EXPECT_EQ(child.output, report);
}

TEST(stack_guard, overflow_is_ours_even_if_there_is_another_handler) {
    const child_result child = run_in_child([] {
        set_handler(SIGSEGV, [](int, siginfo_t*, void*) { _exit(40); });
        run_thread(overflow);
        return 0;
    });
    EXPECT_EQ(child.code, SIGABRT);
    EXPECT_EQ(child.output, report);
}

// The sanitizers' own handlers come next in line; they print a report and exit.
void expect_default_death(const child_result& child) {
    if (skerry_test::sanitized) {
        EXPECT_THAT(child.output, HasSubstr("Sanitizer"));
    } else {
        EXPECT_FALSE(child.exited);
        EXPECT_EQ(child.code, SIGSEGV);
    }
    EXPECT_THAT(child.output, Not(HasSubstr("skerry: stack overflow")));
}

TEST(stack_guard, other_faults_have_the_default_action) {
    expect_default_death(run_in_child([] {
        run_thread(fault);
        return 0;
    }));
}

TEST(stack_guard, faults_of_foreign_threads_have_the_default_action) {
    expect_default_death(run_in_child([] {
        run_thread(nothing);
        fault(nullptr);
        return 0;
    }));
}

TEST(stack_guard, overflow_of_a_foreign_stack_has_the_default_action) {
    expect_default_death(run_in_child([] {
        const rlimit limit = {1 << 20, 1 << 20};
        setrlimit(RLIMIT_STACK, &limit);
        run_thread(nothing);
        overflow(nullptr);
        return 0;
    }));
}

TEST(stack_guard, other_faults_go_to_the_previous_handler) {
    const child_result child = run_in_child([] {
        set_handler(SIGSEGV, [](int signal, siginfo_t* info, void*) {
            sigset_t blocked;
            pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
            const bool as_installed = sigismember(&blocked, SIGUSR2) == 1 && sigismember(&blocked, SIGSEGV) == 1;
            _exit(signal == SIGSEGV && info->si_addr == nowhere && as_installed ? 41 : 42);
        });
        run_thread(fault);
        return 0;
    });
    EXPECT_TRUE(child.exited);
    EXPECT_EQ(child.code, 41) << child.output;
}

TEST(stack_guard, a_plain_handler_is_called_as_well) {
    const child_result child = run_in_child([] {
        std::signal(SIGSEGV, [](int signal) { _exit(signal == SIGSEGV ? 43 : 44); });
        run_thread(fault);
        return 0;
    });
    EXPECT_EQ(child.code, 43) << child.output;
}

sigjmp_buf out;

TEST(stack_guard, a_handler_may_leave_by_a_jump_and_come_again) {
    const child_result child = run_in_child([] {
        set_handler(SIGSEGV, [](int, siginfo_t*, void*) { siglongjmp(out, 1); }, SA_NODEFER);
        run_thread([](void*) {
            static int faults = 0; // not a local: it has to survive the jump
            while (faults++ < 3) {
                if (sigsetjmp(out, 0) == 0) {
                    fault(nullptr);
                }
            }
        });
        return 45;
    });
    EXPECT_TRUE(child.exited);
    EXPECT_EQ(child.code, 45) << child.output;
}

TEST(stack_guard, bus_errors_go_to_the_previous_handler) {
    const child_result child = run_in_child([] {
        set_handler(SIGBUS, [](int signal, siginfo_t*, void*) { _exit(signal == SIGBUS ? 46 : 47); });
        run_thread([](void*) { raise(SIGBUS); });
        return 0;
    });
    EXPECT_EQ(child.code, 46) << child.output;
}

TEST(stack_guard, an_ignored_signal_stays_ignored) {
    const child_result child = run_in_child([] {
        std::signal(SIGSEGV, SIG_IGN);
        run_thread([](void*) { raise(SIGSEGV); });
        return 48;
    });
    EXPECT_TRUE(child.exited);
    EXPECT_EQ(child.code, 48) << child.output;
}

TEST(stack_guard, a_sent_signal_has_the_default_action) {
    const child_result child = run_in_child([] {
        std::signal(SIGSEGV, SIG_DFL);
        run_thread(nothing);
        raise(SIGSEGV);
        return 0;
    });
    EXPECT_FALSE(child.exited);
    EXPECT_EQ(child.code, SIGSEGV) << child.output;
}

TEST(stack_guard, a_thread_puts_the_signal_stack_back) {
    const child_result child = run_in_child([] {
        thread t;
        t.start(
            stack_size, "worker 7",
            [](void*) {
                stack_t current;
                sigaltstack(nullptr, &current);
                if ((current.ss_flags & SS_DISABLE) != 0) {
                    _exit(1);
                }
            },
            nullptr);
        t.join();
        return 49;
    });
    EXPECT_EQ(child.code, 49) << child.output;
}

} // namespace
