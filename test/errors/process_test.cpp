// SPDX-License-Identifier: Apache-2.0

// Messages that end the process, or that a process can only meet once: each in a child of its own.

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <event_machine.h>
#include <skerry/launch.hpp>
#include <skerry/skerry.hpp>

#include "../unit/base/child.hpp"
#include "../unit/base/seccomp.hpp"
#include "base/panic.hpp"

namespace {

using skerry_test::child_result;
using skerry_test::run_in_child;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

skerry::options with(unsigned workers) {
    skerry::options o;
    o.workers = workers;
    return o;
}

void expect_abort(const child_result& child, const char* message) {
    EXPECT_FALSE(child.exited) << child.code;
    EXPECT_EQ(child.code, SIGABRT);
    EXPECT_EQ(child.output, message);
}

void wait_until(const std::atomic<bool>& flag) {
    while (!flag) {
        std::this_thread::yield();
    }
}

// --- variables that mean nothing ------------------------------------------------------------------------------------

constexpr const char* misspelt = "skerry: the environment sets SKERRY_WORKER, which is no option; is SKERRY_WORKERS "
                                 "meant?\n";

std::string said_by(const std::function<void()>& body) {
    const child_result child = run_in_child([&] {
        body();
        return 0;
    });
    EXPECT_TRUE(child.exited && child.code == 0) << child.code;
    return child.output;
}

TEST(Variables, AMisspeltOneIsNamedOnce) {
    EXPECT_EQ(said_by([] {
                  setenv("SKERRY_WORKER", "1", 1);
                  skerry::parallel_for(0, 100, [](int) {});
                  skerry::runtime(skerry::options::from_environment()).run([] {});
                  skerry::runtime().run([] {});
              }),
              misspelt)
        << "the default runtime";
    EXPECT_EQ(said_by([] {
                  setenv("SKERRY_WORKER", "1", 1);
                  skerry::runtime(with(1)).run([] {});
              }),
              misspelt)
        << "a runtime that does not read the environment";
    EXPECT_EQ(said_by([] {
                  setenv("SKERRY_WORKER", "1", 1);
                  static_cast<void>(skerry::options::from_environment());
              }),
              misspelt)
        << "whoever asks for the options";
}

TEST(Variables, ALauncherNamesThemForAllProcesses) {
    EXPECT_EQ(said_by([] {
                  setenv("SKERRY_WORKER", "1", 1);
                  static_cast<void>(skerry::launch(1, {"/bin/true"}));
              }),
              misspelt);
    EXPECT_EQ(said_by([] {
                  setenv("SKERRY_WORKER", "1", 1);
                  for (const char* const name : {"SKERRY_RANK", "SKERRY_RANKS", "SKERRY_FABRIC_FD"}) {
                      setenv(name, "9", 1);
                  }
                  static_cast<void>(skerry::options::from_environment());
              }),
              "");
    EXPECT_EQ(said_by([] {
                  setenv("SKERRY_WORKER", "1", 1);
                  setenv("SKERRY_RANK", "0", 1); // left behind by something
                  static_cast<void>(skerry::options::from_environment());
              }),
              misspelt);
}

TEST(Variables, WhatIsNearNoOptionIsToldTheOptions) {
    const std::string said = said_by([] {
        setenv("SKERRY_THREADS", "4", 1);
        static_cast<void>(skerry::options::from_environment());
    });
    EXPECT_THAT(said, StartsWith("skerry: the environment sets SKERRY_THREADS, which is no option; there are "
                                 "SKERRY_WORKERS, SKERRY_PIN, "));
    EXPECT_THAT(said, EndsWith(", SKERRY_EM_STACK_SIZE and SKERRY_EM_POLL_NS\n"));
    EXPECT_THAT(said_by([] {
                    setenv("SKERRY_TESTING", "1", 1);
                    static_cast<void>(skerry::options::from_environment());
                }),
                StartsWith("skerry: the environment sets SKERRY_TESTING, which is no option; "))
        << "only what the tests do read is left out";
}

// A loop that is small enough asks for no runtime, but for how many workers it would have.
TEST(Variables, ALoopThatNeedsNoRuntimeSaysWhyThereIsNone) {
    EXPECT_EQ(said_by([] {
                  setenv("SKERRY_WORKERS", "abc", 1);
                  for (int i = 0; i < 2; ++i) {
                      skerry::parallel_for(0, 2, [](int) {});
                  }
              }),
              "skerry: no runtime could be made: SKERRY_WORKERS=abc: not understood; a whole number from 0 to 4096 is "
              "accepted\n");
}

TEST(Variables, ATerminalDoesNotObeyThem) {
    EXPECT_THAT(said_by([] {
                    setenv("SKERRY_\x1b[31m\n", "1", 1);
                    static_cast<void>(skerry::options::from_environment());
                }),
                StartsWith("skerry: the environment sets SKERRY_?[31m?, which is no option; "));
}

TEST(Variables, ThoseThatMeanSomethingAreNotNamed) {
    EXPECT_EQ(said_by([] {
                  for (const char* const name : {"SKERRY_WORKERS", "SKERRY_MAX_SLOTS"}) {
                      setenv(name, "3", 1);
                  }
                  for (const char* const name : {"SKERRY_PIN", "SKERRY_GUARD_ACCESSES"}) {
                      setenv(name, "off", 1);
                  }
                  setenv("SKERRY_STEAL", "automatic", 1);
                  setenv("SKERRY_NOTHING", "", 1); // as good as not set
                  for (const char* const name : {"SKERRY_STRESS_SECONDS", "SKERRY_FAULT", "SKERRY_TEST_MOMENTS",
                                                 "SKERRY_ROOT", "SKERRYISH", "skerry_x", "OMP_NUM_THREADS"}) {
                      setenv(name, "1", 1);
                  }
                  static_cast<void>(skerry::options::from_environment());
              }),
              "");
}

TEST(End, ARuntimeDestroyedByItsOwnTask) {
    expect_abort(run_in_child([] {
                     std::optional<skerry::runtime> rt(std::in_place, with(1));
                     rt->run([&] { rt.reset(); });
                     return 0;
                 }),
                 "skerry: a runtime is destroyed by a task that runs in it\n");
}

TEST(End, ARuntimeDestroyedUnderAnotherThread) {
    expect_abort(run_in_child([] {
                     std::optional<skerry::runtime> rt(std::in_place, with(1));
                     std::atomic<bool> inside{false};
                     std::thread other([&] {
                         rt->run([&] {
                             inside = true;
                             pause(); // to the end of the process
                         });
                     });
                     wait_until(inside);
                     rt.reset();
                     other.join();
                     return 0;
                 }),
                 "skerry: a runtime is destroyed while another thread is inside it\n");
}

TEST(End, AForkedChildThatGoesOnWithATask) {
    const child_result child = run_in_child([] {
        skerry::runtime rt(with(1));
        rt.run([] {
            skerry::parallel_invoke(
                [] {
                    const pid_t forked = fork();
                    if (forked != 0) {
                        const int status = skerry_test::wait_for(forked);
                        _exit(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT ? 7 : 8);
                    }
                },
                [] {});
        });
        return 0;
    });
    EXPECT_TRUE(child.exited);
    EXPECT_EQ(child.code, 7);
    EXPECT_EQ(child.output, "skerry: fork() was called inside a task, and the child goes on with that task; call "
                            "fork() outside parallel regions, or only exec() or _exit() in the child\n");
}

TEST(End, ABugInSkerry) {
    const child_result child = run_in_child([]() -> int { skerry::detail::panic("deque: top ", 5); });
    EXPECT_EQ(child.code, SIGABRT);
    EXPECT_THAT(child.output, StartsWith("skerry: internal error: deque: top 5 ["));
    EXPECT_THAT(child.output, EndsWith("]; this is a bug in Skerry, please report it\n"));
}

struct leaf final : skerry::task {
    void execute() override {}
};

TEST(End, ATaskDestroyedBeforeItsWait) {
    expect_abort(run_in_child([] {
                     setenv("SKERRY_WORKERS", "1", 1); // a thief would race with the destructor
                     {
                         leaf child;
                         skerry::task::spawn(&child);
                     }
                     return 0;
                 }),
                 "skerry: a task was destroyed that was spawned and not waited for: task::wait() was not reached (did "
                 "execute() throw before?) or its reference_count was too small\n");
}

TEST(End, AWaitInABranchForATaskFromOutsideOfIt) {
    expect_abort(run_in_child([] {
                     setenv("SKERRY_WORKERS", "1", 1);
                     leaf parent;
                     leaf child;
                     parent.set_reference_count(1);
                     skerry::task::spawn(&child);
                     skerry::parallel_invoke([&] { skerry::task::wait(&parent); }, [] {});
                     return 0;
                 }),
                 "skerry: task::wait() does not stand in the branch or loop body that its task::spawn() stands in\n");
}

TEST(End, ABranchThatLeavesATaskBehind) {
    expect_abort(run_in_child([] {
                     setenv("SKERRY_WORKERS", "1", 1);
                     leaf child;
                     try {
                         skerry::parallel_invoke(
                             [&] {
                                 skerry::task::spawn(&child);
                                 throw std::runtime_error("before the wait");
                             },
                             [] {});
                     } catch (const std::runtime_error&) {
                         return 1;
                     }
                     return 0;
                 }),
                 "skerry: a branch or loop body ended before the task::wait() for a task that it had spawned\n");
}

TEST(Steal, AsymmetricWhereTheKernelRefuses) {
    const child_result child = run_in_child([] {
        if (!skerry_test::refuse_membarrier(EPERM)) {
            return skerry_test::no_filter;
        }
        skerry::options o = with(2);
        o.steal = skerry::steal_mode::asymmetric;
        const skerry::runtime rt(o); // throws; run_in_child prints the text
        return 0;
    });
    if (child.exited && child.code == skerry_test::no_filter) {
        GTEST_SKIP() << "this kernel forbids seccomp filters here";
    }
    EXPECT_EQ(child.code, 100);
    EXPECT_THAT(child.output, HasSubstr("skerry: options::steal (SKERRY_STEAL) is asymmetric, but this kernel or "
                                        "sandbox refuses the expedited membarrier; use automatic or locked"));
}

#ifndef SKERRY_ACCESSES_ARE_WATCHED // there none are made
TEST(Events, HeavyFencesThatTheKernelRefusesFromNowOn) {
    const child_result child = run_in_child([] {
        em_conf_t conf;
        em_conf_init(&conf);
        conf.thread_per_core = 1;
        conf.core_count = 1;
        em_core_mask_set_count(1, &conf.phys_mask);
        if (em_init(&conf) != EM_OK) {
            return 1;
        }
        if (!skerry_test::refuse_membarrier(EPERM)) {
            return skerry_test::no_filter;
        }
        while (em_alloc(8, EM_EVENT_TYPE_SW, EM_POOL_DEFAULT) != EM_EVENT_UNDEF) { // until it looks into all caches
        }
        return 0;
    });
    if (child.exited && child.code == skerry_test::no_filter) {
        GTEST_SKIP() << "this kernel forbids seccomp filters here";
    }
    EXPECT_THAT(child.output, HasSubstr("skerry: event machine: this process may call membarrier() no more, which it "
                                        "could before"));
}
#endif

TEST(Steal, InterruptWhereThereAreNone) {
    skerry::options o = with(2);
    o.steal = skerry::steal_mode::interrupt;
    try {
        const skerry::runtime rt(o);
        FAIL() << "a runtime without interrupts was made";
    } catch (const std::system_error& e) {
        EXPECT_EQ(e.code(), std::errc::operation_not_supported);
        EXPECT_THAT(e.what(), HasSubstr("skerry: options::steal (SKERRY_STEAL) is interrupt, but this machine has no "
                                        "user-level interrupts; use automatic, asymmetric or locked"));
    }
}

// The first branch ends only once the watchdog has spoken: it reads what the process writes to standard error.
TEST(Watchdog, ReportsAWaitThatLasts) {
    const child_result child = run_in_child([] {
        int ends[2];
        if (pipe(ends) != 0) {
            return 1;
        }
        const int terminal = dup(STDERR_FILENO);
        dup2(ends[1], STDERR_FILENO);
        skerry::options o = with(2);
        o.watchdog_seconds = 0.02;
        skerry::runtime rt(o);
        rt.run([&] {
            std::atomic<bool> begun{false};
            skerry::parallel_invoke([&] { wait_until(begun); },
                                    [&] {
                                        begun = true;
                                        char text[4096];
                                        const ssize_t n = read(ends[0], text, sizeof text);
                                        dup2(terminal, STDERR_FILENO);
                                        static_cast<void>(write(terminal, text, static_cast<std::size_t>(n)));
                                    });
        });
        return 0;
    });
    EXPECT_TRUE(child.exited);
    EXPECT_EQ(child.code, 0);
    EXPECT_THAT(child.output, HasSubstr("skerry watchdog: a wait has lasted longer than 20 ms\n"));
}

} // namespace
