// SPDX-License-Identifier: Apache-2.0

#include <atomic>
#include <cstdint>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <skerry/finish.hpp>
#include <skerry/future.hpp>
#include <skerry/parallel_invoke.hpp>
#include <skerry/task_group.hpp>

#include "workers.hpp"

namespace {

using skerry::scope;

class Finish : public OnWorkers {};
ON_ALL_WORKERS(Finish);

// What the construct threw.
template <class F>
std::string thrown_by(F&& f) {
    try {
        f();
    } catch (const std::runtime_error& e) {
        return e.what();
    }
    return "nothing";
}

void tree(scope& s, int depth, std::atomic<int>& leaves) {
    if (depth == 0) {
        ++leaves;
        return;
    }
    s.async([&s, depth, &leaves] { tree(s, depth - 1, leaves); });
    s.async([&s, depth, &leaves] { tree(s, depth - 1, leaves); });
}

TEST_P(Finish, WaitsForTasksOfTasks) {
    std::atomic<int> leaves = 0;
    in([&] { skerry::finish([&](scope& s) { tree(s, 10, leaves); }); });
    EXPECT_EQ(leaves, 1024);
}

// More than a worker counts ahead, by whoever runs the first one.
TEST_P(Finish, WaitsForManyTasksOfOneTask) {
    constexpr int tasks = 1000;
    std::atomic<int> by_scope = 0;
    std::atomic<int> by_future = 0;
    in([&] {
        skerry::finish([&](scope& s) {
            s.async([&] {
                for (int i = 0; i < tasks; ++i) {
                    s.async([&] { ++by_scope; });
                    static_cast<void>(skerry::submit([&] { ++by_future; }));
                }
            });
        });
        EXPECT_EQ(by_scope, tasks);
        EXPECT_EQ(by_future, tasks);
    });
}

TEST_P(Finish, AClosureIsAlignedAsItsTypeSays) {
    struct alignas(256) wide {
        std::atomic<int>* aligned;
        void operator()() const { *aligned += reinterpret_cast<std::uintptr_t>(this) % alignof(wide) == 0 ? 1 : 0; }
    };
    std::atomic<int> aligned = 0;
    in([&] {
        skerry::task_group group;
        skerry::finish([&](scope& s) {
            s.async(wide{&aligned});
            group.run(wide{&aligned});
        });
    });
    EXPECT_EQ(aligned, 2);
}

TEST_P(Finish, ReturnsWhatTheBodyReturns) {
    int x = 1;
    in([&] {
        EXPECT_EQ(skerry::finish([](scope&) { return 5; }), 5);
        int& r = skerry::finish([&x](scope&) -> int& { return x; });
        EXPECT_EQ(&r, &x);
        EXPECT_EQ(*skerry::finish([](scope&) { return std::make_unique<int>(7); }), 7);
    });
}

TEST_P(Finish, ChainsOfTasksDoNotGrowTheStack) {
    std::atomic<int> steps = 0;
    struct chain {
        static void step(scope& s, int n, std::atomic<int>& steps) {
            ++steps;
            if (n > 1) {
                s.async([&s, n, &steps] { step(s, n - 1, steps); });
            }
        }
    };
    in([&] { skerry::finish([&](scope& s) { chain::step(s, 50'000, steps); }); });
    EXPECT_EQ(steps, 50'000);
}

TEST_P(Finish, TheBodysExceptionGoesFirstAndAllTasksRun) {
    std::atomic<int> ran = 0;
    const std::string what = thrown_by([&] {
        in([&] {
            skerry::finish([&](scope& s) {
                for (int i = 0; i < 20; ++i) {
                    s.async([&ran] {
                        ++ran;
                        throw std::runtime_error("task");
                    });
                }
                throw std::runtime_error("body");
            });
        });
    });
    EXPECT_EQ(what, "body");
    EXPECT_EQ(ran, 20);
}

// A tree of 31 calls over asyncs, finishes and forks, of which number `bad` throws. Counts those that began.
struct mixed {
    int bad;
    std::atomic<int> next = 0;
    std::atomic<int> begun = 0;

    void call(scope& s, int depth) {
        ++begun;
        if (next++ == bad) {
            throw std::runtime_error("bad");
        }
        if (depth == 0) {
            return;
        }
        const auto child = [this, depth](scope& below) { call(below, depth - 1); };
        switch (depth % 3) {
        case 0:
            s.async([&s, child] { child(s); });
            s.async([&s, child] { child(s); });
            break;
        case 1:
            skerry::finish([&](scope& inner) {
                inner.async([&inner, child] { child(inner); });
                child(inner);
            });
            break;
        default:
            skerry::parallel_invoke([&] { child(s); }, [&] { skerry::submit([&s, child] { child(s); }).get(); });
            break;
        }
    }
};

TEST_P(Finish, AThrowAtEveryPlaceArrivesOnceAllIsDone) {
    in([] {
        for (int bad = 0; bad < 31; ++bad) {
            mixed m{.bad = bad};
            EXPECT_EQ(thrown_by([&] { skerry::finish([&m](scope& s) { m.call(s, 4); }); }), "bad");
            const int then = m.begun;
            EXPECT_GT(then, bad);
            EXPECT_LE(then, 31);
        }
        mixed good{.bad = -1};
        EXPECT_EQ(thrown_by([&] { skerry::finish([&good](scope& s) { good.call(s, 4); }); }), "nothing");
        EXPECT_EQ(good.begun, 31);
    });
}

TEST_P(Finish, InnerFinishEndsBeforeTheOuterGoesOn) {
    in([] {
        std::atomic<int> outer = 0;
        skerry::finish([&](scope& s) {
            s.async([&outer] { ++outer; });
            skerry::parallel_invoke(
                [&] {
                    std::atomic<int> inner = 0;
                    skerry::finish([&](scope& below) { tree(below, 5, inner); });
                    EXPECT_EQ(inner, 32);
                },
                [&] {
                    std::atomic<int> inner = 0;
                    skerry::finish([&](scope& below) { tree(below, 6, inner); });
                    EXPECT_EQ(inner, 64);
                });
        });
        EXPECT_EQ(outer, 1);
    });
}

TEST_P(Finish, CoversTasksOfEveryModel) {
    in([] {
        skerry::task_group outside;
        std::atomic<int> ran = 0;
        skerry::finish([&](scope& s) {
            for (int i = 0; i < 50; ++i) {
                outside.run([&ran] { ++ran; });
                static_cast<void>(skerry::submit([&ran] {
                    ++ran;
                    static_cast<void>(skerry::submit([&ran] { ++ran; }));
                }));
                s.async([&ran, &outside] {
                    ++ran;
                    outside.run([&ran] {
                        ++ran;
                        static_cast<void>(skerry::submit([&ran] { ++ran; }));
                    });
                });
            }
        });
        EXPECT_EQ(ran, 300);
        outside.wait();
    });
}

TEST_P(Finish, AScopeHandedDownIsCoveredByBoth) {
    in([] {
        skerry::finish([](scope& outer) {
            for (int i = 0; i < 20; ++i) {
                std::atomic<int> ran = 0; // gone after this turn: the inner finish must cover the tasks
                skerry::finish([&](scope& inner) {
                    outer.async([&ran] { ++ran; });
                    inner.async([&outer, &ran] {
                        outer.async([&ran] {
                            ++ran;
                            static_cast<void>(skerry::submit([&ran] { ++ran; }));
                        });
                    });
                });
                EXPECT_EQ(ran, 3);
            }
        });
    });
}

TEST_P(Finish, AnExceptionGoesToTheScopeThatTheTaskJoined) {
    in([] {
        bool inner_threw = false;
        EXPECT_EQ(thrown_by([&] {
                      skerry::finish([&](scope& outer) {
                          const auto inner = [&outer](scope&) {
                              outer.async([] { throw std::runtime_error("for the outer"); });
                          };
                          inner_threw = thrown_by([&] { skerry::finish(inner); }) != "nothing";
                      });
                  }),
                  "for the outer");
        EXPECT_FALSE(inner_threw);
    });
}

// Two finishes side by side on threads of their own; the second one's task joins the first one's scope.
TEST_P(Finish, AScopeLentToAFinishElsewhereIsCoveredByBoth) {
    std::atomic<int> ran = 0;
    std::promise<scope*> lent;
    std::promise<void> used;
    std::thread first([&] {
        in([&] {
            skerry::finish([&](scope& s) {
                lent.set_value(&s);
                used.get_future().wait();
            });
            EXPECT_EQ(ran, 2);
        });
    });
    in([&] {
        scope& s = *lent.get_future().get();
        skerry::finish([&](scope& own) {
            own.async([&] {
                s.async([&ran] {
                    ++ran;
                    static_cast<void>(skerry::submit([&ran] { ++ran; }));
                });
                used.set_value();
            });
        });
        EXPECT_EQ(ran, 2);
    });
    first.join();
}

TEST_P(Finish, ThreadsWithoutASlotMayUseTheScope) {
    std::atomic<int> ran = 0;
    in([&] {
        EXPECT_EQ(thrown_by([&] {
                      skerry::finish([&](scope& s) {
                          std::vector<std::thread> threads;
                          for (int t = 0; t < 4; ++t) {
                              threads.emplace_back([&s, &ran] {
                                  for (int i = 0; i < 50; ++i) {
                                      s.async([&s, &ran] { s.async([&ran] { ++ran; }); });
                                  }
                                  s.async([] { throw std::runtime_error("from outside"); });
                              });
                          }
                          for (std::thread& t : threads) {
                              t.join();
                          }
                      });
                  }),
                  "from outside");
    });
    EXPECT_EQ(ran, 200);
}

TEST_P(Finish, ClosuresAreGoneWhenItReturns) {
    const auto held = std::make_shared<int>(1);
    in([&] {
        skerry::task_group outside;
        skerry::finish([&](scope& s) {
            for (int i = 0; i < 100; ++i) {
                s.async([held] {});
                outside.run([held] {});
                static_cast<void>(skerry::submit([held] {}));
                s.async([p = std::make_unique<int>(1), held] {});
            }
        });
        EXPECT_EQ(held.use_count(), 1);
    });
}

TEST(FinishOutside, EveryThreadMayCall) {
    std::vector<std::thread> threads;
    std::atomic<int> leaves = 0;
    for (int t = 0; t < 8; ++t) {
        threads.emplace_back([&leaves] {
            for (int i = 0; i < 10; ++i) {
                std::atomic<int> mine = 0;
                skerry::finish([&](scope& s) { tree(s, 5, mine); });
                leaves += mine;
            }
        });
    }
    for (std::thread& t : threads) {
        t.join();
    }
    EXPECT_EQ(leaves, 8 * 10 * 32);
}

TEST(FinishOutside, ABodyOfAnotherRuntimeIsCoveredToo) {
    skerry::runtime other(OnWorkers::with(2));
    std::atomic<int> ran = 0;
    skerry::finish([&](scope& s) {
        other.run([&] {
            for (int i = 0; i < 50; ++i) {
                s.async([&ran] {
                    ++ran;
                    static_cast<void>(skerry::submit([&ran] { ++ran; }));
                });
            }
        });
        EXPECT_EQ(ran, 100); // run() waits for all that was begun in it
    });
    EXPECT_EQ(ran, 100);
}

} // namespace
