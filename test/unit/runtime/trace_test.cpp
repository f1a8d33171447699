// SPDX-License-Identifier: Apache-2.0

// The trace of real runs: written where it was asked for, whole, and true to what the workers did.

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skerry/dataflow.hpp>
#include <skerry/finish.hpp>
#include <skerry/forkjoin.hpp>
#include <skerry/future.hpp>
#include <skerry/named.hpp>
#include <skerry/runtime.hpp>

#include "../base/child.hpp"
#include "../trace/picture.hpp"

namespace {

using skerry_test::child_result;
using skerry_test::picture;
using skerry_test::run_in_child;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

class Trace : public testing::Test {
  protected:
    [[nodiscard]] std::string path(const char* name = "trace.json") const { return (folder_ / name).string(); }
    static std::string content(const std::string& path) {
        std::ostringstream text;
        text << std::ifstream(path).rdbuf();
        return text.str();
    }
    [[nodiscard]] skerry::options with(unsigned workers) const {
        skerry::options o;
        o.workers = workers;
        o.trace = path();
        o.trace_memory = std::size_t{1} << 20;
        return o;
    }
    void SetUp() override { std::filesystem::create_directory(folder_); }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

  private:
    const std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) /
                                          (std::string("skerry_trace_") + std::to_string(std::random_device{}()));
};

// --- who may choose the file ---------------------------------------------------------------------------------------

constexpr const char* inside_variable = "SKERRY_TEST_INSIDE";
constexpr uid_t somebody_else = 65534; // "nobody"

// What the copy below does: 0 is success.
int of_a_set_user_id_program() {
    if (::getauxval(AT_SECURE) == 0) {
        return 3; // the file system, or a sandbox, has taken the rights away
    }
    skerry::runtime().run([] {});
    return 0;
}

// A program with other rights than its caller reads no variable: else its caller could have it write any file.
TEST_F(Trace, AProgramWithMoreRightsThanItsCallerWritesNone) {
    if (std::getenv(inside_variable) != nullptr) {
        std::_Exit(of_a_set_user_id_program());
    }
    if (::geteuid() != 0) {
        GTEST_SKIP() << "to make a set-user-id program of another user takes root";
    }
    const std::string program = path("program");
    std::filesystem::copy_file("/proc/self/exe", program);
    ASSERT_EQ(::chmod(folder().c_str(), 0777), 0);
    const auto run_program = [&] {
        const child_result child = run_in_child([&] {
            ::setenv("SKERRY_TRACE", path().c_str(), 1);
            ::setenv(inside_variable, "1", 1);
            ::execl(program.c_str(), program.c_str(),
                    "--gtest_filter=Trace.AProgramWithMoreRightsThanItsCallerWritesNone", nullptr);
            return 4;
        });
        EXPECT_TRUE(child.exited) << child.output;
        return child;
    };
    ASSERT_EQ(run_program().code, 3); // an ordinary program of the caller's

    ASSERT_EQ(::chown(program.c_str(), somebody_else, somebody_else), 0);
    ASSERT_EQ(::chmod(program.c_str(), 04755), 0);
    const child_result other = run_program();
    if (other.code == 3) {
        GTEST_SKIP() << "this file system or sandbox runs no set-user-id programs";
    }
    EXPECT_EQ(other.code, 0) << other.output;
    EXPECT_FALSE(std::filesystem::exists(path())) << "the program of another user has written the caller's file";
}

// Neither branch ends before both have begun, so one of them is stolen.
void both_at_once() {
    std::atomic<int> begun{0};
    const auto branch = [&] {
        begun.fetch_add(1);
        while (begun.load() < 2) {
            std::this_thread::yield();
        }
    };
    skerry::parallel_invoke(branch, branch);
}

TEST_F(Trace, EveryWorkerSaysWhatItDid) {
    skerry::statistics done;
    {
        skerry::runtime two(with(2));
        for (int i = 0; i < 5; ++i) {
            two.run(both_at_once);
        }
        done = two.stats();
    }
    const picture seen(content(path()));
    EXPECT_EQ(seen.processes.at(0), "skerry runtime with 2 workers");
    EXPECT_EQ(seen.threads.at({0, 0}), "worker 0");
    EXPECT_EQ(seen.threads.at({0, 1}), "threads from outside, slot 1");
    EXPECT_EQ(seen.count("enter", {0, 1}), 6U); // and for the end of the runtime
    EXPECT_GE(seen.count("start", {0, 0}), 5U); // each stolen branch
    EXPECT_EQ(seen.of("start").size(), done.tasks);
    for (const auto& s : seen.of("start")) {
        EXPECT_FALSE(s.unfinished);
        EXPECT_THAT(s.name, HasSubstr("both_at_once")); // what the program's file calls the branch
    }
    const auto steals =
        std::count_if(seen.instants.begin(), seen.instants.end(), [](const auto& i) { return i.at("cat") == "steal"; });
    EXPECT_EQ(static_cast<std::uint64_t>(steals), done.steals_granted);
    EXPECT_GE(seen.of("sleep").size(), done.sleeps); // the worker may sleep again before the end
    EXPECT_GE(seen.flows.size(), 5U);
    for (const auto& [id, ends] : seen.flows) {
        EXPECT_NE(ends.first, ends.second);
    }
}

// The task ends when a thread has gone to sleep meanwhile, which can only be the one that waits for it.
TEST_F(Trace, WhoSleepsInAWaitShowsBoth) {
    {
        skerry::runtime two(with(2));
        two.run([&] {
            int x = 0;
            std::atomic<bool> begun{false};
            const auto task = [&](int&) {
                const std::uint64_t before = two.stats().sleeps;
                begun = true;
                while (two.stats().sleeps == before) {
                    std::this_thread::yield();
                }
            };
            skerry::spawn(task, skerry::inout(x));
            while (!begun) { // so that the other worker has it
                std::this_thread::yield();
            }
            skerry::taskwait();
        });
    }
    const picture seen(content(path()));
    const auto& mine = seen.slices.at({0, 1});
    const auto wait = std::ranges::find_if(mine, [](const auto& s) { return s.category == "wait"; });
    ASSERT_NE(wait, mine.end());
    EXPECT_THAT(wait->name, HasSubstr("taskwait"));
    const auto within = [&](const auto& s) {
        return s.category == "sleep" && s.begin >= wait->begin && s.end <= wait->end && s.depth > wait->depth;
    };
    EXPECT_TRUE(std::ranges::any_of(mine, within));
}

TEST_F(Trace, LooseTasksHaveASpawn) {
    {
        skerry::runtime one(with(1));
        one.run([] {
            skerry::finish([](skerry::scope& s) {
                for (int i = 0; i < 3; ++i) {
                    s.async([] {});
                }
            });
        });
    }
    const picture seen(content(path()));
    const auto spawns =
        std::count_if(seen.instants.begin(), seen.instants.end(), [](const auto& i) { return i.at("cat") == "spawn"; });
    EXPECT_EQ(spawns, 3);
    EXPECT_EQ(seen.of("start").size(), 3U);
}

// When the events of each task came, by its number in the picture.
struct life {
    double spawn = -1, ready = -1, start = -1, end = -1;
    std::string spawned_as, name;
};
std::map<std::uint64_t, life> lives(const picture& seen) {
    std::map<std::uint64_t, life> all;
    for (const auto& i : seen.instants) {
        const std::string kind = i.at("cat");
        if (kind == "spawn") {
            life& l = all[i.at("args").at("task")];
            l.spawn = i.at("ts");
            l.spawned_as = i.at("args").at("code");
        } else if (kind == "ready") {
            all[i.at("args").at("task")].ready = i.at("ts");
        }
    }
    for (const auto& s : seen.of("start")) {
        life& l = all[s.args.at("task")];
        l.start = s.begin;
        l.end = s.end;
        l.name = s.name;
    }
    return all;
}

void add_one(int& x) { ++x; }
struct doubled {
    void operator()(int& x) const { x *= 2; }
};

void many_ways_to_name(unsigned times) {
    int x = 1;
    for (unsigned i = 0; i < times; ++i) {
        skerry::spawn(doubled{}, skerry::inout(x));
        skerry::spawn(skerry::named<"thirds">([](int& y) { y /= 3; }), skerry::inout(x));
        skerry::spawn(skerry::task_options{.name = "by option"}, [](int& y) { y ^= 5; }, skerry::inout(x));
        skerry::spawn(add_one, skerry::inout(x));
        skerry::spawn([](const int&) {}, skerry::in(x));
        skerry::spawn([](const int&) {}, skerry::in(x));
    }
    skerry::taskwait();
}

TEST_F(Trace, DataflowTasksHaveNamesAndComeInOrder) {
    constexpr unsigned times = 5;
    for (const unsigned workers : {1U, 2U}) {
        skerry::statistics done;
        skerry::options o = with(workers);
        o.trace = path(workers == 1 ? "one.json" : "two.json");
        {
            skerry::runtime r(o);
            r.run([] { many_ways_to_name(times); });
            done = r.stats();
        }
        const picture seen(content(o.trace));
        const auto all = lives(seen);
        EXPECT_EQ(all.size(), 6 * times);
        EXPECT_EQ(seen.of("start").size(), done.tasks);
        std::map<std::string, unsigned> names;
        for (const auto& [task, l] : all) {
            EXPECT_GE(l.spawn, 0) << task;
            EXPECT_LE(l.spawn, l.ready) << l.name;
            EXPECT_LE(l.ready, l.start) << l.name;
            EXPECT_LE(l.start, l.end) << l.name;
            EXPECT_EQ(l.spawned_as, l.name);
            ++names[l.name];
        }
        EXPECT_EQ(names["thirds"], times);
        EXPECT_EQ(names["by option"], times);
#ifdef __clang__ // how the compiler names a lambda: by its file, or by the function around it
        const char* const lambda = "trace_test.cpp";
#else
        const char* const lambda = "many_ways_to_name";
#endif
        for (const char* const part : {"doubled", "::add_one", lambda}) {
            EXPECT_TRUE(std::any_of(names.begin(), names.end(), [&](const auto& n) {
                return n.first.find(part) != std::string::npos;
            })) << part;
        }
    }
}

TEST_F(Trace, AnArrowLeadsToEachTaskFromTheOneItWaitedForLast) {
    constexpr std::size_t tasks = 20;
    {
        skerry::runtime two(with(2));
        two.run([] {
            int x = 0;
            std::atomic<bool> all_are_known{false};
            skerry::spawn( // on the other worker
                [&](int&) {
                    while (!all_are_known.load()) {
                        std::this_thread::yield();
                    }
                },
                skerry::inout(x));
            for (std::size_t i = 0; i < tasks; ++i) {
                skerry::spawn(add_one, skerry::inout(x));
            }
            all_are_known.store(true);
            skerry::taskwait();
        });
    }
    EXPECT_EQ(picture(content(path())).dependences.size(), tasks);
}

TEST_F(Trace, NothingIsWrittenWithoutTheOption) {
    skerry::options o = with(2);
    o.trace.clear();
    {
        skerry::runtime two(o);
        two.run(both_at_once);
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder()));
}

TEST_F(Trace, TheMemoryIsBoundedAndTheFileSaysSo) {
    skerry::options o = with(1);
    o.trace_memory = 4096; // 128 records
    {
        skerry::runtime one(o);
        one.run([] {
            skerry::finish([](skerry::scope& s) {
                for (int i = 0; i < 500; ++i) {
                    s.async([] {});
                }
            });
        });
    }
    const picture seen(content(path()));
    const auto dropped = std::find_if(seen.instants.begin(), seen.instants.end(),
                                      [](const auto& i) { return i.at("name") == "older events were dropped"; });
    ASSERT_NE(dropped, seen.instants.end());
    EXPECT_GT(dropped->at("args").at("events"), 1000);
}

TEST_F(Trace, RuntimesOfOneProcessShareAFile) {
    {
        skerry::runtime first(with(1));
        first.run([] {});
        EXPECT_TRUE(picture(content(path())).processes.empty()); // whole already
        skerry::runtime second(with(2));
        second.run([] {});
    }
    skerry::runtime(with(3)).run([] {});
    const picture seen(content(path()));
    EXPECT_EQ(seen.processes.size(), 3U);
    EXPECT_EQ(seen.processes.at(2), "skerry runtime with 3 workers");
}

TEST_F(Trace, ABadNameIsAnErrorAtTheStart) {
    skerry::options o = with(2);
    o.trace = path("no/such/folder");
    EXPECT_THAT([&] { skerry::runtime{o}; },
                ThrowsMessage<std::system_error>(AllOf(
                    HasSubstr("skerry: cannot open the trace file '" + o.trace + "' (options::trace, SKERRY_TRACE)"),
                    HasSubstr("No such file or directory"))));
    o.trace = folder().string();
    EXPECT_THAT([&] { skerry::runtime{o}; },
                ThrowsMessage<std::system_error>(HasSubstr("' (options::trace, SKERRY_TRACE) is no regular file")));
    o.trace = path();
    o.trace_memory = 100;
    EXPECT_THAT([&] { skerry::runtime{o}; },
                ThrowsMessage<std::invalid_argument>(HasSubstr("options::trace_memory is 100; accepted is 4096 to ")));
}

TEST_F(Trace, AnExceptionOnItsWayOutLosesNothing) {
    EXPECT_THROW(
        {
            skerry::runtime one(with(1));
            one.run([] { throw std::runtime_error("on purpose"); });
        },
        std::runtime_error);
    EXPECT_EQ(picture(content(path())).of("enter").size(), 2U);
}

TEST_F(Trace, WhatStillRunsIsWrittenAtTerminateAndAtExit) {
    const auto run = [&](void (*end)()) {
        return run_in_child([&, end] {
            static auto& one = *new skerry::runtime(with(1)); // never destroyed
            one.run([&] { skerry::finish([](skerry::scope& s) { s.async([] {}); }); });
            end();
            return 0;
        });
    };
    static_cast<void>(run([] { std::terminate(); }));
    EXPECT_EQ(picture(content(path())).of("start").size(), 1U);
    std::filesystem::remove(path());
    static_cast<void>(run([] { std::exit(0); }));
    EXPECT_EQ(picture(content(path())).of("start").size(), 1U);
}

TEST_F(Trace, TheDefaultRuntimeWritesAtTheEndOfTheProcess) {
    setenv("SKERRY_TRACE", path().c_str(), 1);
    setenv("SKERRY_WORKERS", "2", 1);
    static_cast<void>(run_in_child([] {
        both_at_once();
        std::exit(0);
        return 0;
    }));
    unsetenv("SKERRY_TRACE");
    unsetenv("SKERRY_WORKERS");
    const picture seen(content(path()));
    EXPECT_GE(seen.count("start", {0, 0}), 1U);
}

TEST_F(Trace, AFullDiskIsReportedAndEndsNothing) {
    const child_result r = run_in_child([&] {
        skerry::runtime one(with(1));
        one.run([] {});
        const rlimit none{0, 0};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &none);
        return 0;
    });
    EXPECT_EQ(r.code, 0) << r.output;
    EXPECT_THAT(r.output, HasSubstr("skerry: cannot write the trace to '" + path() + "': File too large\n"));
}

TEST_F(Trace, AForkedChildHasItsOwnFile) {
    static_cast<void>(run_in_child([&] {
        skerry::runtime one(with(1));
        one.run([] {});
        const int pid = fork();
        if (pid == 0) {
            one.run([] {}); // made anew
            std::exit(0);
        }
        skerry_test::wait_for(pid);
        std::filesystem::rename(path() + "." + std::to_string(pid), path("child.json"));
        return 0;
    }));
    EXPECT_EQ(picture(content(path())).processes.size(), 1U);
    EXPECT_EQ(picture(content(path("child.json"))).processes.size(), 1U);
}

} // namespace
