// SPDX-License-Identifier: Apache-2.0
#include "base/port/process.hpp"

#include <cerrno>
#include <csignal>
#include <string>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "child.hpp"

namespace {

using namespace skerry::port;
using skerry_test::run_in_child;
using skerry_test::wait_for;

TEST(process, writes_to_stderr) {
    const auto child = run_in_child([] {
        errno = EXDEV;
        write_stderr("one\n");
        write_stderr(std::string(200'000, 'x'));
        return errno == EXDEV ? 0 : 1;
    });
    EXPECT_EQ(child.code, 0);
    EXPECT_EQ(child.output, "one\n" + std::string(200'000, 'x'));
}

TEST(process, a_closed_stderr_is_ignored) {
    const auto child = run_in_child([] {
        close(STDERR_FILENO);
        write_stderr("nobody reads this");
        return 0;
    });
    EXPECT_TRUE(child.exited);
    EXPECT_EQ(child.code, 0);
}

std::string events;

TEST(process, counts_forks) {
    const auto child = run_in_child([] {
        track_forks({[]() noexcept { events += 'b'; }, []() noexcept { events += 'p'; },
                     []() noexcept { events += process_generation() == 1 ? 'c' : 'd'; }});
        track_forks({[]() noexcept { events += '!'; }, nullptr, nullptr});
        if (process_generation() != 0) {
            return 1;
        }
        const pid_t pid = fork();
        if (pid == 0) {
            const pid_t grandchild = fork();
            if (grandchild == 0) {
                _exit(process_generation() == 2 && events == "bcbd" ? 0 : 1);
            }
            _exit(wait_for(grandchild) == 0 && process_generation() == 1 && events == "bcbp" ? 0 : 1);
        }
        return wait_for(pid) == 0 && process_generation() == 0 && events == "bp" ? 0 : 2;
    });
    EXPECT_TRUE(child.exited);
    EXPECT_EQ(child.code, 0) << child.output;
}

TEST(process, hooks_may_be_missing) {
    const auto child = run_in_child([] {
        track_forks({});
        const pid_t pid = fork();
        if (pid == 0) {
            _exit(process_generation() == 1 ? 0 : 1);
        }
        return wait_for(pid);
    });
    EXPECT_EQ(child.code, 0) << child.output;
}

TEST(process, the_program_itself_is_kept) { EXPECT_TRUE(keep_loaded()); }

TEST(process, a_plugin_stays_once_its_threads_have_run) {
    const auto child = run_in_child([] {
        std::signal(SIGSEGV, [](int) { _exit(50); });
        void* const plugin = dlopen(BASE_PLUGIN, RTLD_NOW | RTLD_LOCAL);
        if (plugin == nullptr) {
            std::fputs(dlerror(), stderr);
            return 1;
        }
        reinterpret_cast<void (*)()>(dlsym(plugin, "use_a_thread"))();
        dlclose(plugin);
        // The handler that the plugin installed is called, and calls the one before.
        raise(SIGSEGV);
        return 2;
    });
    EXPECT_TRUE(child.exited);
    EXPECT_EQ(child.code, 50) << child.output;
}

} // namespace
