// SPDX-License-Identifier: Apache-2.0

// What a cancelled group reaches: tasks of every construct that have not begun, wherever they lie, and stop_requested()
// in all that runs.

#include <atomic>
#include <coroutine>
#include <exception>
#include <functional>
#include <latch>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <skerry/skerry.hpp>

#include "cancelling.hpp"

namespace {

using cancelling::many;
using skerry::group_status;
using skerry::task_group;

class Cancel : public cancelling::Cancelling {};

INSTANTIATE_TEST_SUITE_P(Workers, Cancel, cancelling::workers, cancelling::name_of);

// --- branches -------------------------------------------------------------------------------------------------------

// Who runs behind a cancel. The thread that has asked begins nothing more. A thief may have looked just before the
// request and lose its processor there, but that is rare.
class behind_cancel {
  public:
    void ask(task_group& g) {
        asker_ = std::this_thread::get_id();
        g.cancel();
    }
    void count() { ++(std::this_thread::get_id() == asker_.load() ? here_ : beside_); }
    void expect_none_of(int all) const {
        EXPECT_EQ(here_, 0);
        EXPECT_LE(beside_, all / 2);
    }

  private:
    std::atomic<std::thread::id> asker_;
    std::atomic<int> here_ = 0;
    std::atomic<int> beside_ = 0;
};

// So many rounds that in some of them a thief loses its processor in a steal, which whoever asks has to wait for.
TEST_P(Cancel, BranchesAfterTheOneThatCancels) {
    constexpr int rounds = 2000;
    behind_cancel behind;
    for (int round = 0; round < rounds; ++round) {
        std::latch asked(1);
        counted([&](task_group& g, std::atomic<int>&) {
            skerry::parallel_invoke(
                [&] {
                    behind.ask(g);
                    asked.count_down();
                },
                [&] {
                    if (asked.try_wait()) {
                        behind.count();
                    }
                });
        });
    }
    behind.expect_none_of(rounds);
}

void tree(int depth, std::atomic<int>& leaves, const std::function<void()>& at_leaf) {
    if (depth == 0) {
        at_leaf();
        ++leaves;
    } else {
        skerry::parallel_invoke([=, &leaves, &at_leaf] { tree(depth - 1, leaves, at_leaf); },
                                [=, &leaves, &at_leaf] { tree(depth - 1, leaves, at_leaf); });
    }
}

// Every leaf waits until the group is cancelled: so many have begun as there are workers.
TEST_P(Cancel, ATreeOfBranchesFromOutside) {
    std::atomic<int> leaves = 0;
    rt_.run([&] {
        task_group g;
        std::latch begun(1);
        std::latch asked(1);
        std::thread outside([&] {
            begun.wait();
            g.cancel();
            asked.count_down();
        });
        std::atomic<bool> first = true;
        g.run([&] {
            tree(10, leaves, [&] {
                if (first.exchange(false)) {
                    begun.count_down();
                }
                asked.wait();
            });
        });
        EXPECT_EQ(g.wait(), group_status::cancelled);
        outside.join();
    });
    EXPECT_LE(leaves, static_cast<int>(GetParam().first));
    EXPECT_GE(leaves, 1);
}

TEST_P(Cancel, BranchesWithResults) {
    bool went_on = false;
    EXPECT_EQ(counted_when_cancelled([&](std::atomic<int>& count) {
                  const auto [a, b, c] = skerry::parallel_invoke(
                      [&] { return ++count, std::string("a long string that lies on the heap"); },
                      [&] { return ++count, 2; }, [&] { ++count; });
                  went_on = true;
              }),
              0);
    EXPECT_FALSE(went_on); // there is no result to go on with
}

// Results of branches that thieves have run are not leaked: under AddressSanitizer.
TEST_P(Cancel, ResultsBesideACancelAreDropped) {
    for (int round = 0; round < 50; ++round) {
        counted([&](task_group& g, std::atomic<int>&) {
            skerry::parallel_invoke([&] { return g.cancel(), std::make_unique<int>(1); },
                                    [&] { return std::make_unique<int>(2); });
            skerry::parallel_invoke([&] { return std::make_unique<int>(1); }, [&] { return std::make_unique<int>(2); });
        });
    }
}

TEST_P(Cancel, IsSeenInBranches) {
    expect_seen_while_running([](auto body) { skerry::parallel_invoke([] {}, body); });
}

// --- finish and async -----------------------------------------------------------------------------------------------

TEST_P(Cancel, AFinish) {
    EXPECT_EQ(counted_when_cancelled([](std::atomic<int>& count) { skerry::finish([&](skerry::scope&) { ++count; }); }),
              0);
    bool went_on = false;
    EXPECT_EQ(counted([&](task_group& g, std::atomic<int>& count) {
                  skerry::finish([&](skerry::scope& s) {
                      g.cancel();
                      for (int i = 0; i < many; ++i) {
                          s.async([&] { ++count; });
                      }
                  });
                  went_on = true;
              }),
              0);
    EXPECT_FALSE(went_on);
    expect_seen_while_running([](auto body) { skerry::finish([&](skerry::scope& s) { s.async(body); }); });
}

TEST_P(Cancel, AsyncThatLiesInTheDeque) {
    const int ran = counted([](task_group& g, std::atomic<int>& count) {
        std::latch asked(1);
        skerry::finish([&](skerry::scope& s) {
            for (int i = 0; i < many; ++i) {
                s.async([&] {
                    asked.wait();
                    ++count;
                });
            }
            g.cancel();
            asked.count_down();
            for (int i = 0; i < many; ++i) {
                s.async([&] { count += many; });
            }
        });
    });
    EXPECT_LT(ran, static_cast<int>(GetParam().first)); // the others had begun
}

// A task belongs to what it joins, wherever it is begun.
TEST_P(Cancel, AsyncIntoAScopeOutside) {
    std::atomic<int> ran = 0;
    rt_.run([&] {
        skerry::finish([&](skerry::scope& s) {
            task_group g;
            g.run([&] {
                for (int i = 0; i < 10; ++i) {
                    s.async([&] { ran += skerry::stop_requested() ? many : 1; });
                }
                g.cancel();
            });
            EXPECT_EQ(g.wait(), group_status::cancelled);
        });
    });
    EXPECT_EQ(ran, 10);
}

// --- groups ---------------------------------------------------------------------------------------------------------

TEST_P(Cancel, AGroupInside) {
    group_status inner = group_status::complete;
    EXPECT_EQ(counted_when_cancelled([&](std::atomic<int>& count) {
                  task_group h;
                  for (int i = 0; i < many; ++i) {
                      h.run([&] { ++count; });
                  }
                  inner = h.wait();
              }),
              0);
    EXPECT_EQ(inner, group_status::cancelled);
    expect_seen_while_running([](auto body) {
        task_group h;
        h.run(body);
        h.wait();
    });
}

TEST_P(Cancel, AGroupOnTheHeap) {
    EXPECT_EQ(counted([&](task_group& g, std::atomic<int>& count) {
                  const auto h = std::make_unique<task_group>();
                  for (int round = 0; round < 3; ++round) {
                      h->run([] { static_cast<void>(skerry::submit([] {})); });
                      EXPECT_EQ(h->wait(), group_status::complete);
                  }
                  g.cancel();
                  h->run([&] { ++count; });
                  EXPECT_EQ(h->wait(), group_status::cancelled);
              }),
              0);
    expect_seen_while_running([](auto body) {
        const auto h = std::make_unique<task_group>();
        h->run(body);
        h->wait();
    });
}

// It was made inside, but lives on: nothing of what was around it is looked at.
TEST_P(Cancel, AGroupThatOutlivesWhatItWasMadeIn) {
    int ran = 0;
    rt_.run([&] {
        std::optional<task_group> kept;
        std::unique_ptr<task_group> on_heap;
        {
            auto g = std::make_unique<task_group>();
            g->run([&] {
                kept.emplace();
                on_heap = std::make_unique<task_group>();
            });
            g->wait();
        }
        skerry::finish([&](skerry::scope&) { kept->run([&] { ++ran; }); });
        EXPECT_EQ(kept->wait(), group_status::complete);
        on_heap->run([&] { ++ran; });
        EXPECT_EQ(on_heap->wait(), group_status::complete);
    });
    EXPECT_EQ(ran, 2);
}

// A group that was made outside is none of what is inside.
TEST_P(Cancel, AGroupOutside) {
    std::atomic<int> ran = 0;
    rt_.run([&] {
        task_group g;
        task_group h;
        g.run([&] {
            g.cancel();
            for (int i = 0; i < 10; ++i) {
                h.run([&] { ran += skerry::stop_requested() ? many : 1; });
            }
        });
        EXPECT_EQ(g.wait(), group_status::cancelled);
        EXPECT_EQ(h.wait(), group_status::complete);
    });
    EXPECT_EQ(ran, 10);
}

TEST_P(Cancel, NestedDeep) {
    EXPECT_EQ(counted([](task_group& g, std::atomic<int>& count) {
                  skerry::finish([&](skerry::scope& s) {
                      s.async([&] {
                          task_group a;
                          a.run([&] {
                              skerry::parallel_invoke(
                                  [&] {
                                      task_group b;
                                      b.run([&] {
                                          g.cancel();
                                          skerry::parallel_for(0, many, [&](int) { ++count; });
                                      });
                                      EXPECT_EQ(b.wait(), group_status::cancelled);
                                      EXPECT_TRUE(skerry::stop_requested());
                                      skerry::submit([&] { ++count; }).get();
                                  },
                                  [] {});
                          });
                          a.wait();
                      });
                  });
              }),
              0);
}

// A thief's stack, on which other work has run meanwhile, and the deque of a worker that waited.
TEST_P(Cancel, AfterWorkOfOthersOnTheSameStack) {
    behind_cancel behind;
    const auto second = [&] {
        if (skerry::stop_requested()) {
            behind.count();
        }
    };
    for (int round = 0; round < 20; ++round) {
        const int ran = counted([&](task_group& g, std::atomic<int>& count) {
            task_group other_work;
            skerry::parallel_invoke(
                [&] {
                    behind.ask(g);
                    skerry::parallel_invoke([&] { ++count; }, [&] { ++count; });
                },
                second, second);
        });
        EXPECT_EQ(ran, 0);
        std::atomic<int> after = 0;
        rt_.run([&] { tree(6, after, [] {}); });
        EXPECT_EQ(after, 64); // nothing of it stays
    }
    behind.expect_none_of(40);
}

// What was pushed before the cancel, at every depth of the stack, and what is pushed between.
TEST_P(Cancel, WaitsBetweenForks) {
    behind_cancel behind;
    const int ran = counted([&](task_group& g, std::atomic<int>& count) {
        std::function<void(int)> down = [&](int depth) {
            if (depth == 0) {
                behind.ask(g);
                return;
            }
            skerry::parallel_invoke(
                [&] {
                    try {
                        down(depth - 1);
                    } catch (const skerry::cancelled&) {
                        task_group h; // a program that goes on all the same
                        h.run([&] { ++count; });
                        h.wait();
                    }
                },
                [&] {
                    if (skerry::stop_requested()) {
                        behind.count();
                    }
                });
        };
        down(20);
    });
    EXPECT_EQ(ran, 0);
    behind.expect_none_of(20);
}

// --- the low-level form ---------------------------------------------------------------------------------------------

struct counting final : skerry::task {
    explicit counting(std::atomic<int>& c) : count(c) {}
    void execute() override { ++count; }
    std::atomic<int>& count;
};

TEST_P(Cancel, LowLevelTasks) {
    bool went_on = false;
    EXPECT_EQ(counted([&](task_group& g, std::atomic<int>& count) {
                  struct parent final : skerry::task {
                      parent(task_group& group, std::atomic<int>& c) : g(group), count(c) {}
                      void execute() override {
                          g.cancel();
                          counting a(count);
                          counting b(count);
                          set_reference_count(2);
                          skerry::task::spawn(&a);
                          skerry::task::spawn(&b);
                          skerry::task::wait(this);
                      }
                      task_group& g;
                      std::atomic<int>& count;
                  } p(g, count);
                  skerry::task::run_root(p);
                  went_on = true;
              }),
              0);
    EXPECT_FALSE(went_on);
    EXPECT_EQ(counted_when_cancelled([](std::atomic<int>& count) {
                  counting c(count);
                  skerry::task::run_root(c);
              }),
              0);
}

// --- exceptions and rounds ------------------------------------------------------------------------------------------

TEST_P(Cancel, AThrowingTaskCancelsWhatIsInside) {
    std::atomic<int> ran = 0;
    rt_.run([&] {
        task_group g;
        std::latch thrown(1);
        if (GetParam().first == 1) {
            thrown.count_down();
        }
        g.run([&] {
            thrown.wait();
            while (GetParam().first != 1 && !skerry::stop_requested()) {
                std::this_thread::yield();
            }
            if (skerry::stop_requested()) {
                skerry::parallel_for(0, many, [&](int) { ++ran; });
            }
        });
        g.run([&] {
            if (GetParam().first != 1) {
                thrown.count_down();
            }
            throw std::runtime_error("leftmost");
        });
        EXPECT_THROW(g.wait(), std::runtime_error);
        EXPECT_EQ(g.wait(), group_status::complete);
    });
    EXPECT_EQ(ran, 0);
}

TEST_P(Cancel, EndsWithTheWait) {
    rt_.run([] {
        task_group g;
        for (int round = 0; round < 3; ++round) {
            g.cancel();
            g.cancel();
            EXPECT_EQ(g.wait(), group_status::cancelled);
            int ran = 0;
            g.run([&] { skerry::parallel_invoke([&] { ++ran; }, [] {}); });
            EXPECT_EQ(g.wait(), group_status::complete);
            EXPECT_EQ(ran, 1);
        }
        g.cancel(); // the destructor ends it, too
    });
    std::atomic<int> leaves = 0;
    rt_.run([&] { tree(4, leaves, [] {}); });
    EXPECT_EQ(leaves, 16);
}

TEST_P(Cancel, FromManyThreadsAtOnce) {
    for (int round = 0; round < 20; ++round) {
        std::atomic<int> leaves = 0;
        rt_.run([&] {
            task_group g;
            std::latch begun(1);
            std::atomic<bool> first = true;
            std::latch asked(3);
            std::vector<std::thread> threads;
            for (int t = 0; t < 3; ++t) {
                threads.emplace_back([&] {
                    begun.wait();
                    g.cancel();
                    asked.count_down();
                });
            }
            g.run([&] {
                tree(8, leaves, [&] {
                    if (first.exchange(false)) {
                        begun.count_down();
                    }
                    asked.wait();
                });
            });
            EXPECT_EQ(g.wait(), group_status::cancelled);
            for (std::thread& t : threads) {
                t.join();
            }
        });
        EXPECT_LE(leaves, static_cast<int>(GetParam().first));
    }
}

} // namespace
