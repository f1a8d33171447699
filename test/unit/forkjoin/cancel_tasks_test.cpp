// SPDX-License-Identifier: Apache-2.0

// What a cancelled group does to the tasks that outlive the call which begins them: those of futures, and spawned ones.

#include <algorithm>
#include <atomic>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <latch>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <skerry/skerry.hpp>

#include "cancelling.hpp"
#include "deps/task_scope.hpp"
#include "fire_and_forget.hpp"

namespace {

using cancelling::many;
using skerry::group_status;
using skerry::task_group;
using skerry_test::fire_and_forget;

class CancelTasks : public cancelling::Cancelling {};

INSTANTIATE_TEST_SUITE_P(Workers, CancelTasks, cancelling::workers, cancelling::name_of);

// --- submit ---------------------------------------------------------------------------------------------------------

TEST_P(CancelTasks, AFuturesTask) {
    bool told = false;
    EXPECT_EQ(counted_when_cancelled([&](std::atomic<int>& count) {
                  skerry::future<int> f = skerry::submit([&] { return ++count, 1; });
                  try {
                      f.get();
                  } catch (const skerry::cancelled& e) {
                      told = std::string(e.what()) ==
                             "skerry: a group around this was cancelled, or one of its tasks has thrown";
                  }
              }),
              0);
    EXPECT_TRUE(told);
    expect_seen_while_running([](auto body) { skerry::submit(body).get(); });
}

// Also when the task of the group that has begun it, and the group itself, are gone.
TEST_P(CancelTasks, AFutureThatIsLeftBehind) {
    int ran = 0;
    rt_.run([&] {
        skerry::future<void> left;
        {
            task_group g;
            g.run([&] {
                g.cancel();
                left = skerry::submit([&] { ++ran; });
            });
            EXPECT_EQ(g.wait(), group_status::cancelled);
            g.run([&] { ++ran; });
            EXPECT_EQ(g.wait(), group_status::complete);
        }
        EXPECT_THROW(left.get(), skerry::cancelled); // to whoever asks, group or not
    });
    EXPECT_EQ(ran, 1);
}

TEST_P(CancelTasks, AFutureFromACancelledGroupFailsAnother) {
    rt_.run([&] {
        skerry::future<int> f;
        task_group g;
        g.run([&] {
            g.cancel();
            f = skerry::submit([] { return 1; });
        });
        g.wait();
        task_group other; // is not cancelled: it cannot go on without the result, and says so
        other.run([&] { f.get(); });
        EXPECT_THROW(other.wait(), skerry::cancelled);
    });
}

fire_and_forget wait_for(skerry::future<void> f, bool& seen, int& skips) {
    try {
        co_await f;
    } catch (const skerry::cancelled&) {
        ++skips;
    }
    seen = skerry::stop_requested();
    try {
        co_await skerry::submit([] {});
    } catch (const skerry::cancelled&) {
        ++skips;
    }
}

TEST_P(CancelTasks, TheRestOfACoroutine) {
    bool seen = false;
    int skips = 0;
    std::latch asked(1);
    counted([&](task_group& g, std::atomic<int>&) {
        skerry::finish([&](skerry::scope&) {
            if (GetParam().first == 1) {
                asked.count_down();
            }
            skerry::future<void> f = skerry::submit([&] { asked.wait(); });
            if (GetParam().first == 1) {
                f.wait();
            }
            skerry::future<void> never = skerry::submit([] {});
            g.cancel();
            asked.count_down(GetParam().first == 1 ? 0 : 1);
            wait_for(std::move(never), seen, skips);
        });
    });
    EXPECT_TRUE(seen);
    EXPECT_GE(skips, 1);
}

// --- spawn ----------------------------------------------------------------------------------------------------------

TEST_P(CancelTasks, SpawnedTasks) {
    int x = 0;
    EXPECT_EQ(counted_when_cancelled([&](std::atomic<int>& count) {
                  for (int i = 0; i < many; ++i) {
                      skerry::spawn([&count](int& to) { ++count, ++to; }, skerry::inout(x));
                  }
              }),
              0);
    EXPECT_EQ(x, 0);
    expect_seen_while_running([](auto body) {
        skerry::spawn([body] { body(); });
        skerry::taskwait();
    });
}

TEST_P(CancelTasks, SpawnedTasksThatWait) {
    int x = 0;
    bool went_on = false;
    const int ran = counted([&](task_group& g, std::atomic<int>& count) {
        skerry::spawn([&](int&) { g.cancel(); }, skerry::inout(x));
        for (int i = 0; i < many; ++i) {
            skerry::spawn([&count](int&) { ++count; }, skerry::inout(x)); // after the one that cancels
        }
        skerry::taskwait();
        went_on = true;
    });
    EXPECT_EQ(ran, 0);
    EXPECT_FALSE(went_on);
}

// A task outside of the group that needs what a cancelled one would have written.
TEST_P(CancelTasks, DependentsOutside) {
    int x = 0;
    int y = 0;
    std::atomic<int> ran = 0;
    rt_.run([&] {
        task_group g;
        g.run([&] {
            g.cancel();
            skerry::spawn([&](int&) { ++ran; }, skerry::out(x));
        });
        g.wait();
        skerry::spawn([&](const int&, int&) { ++ran; }, skerry::in(x), skerry::out(y));
        EXPECT_THROW(skerry::taskwait(), skerry::cancelled);
        g.run([&] {
            g.cancel();
            skerry::spawn([&](int&) { ++ran; }, skerry::out(x));
        });
        g.wait();
        EXPECT_THROW(skerry::taskwait_on(skerry::in(x)), skerry::cancelled);
        skerry::spawn([&](int& to) { to = 7; }, skerry::out(x)); // overwrites it
        skerry::spawn([&](const int& from, int& to) { to = from; }, skerry::in(x), skerry::out(y));
        skerry::taskwait();
        g.run([&] {
            g.cancel();
            skerry::spawn([&](int&) { ++ran; }, skerry::out(x));
        });
        g.wait();
    }); // nobody needs it: no exception
    EXPECT_EQ(ran, 0);
    EXPECT_EQ(y, 7);
}

// --- waits for spawned tasks ----------------------------------------------------------------------------------------

TEST_P(CancelTasks, AFinishIsCutShort) {
    int x = 0;
    int went_on = 0;
    EXPECT_EQ(counted([&](task_group& g, std::atomic<int>& count) {
                  const auto skipped = [&](skerry::scope&) {
                      g.cancel();
                      skerry::spawn([&](int& to) { to = ++count; }, skerry::out(x));
                      return x;
                  };
                  skerry::finish(skipped);
                  ++went_on;
              }),
              0);
    EXPECT_EQ(went_on, 0);
    rt_.run([&] { // a finish around the group is not
        skerry::finish([&](skerry::scope&) {
            task_group g;
            g.run([&] {
                g.cancel();
                skerry::spawn([&](int& to) { to = 1; }, skerry::out(x));
            });
            EXPECT_EQ(g.wait(), group_status::cancelled);
        });
        ++went_on;
    });
    EXPECT_EQ(went_on, 1);
    EXPECT_EQ(x, 0);
}

// Runs a group in which spawning(group) spawns what writes x and cancels it.
template <class F>
void cancelled_by_a_task(int& x, F spawning) {
    task_group g;
    g.run([&] {
        spawning(g);
        skerry::taskwait_on(skerry::in(x)); // what it leaves unwritten stays so
    });
    EXPECT_EQ(g.wait(), group_status::cancelled);
}

// The same, and then a task that reads x. Whether that has run; else taskwait() has to throw.
template <class F>
bool read_after(int& x, F spawning) {
    bool ran = false;
    cancelled_by_a_task(x, spawning);
    skerry::spawn([&](const int&) { ran = true; }, skerry::in(x));
    try {
        skerry::taskwait();
        EXPECT_TRUE(ran);
    } catch (const skerry::cancelled&) {
        EXPECT_FALSE(ran);
    }
    return ran;
}

// A task whose children were skipped has not written what it names, however deep they were.
TEST_P(CancelTasks, AParentOfSkippedChildren) {
    int x = 0;
    const auto child = [](int& to) { to = 1; };
    const auto parent = [&](task_group& group, int& to) {
        group.cancel();
        skerry::spawn(child, skerry::out(to));
    };
    rt_.run([&] {
        EXPECT_FALSE(read_after(
            x, [&](task_group& group) { skerry::spawn([&](int& to) { parent(group, to); }, skerry::out(x)); }));
        EXPECT_FALSE(read_after(x, [&](task_group& group) { // without an access that would say so
            skerry::spawn(
                [&](int& to) {
                    group.cancel();
                    skerry::spawn([&to] { to = 1; });
                },
                skerry::out(x));
        }));
        EXPECT_FALSE(read_after(x, [&](task_group& group) {
            skerry::spawn([&](int& to) { skerry::spawn([&](int& inner) { parent(group, inner); }, skerry::out(to)); },
                          skerry::out(x));
        }));
    });
    EXPECT_EQ(x, 0);
}

// Of a task that a group inside of it has left without something: it counts as skipped, unless it has waited.
TEST_P(CancelTasks, AGroupInsideOfAParent) {
    const auto inside = [](int& to, bool waits, bool covers) {
        task_group g;
        g.run([&] {
            const auto leave = [&] {
                g.cancel();
                skerry::spawn([](int& it) { it = 1; }, skerry::out(to));
            };
            if (covers) {
                skerry::finish([&](skerry::scope&) { leave(); });
            } else {
                leave();
            }
        });
        EXPECT_EQ(g.wait(), group_status::cancelled);
        if (waits) {
            skerry::taskwait();
        }
        to = 7;
    };
    const auto seen = [&](bool waits, bool covers) {
        int x = 0;
        int y = 0;
        skerry::spawn([&](int& to) { inside(to, waits, covers); }, skerry::out(x));
        skerry::spawn([](const int& from, int& to) { to = from; }, skerry::in(x), skerry::out(y));
        try {
            skerry::taskwait();
        } catch (const skerry::cancelled&) {
            EXPECT_EQ(y, 0);
        }
        return y;
    };
    rt_.run([&] {
        EXPECT_EQ(seen(false, false), 0);
        EXPECT_EQ(seen(true, false), 7);
        EXPECT_EQ(seen(false, true), 7);
        EXPECT_EQ(seen(true, true), 7);
    });
}

// --- tasks that are cut short ---------------------------------------------------------------------------------------

// What a task of a group does that is cut short.
void be_cut_short(task_group& g) {
    g.cancel();
    skerry::parallel_for(0, 10, [](int) {});
}

// Nothing of it gets out of the group: not to waits, nor to runs around.
TEST_P(CancelTasks, CutShort) {
    int x = 0;
    int y = 0;
    const auto in_group = [&] {
        cancelled_by_a_task(x, [&](task_group& g) { skerry::spawn([&g](int&) { be_cut_short(g); }, skerry::out(x)); });
    };
    EXPECT_NO_THROW(rt_.run([&] { in_group(); }));
    EXPECT_NO_THROW(rt_.run([&] {
        in_group();
        skerry::taskwait();
    }));
    EXPECT_NO_THROW(rt_.run([&] { skerry::finish([&](skerry::scope&) { in_group(); }); }));
    EXPECT_NO_THROW(rt_.run([&] { // in a task, and in a group around
        task_group outer;
        outer.run([&] {
            skerry::spawn([&] { in_group(); });
            skerry::taskwait();
        });
        EXPECT_EQ(outer.wait(), group_status::complete);
    }));
    rt_.run([&] { // but to who needs what it has not written
        in_group();
        skerry::spawn([&](const int&, int& to) { to = 1; }, skerry::in(x), skerry::out(y));
        EXPECT_THROW(skerry::taskwait(), skerry::cancelled);
    });
    EXPECT_EQ(y, 0);
}

// An exception of its own does, and so does a cut from elsewhere.
TEST_P(CancelTasks, CutShortByAnother) {
    rt_.run([&] {
        int x = 0;
        cancelled_by_a_task(x, [&](task_group& g) {
            const auto throws = [&g](int&) {
                g.cancel();
                throw std::runtime_error("its own");
            };
            skerry::spawn(throws, skerry::out(x));
        });
        EXPECT_THROW(skerry::taskwait(), std::runtime_error);
        skerry::future<void> f;
        task_group g;
        g.run([&] {
            g.cancel();
            f = skerry::submit([] {});
        });
        EXPECT_EQ(g.wait(), group_status::cancelled);
        skerry::spawn([&] { f.get(); });
        EXPECT_THROW(skerry::taskwait(), skerry::cancelled);
    });
}

TEST_P(CancelTasks, CutShortBesideABranchInNoGroup) {
    std::atomic<bool> done = false;
    int wrong = 0;
    rt_.run([&] {
        skerry::parallel_invoke(
            [&] {
                for (int i = 0; i < 300; ++i) {
                    task_group g;
                    g.run([&] {
                        skerry::spawn([&] { be_cut_short(g); });
                        skerry::taskwait();
                    });
                    g.wait();
                }
                done = true;
            },
            [&] {
                do {
                    int x = 0;
                    try {
                        skerry::spawn([](int& to) { to = 1; }, skerry::out(x));
                        skerry::taskwait();
                    } catch (const skerry::cancelled&) {
                        ++wrong;
                    }
                } while (!done);
            });
    });
    EXPECT_EQ(wrong, 0);
}

// A container that it has changed by then: what waits for it and names the old elements does not run.
TEST_P(CancelTasks, CutShortWithAContainer) {
    if (GetParam().first == 1) { // nothing waits for it
        return;
    }
    std::vector<int> v(4, 1);
    std::span<int> elements(v);
    int held = 0; // until the task that names the elements has been spawned
    bool ran = false;
    rt_.run([&] {
        std::latch begun(1);
        std::latch waited_for(1);
        std::latch asked(1);
        task_group g;
        g.run([&] {
            skerry::spawn(
                [&](int& x) {
                    waited_for.wait();
                    x = 1;
                },
                skerry::out(held));
            skerry::spawn(
                [&](std::vector<int>& to, const int&) {
                    to.resize(1000);
                    g.cancel();
                    asked.count_down();
                    skerry::parallel_for(0, 10, [](int) {});
                },
                skerry::inout(v), skerry::in(held));
            begun.count_down();
        });
        begun.wait();
        skerry::spawn([&](std::span<int>) { ran = true; }, skerry::out(elements));
        waited_for.count_down();
        asked.wait();
        EXPECT_EQ(g.wait(), group_status::cancelled);
        EXPECT_THROW(skerry::taskwait(), std::logic_error);
    });
    EXPECT_FALSE(ran);
}

// --- how long something is unwritten --------------------------------------------------------------------------------

// What a finish has covered is over with it: the memory may be another object's.
TEST_P(CancelTasks, UnwrittenUntilTheFinishEnds) {
    int x = 0;
    const auto count = [&x](task_group* g) {
        x = 0;
        skerry::finish([&](skerry::scope&) {
            if (g != nullptr) {
                g->cancel();
            }
            skerry::spawn([](int& to) { ++to; }, skerry::inout(x));
        });
        return x;
    };
    rt_.run([&] {
        for (int round = 0; round < 3; ++round) {
            task_group g;
            g.run([&] { count(&g); });
            EXPECT_EQ(g.wait(), group_status::cancelled);
            EXPECT_EQ(count(nullptr), 1);
            const auto fail = [&](skerry::scope&) {
                skerry::spawn([](int&) { throw std::runtime_error("not written"); }, skerry::inout(x));
            };
            EXPECT_THROW(skerry::finish(fail), std::runtime_error);
            EXPECT_EQ(count(nullptr), 1);
        }
    });
}

// What no finish has covered is unwritten still when one beside it ends.
TEST_P(CancelTasks, UnwrittenBesideAFinish) {
    int x = 0;
    int y = 0;
    bool ran = false;
    rt_.run([&] {
        task_group g;
        g.run([&] {
            g.cancel();
            skerry::spawn([](int& to) { to = 1; }, skerry::out(x));
            const auto skipped = [&](skerry::scope&) { skerry::spawn([](int& to) { to = 1; }, skerry::out(y)); };
            skerry::finish(skipped);
        });
        EXPECT_EQ(g.wait(), group_status::cancelled);
        skerry::finish([&](skerry::scope&) {
            task_group h;
            h.run([&] {
                h.cancel();
                skerry::spawn([](int& to) { to = 1; }, skerry::out(y));
            });
            EXPECT_EQ(h.wait(), group_status::cancelled);
        });
        skerry::spawn([&](const int&) { ran = true; }, skerry::in(x));
        EXPECT_THROW(skerry::taskwait(), skerry::cancelled);
    });
    EXPECT_FALSE(ran);
}

// Names of what was unwritten for a while are forgotten like others.
TEST_P(CancelTasks, NamesOfWhatWasUnwritten) {
    using skerry::detail::task_scope;
    constexpr int rounds = 4 * static_cast<int>(task_scope::few_names);
    const auto memory = std::make_unique<int[]>(rounds);
    rt_.run([&] {
        std::size_t most = 0;
        for (int i = 0; i < rounds; ++i) {
            task_group g;
            g.run([&] {
                skerry::finish([&](skerry::scope&) {
                    g.cancel();
                    skerry::spawn([](int& to) { ++to; }, skerry::inout(memory[static_cast<std::size_t>(i)]));
                });
            });
            g.wait();
            const auto& here = *skerry::detail::current_page->ctx->frame().spawner;
            if (const task_scope* const scope = task_scope::existing(here)) {
                most = std::max(most, scope->names());
            }
        }
        EXPECT_LE(most, 2 * task_scope::few_names);
        EXPECT_GT(most, 0U);
    });
}

// Where another branch spawns all the time, so that there is no moment at which all children of the task have ended.
TEST_P(CancelTasks, UnwrittenUntilATaskwaitBesideABranchThatSpawns) {
    if (GetParam().first == 1) {
        return;
    }
    constexpr int rounds = 1000;
    int x = 0;
    int right = 0;
    std::atomic<bool> done = false;
    const auto once = [&](auto unwrite) {
        unwrite();
        x = 0;
        skerry::spawn([](int& to) { ++to; }, skerry::inout(x));
        skerry::taskwait();
        right += x;
    };
    rt_.run([&] {
        int others[64] = {};
        skerry::parallel_invoke(
            [&] {
                try {
                    for (int i = 0; i < rounds; ++i) {
                        once([&] {
                            task_group g;
                            g.run([&] {
                                g.cancel();
                                skerry::spawn([](int& to) { ++to; }, skerry::inout(x));
                            });
                            g.wait();
                            skerry::taskwait();
                        });
                        once([&] {
                            skerry::spawn([](int&) { throw 1; }, skerry::inout(x));
                            EXPECT_THROW(skerry::taskwait(), int);
                        });
                    }
                } catch (const skerry::cancelled&) {
                    ADD_FAILURE() << "taskwait() in no group throws skerry::cancelled";
                }
                done = true;
            },
            [&] {
                for (std::size_t i = 0; !done; i = (i + 1) % 64) {
                    skerry::spawn(
                        [](int& to) {
                            for (int n = 0; n < 300; ++n) {
                                std::atomic_signal_fence(std::memory_order_seq_cst);
                                ++to;
                            }
                        },
                        skerry::inout(others[i]));
                }
                skerry::taskwait();
            });
    });
    EXPECT_EQ(right, 2 * rounds);
}

} // namespace
