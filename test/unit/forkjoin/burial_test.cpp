// SPDX-License-Identifier: Apache-2.0

// Tasks that lie where thieves cannot come by them in turn: in the middle of the deque of a worker that waits for the
// very task that waits for them. Each test hangs if the waiter cannot fetch its task.

#include <atomic>
#include <functional>
#include <thread>

#include <gtest/gtest.h>

#include <skerry/finish.hpp>
#include <skerry/future.hpp>
#include <skerry/parallel_invoke.hpp>
#include <skerry/runtime.hpp>
#include <skerry/task_group.hpp>

#include "../until.hpp"
#include "sched/worker.hpp"
#include "workers.hpp"

namespace {

// A and B are the two workers. B begins a task above an open fork of its own (`bury`), then waits for U, which runs on
// A and waits for the buried task (`fetch`).
void with_a_buried_task(const std::function<void()>& prepare, const std::function<void()>& bury,
                        const std::function<void()>& fetch) {
    skerry::runtime rt(OnWorkers::with(2));
    rt.run([&] {
        std::atomic<bool> u_runs = false;
        std::atomic<bool> buried = false;
        std::atomic<bool> b_runs = false;
        skerry::future<void> u;
        skerry::parallel_invoke(
            [&] { // A
                until(b_runs);
                u = skerry::submit([&] {
                    prepare();
                    u_runs = true;
                    until(buried);
                    fetch();
                });
                u.wait();
            },
            [&] { // B: A waits until it has been stolen
                b_runs = true;
                until(u_runs);
                skerry::parallel_invoke(
                    [&] {
                        bury();
                        buried = true;
                        u.wait();
                    },
                    [] {});
            });
    });
}

TEST(Burial, AGroupsTask) {
    skerry::task_group g;
    std::thread::id ran_on;
    std::thread::id waited_on;
    with_a_buried_task([] {}, [&] { g.run([&] { ran_on = std::this_thread::get_id(); }); },
                       [&] {
                           waited_on = std::this_thread::get_id();
                           g.wait();
                       });
    EXPECT_EQ(ran_on, waited_on);
}

TEST(Burial, AFuturesTask) {
    skerry::future<std::thread::id> f;
    std::thread::id ran_on;
    std::thread::id waited_on;
    with_a_buried_task([] {}, [&] { f = skerry::submit([] { return std::this_thread::get_id(); }); },
                       [&] {
                           waited_on = std::this_thread::get_id();
                           ran_on = f.get();
                       });
    EXPECT_EQ(ran_on, waited_on);
}

TEST(Burial, AScopesTask) {
    std::atomic<skerry::scope*> lent = nullptr;
    std::atomic<bool> buried = false;
    std::thread::id ran_on;
    std::thread::id waited_on;
    skerry::runtime rt(OnWorkers::with(2));
    rt.run([&] {
        std::atomic<bool> b_runs = false;
        skerry::future<void> u;
        skerry::parallel_invoke(
            [&] {
                until(b_runs);
                u = skerry::submit([&] {
                    waited_on = std::this_thread::get_id();
                    skerry::finish([&](skerry::scope& s) {
                        lent = &s;
                        until(buried);
                    });
                });
                u.wait();
            },
            [&] {
                b_runs = true;
                while (lent == nullptr) {
                    std::this_thread::yield();
                }
                skerry::parallel_invoke(
                    [&] {
                        lent.load()->async([&] { ran_on = std::this_thread::get_id(); });
                        buried = true;
                        u.wait();
                    },
                    [] {});
            });
    });
    EXPECT_EQ(ran_on, waited_on);
}

// One worker, so that nobody else can run what a wait fails to see. A task from below the wait's frame is fetched
// inside it; the tasks begun afterwards must still count as the frame's own.
TEST(Burial, AFetchFromBelowDoesNotHideWhatComesAfter) {
    skerry::runtime rt(OnWorkers::with(1));
    rt.run([] {
        int ran = 0;
        skerry::future<int> below = skerry::submit([] { return 1; });
        skerry::finish([&](skerry::scope& s) {
            ran += below.get();
            s.async([&ran] { ++ran; });
        });
        EXPECT_EQ(ran, 2);
        skerry::task_group g;
        g.run([&ran] { ++ran; });
        skerry::finish([&](skerry::scope& s) {
            s.async([&] {
                g.wait();
                s.async([&ran] { ++ran; });
            });
        });
        EXPECT_EQ(ran, 4);
    });
}

// A leapfrogging thief may take what the awaited task's executor pushes, but nothing from after the task's end.
TEST(Burial, NothingIsTakenFromAnExecutorThatIsDone) {
    using namespace skerry::detail;
    const context root(nullptr, nullptr);
    hole_task task(root);
    join_word<machine> awaited;
    awaited.begin(nullptr);
    const worker_page page;
    const wanted w = wanted::of_executor(&page, 3, awaited);
    EXPECT_TRUE(w.accepts(task, 3));
    EXPECT_FALSE(w.accepts(task, 2));
    EXPECT_EQ(awaited.finish(), nullptr);
    EXPECT_FALSE(w.accepts(task, 3));
}

} // namespace
