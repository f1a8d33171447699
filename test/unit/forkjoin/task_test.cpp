// SPDX-License-Identifier: Apache-2.0

// The three programs of Wang et al., Fig. 2, and what else the low-level tasks promise.

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <skerry/finish.hpp>
#include <skerry/forkjoin.hpp>
#include <skerry/task.hpp>

#include "workers.hpp"

namespace figure_2 {

using skerry::parallel_for;
using skerry::parallel_invoke;
using skerry::task;

// clang-format off
class FibTask : public task {
  public:
    long* sum;
    int n;

    FibTask( int _n, long* _sum ) : sum(_sum), n(_n) {}

    void execute() { // NOLINT(modernize-use-override): Fig. 2(a) has none, and must compile
      if ( n < 2 ) {
        *sum = n;
        return;
      }
      long x, y;

      FibTask a( n - 1, &x );
      FibTask b( n - 2, &y );

      this->reference_count = 2;

      task::spawn( &a );
      task::spawn( &b );
      task::wait( this );
      *sum = x + y;
    }
};

long fib( int n ) {
    if (n < 2) return n;

    long x, y;
    parallel_invoke(
      [&] { x = fib(n - 1); },
      [&] { y = fib(n - 2); }
    );
    return (x + y);
}

void vvadd( int a[], int b[], int dst[], int n ) {
    parallel_for( 0, n, [&]( int i ) {
      dst[i] = a[i] + b[i];
    });
}
// clang-format on

} // namespace figure_2

namespace {

using skerry::task;

class Task : public OnWorkers {};
ON_ALL_WORKERS(Task);

TEST_P(Task, Figure2a) {
    in([] {
        long sum = 0;
        figure_2::FibTask root(20, &sum);
        task::run_root(root);
        EXPECT_EQ(sum, 6765);
        sum = 0;
        root.execute(); // called like a function
        EXPECT_EQ(sum, 6765);
    });
}

TEST_P(Task, Figure2b) {
    in([] { EXPECT_EQ(figure_2::fib(20), 6765); });
}

TEST_P(Task, Figure2c) {
    std::vector<int> a(10'000);
    std::vector<int> b(10'000);
    std::vector<int> dst(10'000);
    std::iota(a.begin(), a.end(), 0);
    std::iota(b.begin(), b.end(), 5);
    in([&] { figure_2::vvadd(a.data(), b.data(), dst.data(), 10'000); });
    for (int i = 0; i < 10'000; ++i) {
        ASSERT_EQ(dst[static_cast<std::size_t>(i)], 2 * i + 5);
    }
}

// Calls its function.
template <class F>
class calling final : public task {
  public:
    explicit calling(F f) : f_(std::move(f)) {}
    void execute() override { f_(*this); }

  private:
    F f_;
};

TEST_P(Task, TheExceptionOfTheFirstSpawnedArrivesAndAllRun) {
    in([] {
        for (int bad = 0; bad < 8; ++bad) { // bit i: child i throws
            std::atomic<int> ran = 0;
            const auto child = [&](int i) {
                return calling([&ran, bad, i](task&) {
                    ++ran;
                    if ((bad >> i & 1) != 0) {
                        throw std::runtime_error(std::to_string(i));
                    }
                });
            };
            calling root([&](task& self) {
                auto a = child(0);
                auto b = child(1);
                auto c = child(2);
                self.set_reference_count(3);
                task::spawn(&a);
                task::spawn(&b);
                task::spawn(&c);
                task::wait(&self);
            });
            std::string what = "none";
            try {
                task::run_root(root);
            } catch (const std::runtime_error& e) {
                what = e.what();
            }
            EXPECT_EQ(ran, 3);
            EXPECT_EQ(what, bad == 0 ? "none" : (bad & 1) != 0 ? "0" : (bad & 2) != 0 ? "1" : "2");
        }
    });
}

TEST_P(Task, MixesWithOtherConstructs) {
    in([] {
        std::atomic<int> ran = 0;
        calling root([&ran](task& self) {
            skerry::finish([&](skerry::scope& s) {
                calling a([&](task& own) {
                    s.async([&ran] { ++ran; });
                    calling b([&](task&) {
                        ++ran;
                        s.async([&ran] { ++ran; });
                    });
                    own.reference_count = 1;
                    task::spawn(&b);
                    skerry::parallel_invoke([&ran] { ++ran; }, [&] { s.async([&ran] { ++ran; }); });
                    s.async([&ran] { ++ran; });
                    task::wait(&own);
                });
                for (int round = 0; round < 10; ++round) { // a task object may be spawned again
                    self.reference_count = 1;
                    task::spawn(&a);
                    task::wait(&self);
                }
            });
        });
        task::run_root(root);
        EXPECT_EQ(ran, 60);
    });
}

TEST(TaskOutside, EveryThreadMayCall) {
    std::vector<std::thread> threads;
    std::atomic<long> sum = 0;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&sum, t] {
            for (int i = 0; i < 10; ++i) {
                long one = 0;
                figure_2::FibTask root(12, &one);
                if (t % 2 == 0) {
                    task::run_root(root);
                } else {
                    root.execute(); // the first spawn takes a slot
                    EXPECT_EQ(skerry::this_worker::slot(), skerry::max_slots()) << "the last wait gives it back";
                }
                sum += one;
            }
        });
    }
    for (std::thread& t : threads) {
        t.join();
    }
    EXPECT_EQ(sum, 4 * 10 * 144);
}

template <class F>
std::string logic_error_of(F&& f) {
    try {
        f();
    } catch (const std::logic_error& e) {
        return e.what();
    }
    return "none";
}

TEST(TaskMisuse, IsAClearError) {
    skerry::runtime rt(OnWorkers::with(2));
    rt.run([] {
        calling nothing([](task&) {});
        calling root([](task&) {});
        EXPECT_EQ(logic_error_of([] { task::spawn(nullptr); }), "skerry: task::spawn() of a null pointer");
        EXPECT_EQ(logic_error_of([] { task::wait(nullptr); }), "skerry: task::wait() for a null pointer");
        root.set_reference_count(-1);
        EXPECT_EQ(logic_error_of([&] { task::wait(&root); }), "skerry: task::wait() with a reference_count of -1");
        root.set_reference_count(1);
        task::spawn(&nothing);
        EXPECT_EQ(logic_error_of([&] { task::spawn(&nothing); }),
                  "skerry: task::spawn() of a task that was not waited for since its last spawn");
        root.set_reference_count(2);
        EXPECT_EQ(logic_error_of([&] { task::wait(&root); }),
                  "skerry: task::wait() with a reference_count of 2, but the task has spawned 1");
        EXPECT_EQ(root.reference_count, 0);
    });
}

TEST(TaskDestroyedDeathTest, BeforeItsWait) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_DEATH(
        {
            skerry::runtime rt(OnWorkers::with(1));
            rt.run([] {
                calling root([](task&) {
                    calling child([](task&) {});
                    task::spawn(&child);
                });
                task::run_root(root);
            });
        },
        "a task was destroyed that was spawned and not waited for");
}

// What spawns in one branch and waits in another.
struct calling_nothing final : task {
    void execute() override {}
};

// Runs f(task, share) on one worker. share() puts all that is spawned within the reach of thieves, if asked for, by a
// loose task.
template <class F>
void misuse(bool shared, F&& f) {
    skerry::runtime rt(OnWorkers::with(1));
    rt.run([&] {
        skerry::finish([&](skerry::scope& s) {
            calling_nothing self;
            f(self, [&] {
                if (shared) {
                    s.async([] {});
                }
            });
        });
    });
}

class TaskMisuseDeathTest : public testing::TestWithParam<bool> {
  protected:
    void SetUp() override { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

TEST_P(TaskMisuseDeathTest, AWaitInABranchForATaskFromOutsideOfIt) {
    EXPECT_DEATH(misuse(GetParam(),
                        [](task& self, auto&& share) {
                            calling_nothing child;
                            self.reference_count = 1;
                            task::spawn(&child);
                            skerry::parallel_invoke(
                                [&] {
                                    share();
                                    task::wait(&self);
                                },
                                [] {});
                        }),
                 "task::wait\\(\\) does not stand in the branch or loop body that its task::spawn\\(\\) stands in");
}

TEST_P(TaskMisuseDeathTest, AWaitAfterTheBranchOfTheSpawn) {
    EXPECT_DEATH(misuse(GetParam(),
                        [](task& self, auto&& share) {
                            calling_nothing child;
                            self.reference_count = 1;
                            skerry::parallel_invoke(
                                [&] {
                                    task::spawn(&child);
                                    share();
                                },
                                [] {});
                            task::wait(&self);
                        }),
                 // The join says it where it has to look: with a loose task, and always if steals are locked.
                 GetParam() ? "a branch or loop body ended before the task::wait\\(\\)"
                            : "task::wait\\(\\) does not stand|a branch or loop body ended");
}

TEST_P(TaskMisuseDeathTest, ABranchThatThrowsBeforeTheWait) {
    EXPECT_DEATH(misuse(GetParam(),
                        [](task&, auto&& share) {
                            calling_nothing child;
                            skerry::parallel_invoke(
                                [&] {
                                    task::spawn(&child);
                                    share();
                                    throw std::runtime_error("before the wait");
                                },
                                [] {});
                        }),
                 "a branch or loop body ended before the task::wait\\(\\)");
}

INSTANTIATE_TEST_SUITE_P(Reach, TaskMisuseDeathTest, testing::Values(false, true),
                         [](const auto& p) { return p.param ? "shared" : "private"; });

// Outside a region, where the wait would give the slot back that the branch stands on.
TEST(TaskOutsideDeathTest, AWaitInABranchForATaskFromOutsideOfIt) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_DEATH(
        {
            calling_nothing self;
            calling_nothing child;
            self.reference_count = 1;
            task::spawn(&child);
            skerry::parallel_invoke([&] { task::wait(&self); }, [] {});
        },
        "task::wait\\(\\) does not stand in the branch");
}

TEST(Task, LooseTasksMayLieAboveASpawnedOne) {
    for (const unsigned workers : {1U, 2U}) {
        skerry::runtime rt(OnWorkers::with(workers));
        std::atomic<int> ran = 0;
        rt.run([&] {
            skerry::finish([&](skerry::scope& s) {
                calling self([](task&) {});
                calling child([&](task&) { ++ran; });
                for (int round = 0; round < 100; ++round) {
                    self.reference_count = 1;
                    task::spawn(&child);
                    for (int i = 0; i < 3; ++i) {
                        s.async([&] { ++ran; });
                    }
                    task::wait(&self);
                }
            });
        });
        EXPECT_EQ(ran, 400);
    }
}

} // namespace
