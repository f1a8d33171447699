// SPDX-License-Identifier: Apache-2.0

// Waits on top of waits: a worker that waits runs what its wait is for, and that may wait, too.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

#include <skerry/dataflow.hpp>
#include <skerry/skerry.hpp>

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

} // namespace
