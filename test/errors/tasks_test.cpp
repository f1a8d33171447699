// SPDX-License-Identifier: Apache-2.0

// Misuse of futures, groups, low-level tasks and grains: each is an exception that says what was wrong, and the same
// object works afterwards.

#include <atomic>
#include <coroutine>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skerry/serial.hpp>
#include <skerry/skerry.hpp>

namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr const char* no_task = " on a future without a task: it was moved from, never set, or its result was taken";

template <class Future>
void expect_no_task(Future& f) {
    const auto says = [](const char* operation) {
        return ThrowsMessage<std::logic_error>("skerry: future::" + std::string(operation) + no_task);
    };
    EXPECT_FALSE(f.valid());
    EXPECT_THAT([&] { f.get(); }, says("get()"));
    EXPECT_THAT([&] { f.wait(); }, says("wait()"));
    EXPECT_THAT([&] { static_cast<void>(f.ready()); }, says("ready()"));
}

TEST(Future, WithoutATask) {
    skerry::future<int> never_set;
    expect_no_task(never_set);
    EXPECT_THAT([&] { static_cast<void>(never_set.operator co_await()); },
                ThrowsMessage<std::logic_error>("skerry: future::co_await" + std::string(no_task)));
    skerry::future<int> taken = skerry::submit([] { return 3; });
    EXPECT_EQ(taken.get(), 3);
    expect_no_task(taken);
    skerry::future<int> moved_from = skerry::submit([] { return 4; });
    skerry::future<int> target = std::move(moved_from);
    expect_no_task(moved_from); // NOLINT(bugprone-use-after-move): this is what is tested
    EXPECT_EQ(target.get(), 4);
}

TEST(Future, WithoutATaskInTheSerialElision) {
    skerry::serial::future<int> f;
    expect_no_task(f);
}

TEST(Future, AwaitedByItsOwnTask) {
    skerry::future<void> f;
    std::atomic<bool> set{false};
    std::atomic<bool> tried{false};
    f = skerry::submit([&] {
        while (!set) {
            std::this_thread::yield();
        }
        EXPECT_THAT([&] { f.wait(); },
                    ThrowsMessage<std::system_error>(
                        HasSubstr("skerry: a task waits for its own future, or runs on top of the task it waits for")));
        tried = true;
    });
    set = true;
    while (!tried) {
        std::this_thread::yield();
    }
    f.get();
}

TEST(TaskGroup, AwaitedByItsOwnTask) {
    skerry::task_group group;
    group.run([&] { group.wait(); });
    EXPECT_THAT([&] { group.wait(); }, ThrowsMessage<std::system_error>(
                                           HasSubstr("skerry: task_group::wait() inside a task of the same group")));
    std::atomic<int> ran{0};
    group.run([&] { ++ran; });
    group.wait();
    EXPECT_EQ(ran, 1);
}

template <class Task>
struct leaf final : Task {
    void execute() override { ran = true; }
    bool ran = false;
};

TEST(Task, SpawnOfNothing) {
    EXPECT_THAT([] { skerry::task::spawn(nullptr); },
                ThrowsMessage<std::logic_error>("skerry: task::spawn() of a null pointer"));
    EXPECT_THAT([] { skerry::serial::task::spawn(nullptr); },
                ThrowsMessage<std::logic_error>("skerry: task::spawn(nullptr)"));
}

TEST(Task, SpawnedTwice) {
    using skerry::task;
    leaf<task> parent;
    leaf<task> child;
    task::spawn(&child);
    EXPECT_THAT([&] { task::spawn(&child); },
                ThrowsMessage<std::logic_error>(
                    "skerry: task::spawn() of a task that was not waited for since its last spawn"));
    parent.set_reference_count(1);
    task::wait(&parent);
    EXPECT_TRUE(child.ran);
}

TEST(Task, WaitedForBadly) {
    using skerry::task;
    EXPECT_THAT([] { task::wait(nullptr); },
                ThrowsMessage<std::logic_error>("skerry: task::wait() for a null pointer"));
    leaf<task> parent;
    parent.set_reference_count(-2);
    EXPECT_THAT([&] { task::wait(&parent); },
                ThrowsMessage<std::logic_error>("skerry: task::wait() with a reference_count of -2"));
    leaf<task> child;
    task::spawn(&child);
    parent.set_reference_count(3);
    EXPECT_THAT([&] { task::wait(&parent); },
                ThrowsMessage<std::logic_error>(
                    "skerry: task::wait() with a reference_count of 3, but the task has spawned 1"));
    EXPECT_TRUE(child.ran);
}

TEST(Task, WaitedForBadlyInTheSerialElision) {
    leaf<skerry::serial::task> parent;
    parent.set_reference_count(1);
    EXPECT_THAT([&] { skerry::serial::task::wait(&parent); },
                ThrowsMessage<std::logic_error>("skerry: task::wait for more children than were spawned"));
}

TEST(Grain, BelowOne) {
    for (const int n : {0, -1}) {
        EXPECT_THAT([&] { static_cast<void>(skerry::grain::fixed(n)); },
                    ThrowsMessage<skerry::bad_grain>("skerry: grain::fixed(n): n must be at least 1"));
    }
}

} // namespace
