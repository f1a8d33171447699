// SPDX-License-Identifier: Apache-2.0

// The launcher and the handshake: how processes come together, and every way in which they do not.

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <skerry/launch.hpp>
#include <sys/resource.h>
#include <unistd.h>

#include "../base/child.hpp"
#include "../base/memory_group.hpp"
#include "base/port/cpu_limits.hpp"
#include "base/port/shared_memory.hpp"
#include "fabric/shm/protocol.hpp"
#include "fabric/shm/shm.hpp"
#include "launched.hpp"

namespace {

using skerry::launch;
using skerry_test::child_result;
using skerry_test::run_in_child;
using testing::HasSubstr;
namespace shm = skerry::fabric::shm;
namespace port = skerry::port;

constexpr const char* self = "/proc/self/exe";

struct pipe_ends {
    int read = -1;
    int write = -1;
    pipe_ends() {
        int ends[2];
        if (::pipe(ends) != 0) {
            throw std::system_error(errno, std::generic_category(), "pipe");
        }
        read = ends[0];
        write = ends[1];
    }
    pipe_ends(const pipe_ends&) = delete;
    pipe_ends& operator=(const pipe_ends&) = delete;
    ~pipe_ends() {
        ::close(read);
        close_write();
    }
    void close_write() {
        if (write >= 0) {
            ::close(write);
        }
        write = -1;
    }
};

// Processes that do `what`; what they and the launcher said.
child_result launched(const std::vector<std::string>& what, double grace = 2, unsigned processes = 2) {
    return run_in_child([&] {
        std::vector<std::string> command{self};
        command.insert(command.end(), what.begin(), what.end());
        const skerry::launch_result end = launch(processes, command, {.grace_seconds = grace});
        std::fprintf(stderr, "launcher: %s\n", end.text.c_str());
        return end.status;
    });
}

TEST(launch, all_end_well) {
    const child_result r = launched({"meet"});
    EXPECT_EQ(r.code, 0);
    EXPECT_EQ(r.output, "launcher: \n");
}

TEST(launch, processes_that_never_met_are_told_of) {
    const child_result r = launched({"succeed"}, 2, 3);
    EXPECT_EQ(r.code, 0);
    EXPECT_EQ(r.output, "launcher: the 3 processes never met, and each has run the whole program: it calls run() of no "
                        "skerry::runtime, where they meet, or has more rights than its caller and reads no variable\n");
    EXPECT_EQ(launched({"succeed"}, 2, 1).output, "launcher: \n") << "there is nobody to meet";
}

// Whether each of so many processes finds this number of workers, where the launcher's environment says `said`.
bool each_has(unsigned processes, unsigned workers, const char* said) {
    return run_in_child([&] {
               static_cast<void>(said != nullptr ? ::setenv("SKERRY_WORKERS", said, 1) : ::unsetenv("SKERRY_WORKERS"));
               const std::string is_it = "test \"$SKERRY_WORKERS\" = " + std::to_string(workers);
               return launch(processes, {"sh", "-c", is_it}).status;
           }).code == 0;
}

TEST(launch, each_process_gets_its_share_of_the_workers) {
    const unsigned all = port::read_cpu_limits().workers;
    EXPECT_TRUE(each_has(1, all, nullptr));
    EXPECT_TRUE(each_has(2, std::max(1U, all / 2), nullptr));
    EXPECT_TRUE(each_has(std::min(all + 1, skerry::most_processes), 1, "0"));
    EXPECT_TRUE(each_has(2, 7, "7")) << "what the user has said";
    EXPECT_FALSE(each_has(2, 8, "7"));
}

TEST(launch, the_first_bad_status_is_the_result_and_the_others_are_ended) {
    const child_result r = launched({"exit_5_or_sleep"}, 0.05);
    EXPECT_EQ(r.code, 5);
    EXPECT_EQ(r.output, "launcher: process 0 ended with exit status 5\n");
}

TEST(launch, who_does_not_listen_is_killed) {
    const pipe_ends ready;
    const child_result r =
        launched({"exit_5_or_be_stubborn", std::to_string(ready.read), std::to_string(ready.write)}, 0.01);
    EXPECT_EQ(r.code, 5);
}

TEST(launch, a_killed_process_is_named) {
    const child_result r = launched({"be_killed_or_sleep"}, 0.05);
    EXPECT_EQ(r.code, 128 + SIGKILL);
    EXPECT_EQ(r.output, "launcher: process 1 was killed by signal 9\n");
}

// The first process takes more than the group has; the launcher is in it, too, with a smaller claim.
TEST(launch, a_process_for_which_there_was_no_memory_is_named) {
    const skerry_test::memory_group group(std::size_t{512} << 20);
    if (!group.made()) {
        GTEST_SKIP() << skerry_test::memory_group::not_made;
    }
    const child_result r = run_in_child([&] {
        if (!group.enter()) {
            return 1;
        }
        const skerry::launch_result end = launch(2, {self, "use_up_memory_or_sleep"}, {.grace_seconds = 0.05});
        std::fprintf(stderr, "launcher: %s\n", end.text.c_str());
        return end.status;
    });
    EXPECT_EQ(r.code, 128 + SIGKILL) << r.output;
    EXPECT_THAT(r.output,
                testing::ContainsRegex(
                    "launcher: process 0 was killed by signal 9; it may have been for want of memory: the count "
                    "oom_kill in /.*/memory\\.[a-z_]+ has grown\n"));
}

TEST(launch, wrong_calls) {
    EXPECT_THROW(
        {
            try {
                launch(0, {self});
            } catch (const std::invalid_argument& e) {
                EXPECT_STREQ(e.what(), "skerry: launch: 0 processes; accepted is 1 to 64");
                throw;
            }
        },
        std::invalid_argument);
    EXPECT_THROW(launch(65, {self}), std::invalid_argument);
    try {
        launch(2, {});
        FAIL();
    } catch (const std::invalid_argument& e) {
        EXPECT_STREQ(e.what(), "skerry: launch: no program is given");
    }
    try {
        launch(2, {"/nowhere/at/all"});
        FAIL();
    } catch (const std::system_error& e) {
        EXPECT_EQ(e.code(), std::errc::no_such_file_or_directory);
        EXPECT_THAT(e.what(), HasSubstr("skerry: cannot start '/nowhere/at/all'"));
    }
}

TEST(launch, nothing_to_share) {
    const child_result r = run_in_child([] {
        rlimit files{};
        ::setrlimit(RLIMIT_NOFILE, &files);
        try {
            launch(2, {self});
        } catch (const std::system_error& e) {
            std::printf("%s", e.what());
        }
        return 0;
    });
    EXPECT_THAT(r.output, HasSubstr("skerry: no memory that processes can share"));
}

// A launcher in a process of its own, whose processes each write a byte and keep the pipe open while they live.
template <class F>
int with_launcher(F&& then) {
    pipe_ends alive;
    std::fflush(nullptr);
    const pid_t launcher = ::fork();
    if (launcher == 0) {
        int status = 99;
        try {
            status = launch(2, {self, "say_and_sleep", std::to_string(alive.write)}).status;
        } catch (const std::exception& e) {
            std::fprintf(stderr, "%s\n", e.what());
        }
        ::_exit(status);
    }
    alive.close_write();
    char bytes[2];
    for (int come = 0; come < 2;) {
        const ssize_t n = ::read(alive.read, bytes, sizeof bytes);
        EXPECT_GT(n, 0) << "the processes did not start";
        if (n <= 0) {
            break;
        }
        come += static_cast<int>(n);
    }
    then(launcher);
    const int status = skerry_test::wait_for(launcher);
    EXPECT_EQ(::read(alive.read, bytes, 1), 0) << "a process lives on";
    return status;
}

TEST(launch, sigterm_goes_to_all) {
    const int status = with_launcher([](pid_t launcher) { ::kill(launcher, SIGTERM); });
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 128 + SIGTERM);
}

std::vector<std::string> names_in(const char* folder) {
    std::vector<std::string> result;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string name = entry.path().filename();
        if (name.find("skerry") != std::string::npos) {
            result.push_back(name);
        }
    }
    return result;
}

TEST(launch, a_killed_launcher_leaves_nothing) {
    const int status = with_launcher([](pid_t launcher) { ::kill(launcher, SIGKILL); });
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_THAT(names_in("/dev/shm"), testing::IsEmpty());
}

TEST(handshake, the_arena_has_one_address_and_private_contents) { EXPECT_EQ(launched({"same_arena"}).code, 0); }

TEST(handshake, the_next_place_is_taken_when_the_best_is_not_free_everywhere) {
    const child_result r = launched({"other_arena"});
    EXPECT_EQ(r.code, 0) << r.output;
}

TEST(handshake, no_place_for_the_arena) {
    if (skerry_test::sanitized) {
        GTEST_SKIP() << "a sanitizer's shadow memory does not fit any limit";
    }
    const child_result r = launched({"no_arena"});
    EXPECT_EQ(r.code, 7);
    EXPECT_THAT(r.output,
                HasSubstr("skerry: no address is free for the arena in all processes; process 0 could reserve "
                          "0x200000000000, "));
    EXPECT_THAT(r.output,
                HasSubstr(", process 1 could reserve none; look at 'ulimit -v', and build all processes alike"));
    EXPECT_THAT(r.output, testing::Not(HasSubstr("process 1 could reserve none, process 1")));
}

// Each process's result once, also where several have the same.
TEST(handshake, no_place_for_the_arena_in_most) {
    if (skerry_test::sanitized) {
        GTEST_SKIP() << "a sanitizer's shadow memory does not fit any limit";
    }
    const child_result r = launched({"no_arena"}, 2, 3);
    EXPECT_EQ(r.code, 7);
    EXPECT_THAT(r.output, HasSubstr(", process 1 and 2 could reserve none; look at 'ulimit -v'"));
}

TEST(handshake, a_small_arena_is_told_of_once) {
    if (skerry_test::sanitized) {
        GTEST_SKIP() << "a sanitizer's shadow memory does not fit any limit";
    }
    const child_result one = launched({"small_arena", "0", "1200"});
    EXPECT_EQ(one.code, 0);
    EXPECT_EQ(one.output, "skerry: the arena for regions has 1 GiB in place of 1024; process 0 could reserve 1024 GiB, "
                          "process 1 could reserve 1 GiB; look at 'ulimit -v'\nlauncher: \n");
    const child_result all = launched({"small_arena", "1200", "1200"});
    EXPECT_EQ(all.code, 0);
    EXPECT_EQ(all.output, "skerry: the arena for regions has 1 GiB in place of 1024; process 0 and 1 could reserve "
                          "1 GiB; look at 'ulimit -v'\nlauncher: \n");
    const child_result different = launched({"small_arena", "17000", "1200"});
    EXPECT_EQ(different.code, 0) << "each place alone fits the limit of the first, two do not";
    EXPECT_EQ(different.output, "skerry: the arena for regions has 1 GiB in place of 1024; process 0 could reserve "
                                "16 GiB, process 1 could reserve 1 GiB; look at 'ulimit -v'\nlauncher: \n");
}

TEST(handshake, different_tables_are_named_by_both) {
    const child_result r = launched({"other_table"});
    EXPECT_EQ(r.code, 7);
    EXPECT_THAT(r.output, HasSubstr("skerry: the processes run different programs: process 1 has 13 task functions "
                                    "(table 0xabc1, code 0xdef1), "
                                    "process 0 has 12 task functions (table 0xabc0, code 0xdef0)\n"));
    EXPECT_THAT(r.output, HasSubstr("skerry: the processes run different programs: process 0 has 12 task functions "
                                    "(table 0xabc0, code 0xdef0), "
                                    "process 1 has 13 task functions (table 0xabc1, code 0xdef1)\n"));
}

TEST(handshake, who_never_comes_is_named) {
    const pipe_ends closed_at_the_end;
    const child_result r = launched({"never_come", std::to_string(closed_at_the_end.read)}, 0.01);
    EXPECT_EQ(r.code, 7);
    EXPECT_THAT(r.output, HasSubstr("skerry: process 1 did not join within 100 ms (this is process 0)\n"));
}

TEST(handshake, who_dies_before_is_named) {
    const child_result r = launched({"die_before"});
    EXPECT_EQ(r.code, 128 + SIGKILL);
    EXPECT_THAT(r.output, HasSubstr("skerry: process 1 was killed by signal 9 before it could join\n"));
}

// Also by one that comes when another has given up because of that.
TEST(handshake, who_dies_first_is_named) {
    const pipe_ends later;
    const child_result r =
        launched({"die_before_another_gives_up", std::to_string(later.read), std::to_string(later.write)}, 10, 3);
    EXPECT_EQ(r.code, 128 + SIGKILL);
    const std::string line = "skerry: process 2 was killed by signal 9 before it could join\n";
    EXPECT_EQ(r.output, line + line + "launcher: process 2 was killed by signal 9\n");
}

TEST(handshake, who_ends_before_is_named) {
    const child_result r = launched({"end_before"});
    EXPECT_EQ(r.code, 7);
    EXPECT_THAT(r.output, HasSubstr("skerry: process 1 left the program with exit status 0 before it could join\n"));
}

TEST(handshake, who_gives_up_is_named) {
    const pipe_ends later;
    const child_result r = launched({"give_up", std::to_string(later.read), std::to_string(later.write)});
    EXPECT_EQ(r.code, 7);
    EXPECT_THAT(r.output, HasSubstr("skerry: process 1 gave up before it could reserve its arena\n"));
}

TEST(handshake, once_in_a_process) {
    const child_result r = launched({"connect_twice"});
    EXPECT_EQ(r.code, 7);
    EXPECT_THAT(r.output, HasSubstr(" is not the memory that 'skerry launch' shares; a process connects once, and its "
                                    "own children cannot\n"));
}

// A rank is for one process: the child, or its parent behind it.
TEST(handshake, once_for_a_rank) {
    const child_result r = launched({"after_its_child"});
    EXPECT_EQ(r.code, 7);
    EXPECT_THAT(r.output,
                testing::ContainsRegex("skerry: process [0-9]+ of the system has joined with SKERRY_RANK=[01] "
                                       "before; a process connects once, and its own children cannot\n"));
    for (int i = 0; i < 20; ++i) {
        const child_result both = launched({"with_its_child"});
        EXPECT_EQ(both.code, 0) << both.output;
    }
}

// connect() with these variables, in a child; what it says.
std::string connect_with(const char* rank, const char* ranks, const char* descriptor) {
    return run_in_child([=] {
               for (const auto& [name, value] : {std::pair("SKERRY_RANK", rank), std::pair("SKERRY_RANKS", ranks),
                                                 std::pair("SKERRY_FABRIC_FD", descriptor)}) {
                   value != nullptr ? ::setenv(name, value, 1) : ::unsetenv(name);
               }
               try {
                   static_cast<void>(shm::connect({.timeout_ns = 1'000'000}));
               } catch (const std::exception& e) {
                   std::printf("%s", e.what());
               }
               return 0;
           })
        .output;
}

TEST(handshake, variables_that_make_no_sense) {
    EXPECT_EQ(connect_with("0", nullptr, nullptr),
              "skerry: SKERRY_RANKS is not set; start the program with 'skerry launch'");
    EXPECT_THAT(connect_with("x", "2", "3"), HasSubstr("SKERRY_RANK=x: not understood; a whole number from 0 to 1"));
    EXPECT_THAT(connect_with("2", "2", "3"), HasSubstr("SKERRY_RANK=2"));
    EXPECT_THAT(connect_with("0", "2", "1000"), HasSubstr("SKERRY_FABRIC_FD=1000 is not the memory"));
}

TEST(handshake, a_launcher_of_another_version) {
    const int descriptor = port::make_shared_memory("skerry-test", shm::shared_bytes(2));
    ASSERT_GE(descriptor, 0);
    void* const begin = port::map_shared(descriptor, shm::control_bytes);
    ASSERT_NE(begin, nullptr);
    auto& head = *static_cast<shm::control*>(begin);
    const std::string text = std::to_string(descriptor);
    EXPECT_THAT(connect_with("0", "2", text.c_str()), HasSubstr(" is not the memory that 'skerry launch' shares"));
    head.magic = shm::magic_number;
    head.layout = 1234;
    head.processes = 2;
    EXPECT_EQ(
        connect_with("0", "2", text.c_str()),
        "skerry: 'skerry launch' and this program were built from different versions of Skerry, layouts 1234 and " +
            std::to_string(shm::layout_of_this_build()));
    head.layout = shm::layout_of_this_build();
    EXPECT_THAT(connect_with("0", "2", text.c_str()), HasSubstr("skerry: process 1 did not join within 1 ms"));
    port::unmap_shared(begin, shm::control_bytes);
    port::close_shared_memory(descriptor);
}

TEST(handshake, only_launched_programs_are) { EXPECT_FALSE(shm::launched()); }

} // namespace

int main(int argc, char** argv) {
    if (shm::launched()) {
        return skerry::fabric_test::run_launched(argc, argv);
    }
    testing::InitGoogleMock(&argc, argv);
    return RUN_ALL_TESTS();
}
