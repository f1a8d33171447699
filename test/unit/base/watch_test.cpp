// SPDX-License-Identifier: Apache-2.0
#include "base/port/child.hpp"

#include <csignal>
#include <cstdlib>
#include <system_error>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/port/clock.hpp"
#include "base/port/futex.hpp"
#include "child.hpp"

namespace {

using namespace skerry::port;
using what = child_watch::event::what;

child_end end_of(child_watch& watch, int pid) {
    const child_watch::event e = watch.next({pid}, forever);
    EXPECT_EQ(e.kind, what::child_ended);
    EXPECT_EQ(e.child.pid, pid);
    return e.child;
}

TEST(child_watch, tells_how_each_ended) {
    child_watch watch;
    const child_end exited = end_of(watch, watch.start({"sh", "-c", "exit 3"}, {}));
    EXPECT_FALSE(exited.killed);
    EXPECT_EQ(exited.number, 3);
    const child_end killed = end_of(watch, watch.start({"sh", "-c", "kill -9 $$"}, {}));
    EXPECT_TRUE(killed.killed);
    EXPECT_EQ(killed.number, signal_kill);
}

TEST(child_watch, variables_replace_those_of_the_same_name) {
    ::setenv("SKERRY_TEST_A", "old", 1);
    ::setenv("SKERRY_TEST_AB", "kept", 1);
    child_watch watch;
    const int pid = watch.start({"sh", "-c", "test $SKERRY_TEST_A = new && test $SKERRY_TEST_AB = kept"},
                                {{"SKERRY_TEST_A", "new"}});
    EXPECT_EQ(end_of(watch, pid).number, 0);
}

TEST(child_watch, a_program_that_is_not_there) {
    child_watch watch;
    try {
        watch.start({"/nowhere/at/all"}, {});
        FAIL();
    } catch (const std::system_error& e) {
        EXPECT_EQ(e.code(), std::errc::no_such_file_or_directory);
    }
}

TEST(child_watch, time_and_signals) {
    child_watch watch;
    const int pid = watch.start({"sleep", "100"}, {});
    EXPECT_EQ(watch.next({pid}, 1000).kind, what::time_over);
    ::kill(::getpid(), SIGINT);
    const child_watch::event asked = watch.next({pid}, forever);
    EXPECT_EQ(asked.kind, what::asked_to_end);
    EXPECT_EQ(asked.signal, SIGINT);
    send_signal(pid, signal_terminate);
    EXPECT_EQ(end_of(watch, pid).number, signal_terminate);
}

TEST(child_watch, leaves_signals_as_they_were) {
    std::signal(SIGCHLD, SIG_IGN);
    {
        child_watch watch;
        EXPECT_EQ(end_of(watch, watch.start({"true"}, {})).number, 0) << "an ignored SIGCHLD loses no status";
    }
    EXPECT_EQ(std::signal(SIGCHLD, SIG_DFL), SIG_IGN);
    sigset_t mask;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    EXPECT_EQ(::sigismember(&mask, SIGINT), 0);
}

TEST(child_watch, a_child_is_killed_with_the_thread_that_started_it) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t parent = ::fork();
    if (parent == 0) {
        child_watch watch;
        watch.start({"sleep", "100"}, {});
        kill_this_process();
    }
    EXPECT_EQ(WTERMSIG(skerry_test::wait_for(parent)), SIGKILL);
    ::close(ends[1]);
    char byte = 0;
    EXPECT_EQ(::read(ends[0], &byte, 1), 0) << "the child holds its end of the pipe while it lives";
    ::close(ends[0]);
}

} // namespace
