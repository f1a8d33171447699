// SPDX-License-Identifier: Apache-2.0

// Waits on top of waits: a worker that waits runs what its wait is for, and that may wait, too.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>

#include <skerry/dataflow.hpp>
#include <skerry/skerry.hpp>

#include "../base/child.hpp"
#include "runtimes.hpp"

namespace {

using skerry::in;
using skerry::inout;
using skerry::spawn;
using skerry::taskwait;
using skerry::taskwait_on;

// Ends the process with a reason if it lives for a minute: a worker that waits for ever cannot be called back.
class deadline {
  public:
    explicit deadline(const char* reason)
        : watch_([this, reason] {
              std::unique_lock lock(mutex_);
              if (!over_.wait_for(lock, std::chrono::minutes(1), [this] { return ended_; })) {
                  std::fprintf(stderr, "no end after a minute: %s\n", reason);
                  std::_Exit(1);
              }
          }) {}
    deadline(const deadline&) = delete;
    deadline& operator=(const deadline&) = delete;
    ~deadline() {
        {
            const std::lock_guard lock(mutex_);
            ended_ = true;
        }
        over_.notify_one();
        watch_.join();
    }

  private:
    std::mutex mutex_;
    std::condition_variable over_;
    bool ended_ = false;
    std::thread watch_; // last: it uses the others
};

// A worker is in taskwait_on() and runs on top of it what it has stolen: another branch of the same task, which calls
// taskwait(). That one waits for all children; the waiter below is none, or neither would ever end.
TEST(DataflowWaiting, TaskwaitOnTopOfTaskwaitOn) {
    const deadline d("taskwait() waits for the taskwait_on() below it on the same stack");
    skerry::options o;
    o.workers = 3;
    skerry::runtime runtime(o);
    int x = 0;
    std::thread::id below;
    std::thread::id above;
    runtime.run([&] {
        dataflow_test::barrier child;  // one worker is busy with it
        dataflow_test::barrier thief;  // another with half of the branches, of which it has not begun the last
        dataflow_test::barrier on_top; // that has begun
        spawn(
            [&](int& y) {
                child.open();
                on_top.pass();
                y = 1;
            },
            inout(x));
        child.pass();
        skerry::parallel_invoke(
            [&] {
                thief.pass();
                below = std::this_thread::get_id();
                taskwait_on(in(x));
            },
            [&] {
                skerry::parallel_invoke(
                    [&] {
                        thief.open();
                        on_top.pass();
                    },
                    [&] {
                        above = std::this_thread::get_id();
                        on_top.open();
                        taskwait();
                    });
            });
    });
    EXPECT_EQ(x, 1);
    EXPECT_EQ(above, below) << "the program does not do what it is there for";
}

// A task that takes a lock becomes ready on the stack that holds it, though no task below the lock spawned it: another
// branch did. It must run elsewhere.
class LockedStack : public testing::Test {
  protected:
    static skerry::options with(unsigned workers) {
        skerry::options o;
        o.task_manager = skerry::options::from_environment().task_manager;
        o.workers = workers;
        return o;
    }

    // To be called by another branch than the one that holds the lock.
    void spawn_who_locks() {
        spawn(
            [this](int& y) {
                on_top = holder == std::this_thread::get_id();
                if (!on_top) {
                    const std::lock_guard lock(mutex);
                    ++y;
                }
            },
            inout(x));
    }

    // Holds the lock around f(). There is one more branch: it begins first, on another worker, and spawns the task that
    // locks when `first` is open; that task comes after the one whose body waits for `second`.
    template <class F>
    void hold_around(const F& f) {
        skerry::parallel_invoke(
            [&] {
                begun.pass();
                const std::lock_guard lock(mutex);
                holder = std::this_thread::get_id();
                f();
                holder = std::thread::id();
            },
            [&] {
                begun.open();
                first.pass();
                spawn_who_locks();
                second.open();
                ended.pass(); // this worker takes nothing before
            });
    }

    // The task before it.
    void spawn_the_one_before() {
        spawn(
            [this](int& y) {
                ran_below = holder == std::this_thread::get_id();
                first.open();
                second.pass();
                ++y;
                ended.open();
            },
            inout(x));
    }

    void TearDown() override {
        EXPECT_EQ(x, 2);
        EXPECT_TRUE(ran_below) << "the program does not do what it is there for";
        EXPECT_FALSE(on_top);
    }

    std::mutex mutex;
    std::atomic<std::thread::id> holder{};
    int x = 0;
    std::atomic<bool> ran_below{false};
    bool on_top = false;
    dataflow_test::barrier begun;
    dataflow_test::barrier first;
    dataflow_test::barrier second;
    dataflow_test::barrier ended;
};

TEST_F(LockedStack, WhatComesAfterATaskOfAStolenBranchRunsElsewhere) {
    const deadline d("a join runs a task that waits for a lock held below the join");
    skerry::runtime runtime(with(3));
    runtime.run([&] {
        hold_around([&] {
            dataflow_test::barrier stolen;
            skerry::parallel_invoke([&] { stolen.pass(); },
                                    [&] {
                                        stolen.open();
                                        spawn_the_one_before(); // the joiner takes it: nobody else is free
                                        ended.pass();
                                    });
        });
    });
}

TEST_F(LockedStack, WhatComesAfterATaskAboveABranchRunsElsewhere) {
    const deadline d("a join runs a task that waits for a lock held below the join");
    skerry::runtime runtime(with(2));
    runtime.run([&] { hold_around([&] { skerry::parallel_invoke([&] { spawn_the_one_before(); }, [] {}); }); });
}

TEST_F(LockedStack, WhatComesAfterATaskThatRanInsideItsSpawnRunsElsewhere) {
    const deadline d("spawn() runs a task that waits for a lock held by the caller");
    skerry::runtime runtime(with(2));
    constexpr int more_than_lie_in_a_deque = 1000;
    runtime.run([&] {
        hold_around([&] {
            for (int i = 0; i < more_than_lie_in_a_deque; ++i) {
                spawn([] {});
            }
            spawn_the_one_before();
            ended.pass();
        });
    });
}

// A finish outside of run(), beside a child of all such threads that has not ended: its own tasks lie in its own deque,
// and nobody else is free to run them.
TEST(DataflowWaiting, FinishOutsideOfRunBesideAChild) {
    const skerry_test::child_result child = skerry_test::run_in_child([] {
        setenv("SKERRY_WORKERS", "1", 1);
        const deadline d("a finish outside of run() does not run its own tasks");
        std::atomic<bool> begun{false};
        std::atomic<bool> over{false};
        std::atomic<int> tasks{0};
        std::thread other([&] { // a thread of its own: with one worker, its children run here
            spawn([&] {
                begun = true;
                while (!over) {
                    std::this_thread::yield();
                }
            });
            taskwait();
        });
        while (!begun) {
            std::this_thread::yield();
        }
        skerry::finish([&](skerry::scope& s) {
            s.async([&] { ++tasks; });
            s.async([&] { s.async([&] { ++tasks; }); });
        });
        over = true;
        other.join();
        return tasks == 2 ? 0 : 1;
    });
    EXPECT_TRUE(child.exited && child.code == 0) << child.code << ": " << child.output;
}

// --- how many may be unfinished -------------------------------------------------------------------------------------

constexpr int most_unfinished = 8192;

// Tasks of threads without a slot, and how many of them were unfinished at most.
class counted_tasks {
  public:
    // All change one object, so that each comes after those before it, of any thread. The first is held up.
    void spawn_in_a_row(int tasks, int first = 0) {
        for (int i = first; i < tasks; ++i) {
            count_one();
            spawn(
                [this, i](long& x) {
                    if (i == 0) {
                        std::this_thread::sleep_for(std::chrono::milliseconds(20));
                    }
                    end_one(x);
                },
                inout(sum_));
        }
    }
    void spawn_beside_each_other(int tasks) {
        for (int i = 0; i < tasks; ++i) {
            count_one();
            spawn([this] { --unfinished_; });
        }
    }
    [[nodiscard]] int at_most() const noexcept { return at_most_; }
    [[nodiscard]] int unfinished() const noexcept { return unfinished_; }
    [[nodiscard]] bool run_by_who_spawns() const noexcept { return mine_ != 0; }

  private:
    void count_one() noexcept {
        const int now = ++unfinished_;
        int most = at_most_;
        while (now > most && !at_most_.compare_exchange_weak(most, now)) {
        }
    }
    void end_one(long& x) noexcept {
        ++x;
        mine_ += std::this_thread::get_id() == spawner_ ? 1 : 0;
        --unfinished_;
    }

    long sum_ = 0;
    const std::thread::id spawner_ = std::this_thread::get_id();
    std::atomic<int> mine_{0};
    std::atomic<int> unfinished_{0};
    std::atomic<int> at_most_{0};
};

// Each thread may have counted one more that it has not spawned yet, and have looked before another thread spawned.
int check(const counted_tasks& tasks, int threads = 1) {
    const int most = most_unfinished + 2 * threads - 1;
    std::printf("%d unfinished at most, %d in the end\n", tasks.at_most(), tasks.unfinished());
    return tasks.at_most() <= most && tasks.unfinished() == 0 ? 0 : 1;
}

// A thread of its own that holds the last slot of the default runtime.
class slot_holder {
  public:
    slot_holder() { inside_.pass(); }
    slot_holder(const slot_holder&) = delete;
    slot_holder& operator=(const slot_holder&) = delete;
    ~slot_holder() {
        over_.open();
        thread_.join();
    }

  private:
    dataflow_test::barrier inside_;
    dataflow_test::barrier over_;
    std::thread thread_{[this] {
        skerry::finish([this](auto&) {
            inside_.open();
            over_.pass();
        });
    }};
};

skerry_test::child_result with_default_runtime(const char* workers, const char* slots,
                                               const std::function<int()>& body) {
    return skerry_test::run_in_child([&] {
        setenv("SKERRY_WORKERS", workers, 1);
        setenv("SKERRY_MAX_SLOTS", slots, 1);
        const deadline d("a thread without a slot has many unfinished tasks");
        return body();
    });
}

void expect_success(const skerry_test::child_result& child) {
    EXPECT_TRUE(child.exited && child.code == 0) << child.code << ": " << child.output;
}

// With one worker nobody runs them but who spawns them.
TEST(DataflowBound, OutsideOfRunSpawnRunsSomeToo) {
    expect_success(with_default_runtime("1", "4", [] {
        counted_tasks tasks;
        tasks.spawn_beside_each_other(100'000);
        taskwait();
        return check(tasks);
    }));
}

TEST(DataflowBound, OutsideOfRunBehindATaskThatSleeps) {
    for (const char* const workers : {"1", "2"}) {
        expect_success(with_default_runtime(workers, "4", [&] {
            counted_tasks tasks;
            tasks.spawn_in_a_row(100'000);
            taskwait();
            return check(tasks) + (*workers == '1' && !tasks.run_by_who_spawns() ? 2 : 0);
        }));
    }
}

// They share one parent.
TEST(DataflowBound, TwoThreadsOutsideOfRun) {
    expect_success(with_default_runtime("1", "4", [] {
        counted_tasks tasks;
        std::thread other([&] {
            tasks.spawn_in_a_row(50'000, 1);
            taskwait();
        });
        tasks.spawn_in_a_row(50'000);
        taskwait();
        other.join();
        return check(tasks, 2);
    }));
}

TEST(DataflowBound, WhoGetsNoSlotLetsTheWorkersRunThem) {
    expect_success(with_default_runtime("2", "2", [] {
        counted_tasks tasks;
        {
            const slot_holder holder;
            tasks.spawn_in_a_row(50'000);
        }
        taskwait();
        return check(tasks);
    }));
}

TEST(DataflowBound, WithoutASlotAndWithoutAWorkerItIsAnError) {
    expect_success(with_default_runtime("1", "1", [] {
        counted_tasks tasks;
        std::string refused;
        {
            const slot_holder holder;
            tasks.spawn_beside_each_other(most_unfinished);
            try {
                spawn([] { std::printf("the task has begun\n"); });
                std::printf("no error\n");
            } catch (const std::system_error& e) {
                refused = e.what();
            }
        }
        taskwait();
        const bool named = refused.starts_with("skerry: all 1 slots are taken by threads inside the runtime");
        return check(tasks) + (named ? 0 : 2);
    }));
}

} // namespace
