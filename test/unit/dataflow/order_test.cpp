// SPDX-License-Identifier: Apache-2.0

// Which tasks wait for which.

#include "runtimes.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <skerry/region.hpp>

#include "deps/name_table.hpp"

using dataflow_test::barrier;
using dataflow_test::Dataflow;
using skerry::in;
using skerry::inout;
using skerry::out;
using skerry::spawn;
using skerry::taskwait;
using skerry::taskwait_on;

namespace {

class DataflowOrder : public Dataflow {};

TEST_P(DataflowOrder, WritersAreInOrder) {
    struct journal {
        std::vector<int> entries;
    } log;
    runtime.run([&] {
        for (int i = 0; i < 200; ++i) {
            spawn([i](journal& l) { l.entries.push_back(i); }, inout(log));
        }
    });
    ASSERT_EQ(log.entries.size(), 200U);
    EXPECT_TRUE(std::ranges::is_sorted(log.entries));
}

TEST_P(DataflowOrder, ReadersStandBetweenWriters) {
    int x = 0;
    std::atomic<int> wrong{0};
    runtime.run([&] {
        for (int i = 1; i <= 100; ++i) {
            spawn([i](int& v) { v = i; }, out(x));
            for (int r = 0; r < 5; ++r) {
                spawn([i, &wrong](const int& v) { wrong += v == i ? 0 : 1; }, in(x));
            }
        }
    });
    EXPECT_EQ(wrong, 0);
}

TEST_P(DataflowOrder, NamesThatOverlapAreCounted) {
    std::array<int, 8> all{};
    const auto overlaps_of = [&](const auto& f) {
        const std::uint64_t before = runtime.stats().overlaps;
        runtime.run(f);
        return runtime.stats().overlaps - before;
    };
    const std::span whole(all);
    EXPECT_EQ(overlaps_of([&] {
                  for (int& x : all) {
                      spawn([](int& v) { ++v; }, inout(x));
                  }
              }),
              0U);
    EXPECT_EQ(overlaps_of([&] {
                  for (int i = 0; i < 10; ++i) { // the second name appears once
                      spawn([](std::span<int> v) { ++v[0]; }, inout(whole));
                      spawn([](std::span<int> v) { ++v[0]; }, inout(whole.first(2)));
                  }
              }),
              1U);
    EXPECT_EQ(all[0], 21);
}

// Needs a second worker: each reader waits for the other.
TEST_P(DataflowOrder, ReadersRunSideBySide) {
    if (alone()) {
        GTEST_SKIP() << "one worker runs one reader at a time";
    }
    int x = 0;
    std::atomic<int> here{0};
    const auto meet = [&here](const int&) {
        ++here;
        while (here < 2) {
            std::this_thread::yield();
        }
    };
    runtime.run([&] {
        spawn([](int& v) { v = 1; }, out(x));
        spawn(meet, in(x));
        spawn(meet, in(x));
    });
    EXPECT_EQ(here, 2);
}

TEST_P(DataflowOrder, IndependentTasksRunSideBySide) {
    if (alone()) {
        GTEST_SKIP() << "one worker runs one task at a time";
    }
    std::array<int, 2> x{};
    std::atomic<int> here{0};
    const auto meet = [&here](int&) {
        ++here;
        while (here < 2) {
            std::this_thread::yield();
        }
    };
    runtime.run([&] {
        spawn(meet, out(x[0]));
        spawn(meet, out(x[1]));
    });
    EXPECT_EQ(here, 2);
}

TEST_P(DataflowOrder, AWholeWaitsForItsPartsAndTheyForIt) {
    std::vector<int> v(64, 0);
    std::atomic<int> wrong{0};
    runtime.run([&] {
        for (int round = 1; round <= 20; ++round) {
            for (std::size_t i = 0; i < 64; i += 16) {
                spawn(
                    [round](std::span<int> part) {
                        for (int& x : part) {
                            x = round;
                        }
                    },
                    inout(std::span(v).subspan(i, 16)));
            }
            spawn(
                [round, &wrong](std::span<const int> all) {
                    for (const int x : all) {
                        wrong += x == round ? 0 : 1;
                    }
                },
                in(std::span(v)));
        }
    });
    EXPECT_EQ(wrong, 0);
}

TEST_P(DataflowOrder, PartialOverlapIsOrderedToo) {
    std::vector<std::uint64_t> v(30, 1);
    std::vector<std::uint64_t> expected = v;
    const auto mix = [](std::span<std::uint64_t> s, std::size_t k) {
        for (std::size_t i = 0; i < s.size(); ++i) {
            s[i] = s[i] * 31 + k + i;
        }
    };
    runtime.run([&] {
        for (std::size_t k = 0; k < 200; ++k) {
            const std::size_t first = k * 7 % 20;
            const std::size_t length = 1 + k * 5 % 10;
            mix(std::span(expected).subspan(first, length), k);
            spawn([mix](std::span<std::uint64_t> s, std::size_t n) { mix(s, n); },
                  inout(std::span(v).subspan(first, length)), k);
        }
    });
    EXPECT_EQ(v, expected);
}

TEST_P(DataflowOrder, ARegionIsEverythingInIt) {
    skerry::region top = skerry::root_region().create();
    skerry::region left = top.create();
    skerry::region right = top.create();
    int* const x = left.make<int>(0);
    int* const y = right.make<int>(0);
    std::atomic<int> wrong{0};
    runtime.run([&] {
        for (int i = 0; i < 50; ++i) {
            spawn([](int& v) { ++v; }, inout(*x));
            spawn([](int& v) { ++v; }, inout(*y));
            spawn([x](skerry::region& r) { *x += r.exists() ? 10 : 0; }, inout(left));
            spawn([x, y, i, &wrong](const skerry::region&) { wrong += *x == 11 * (i + 1) && *y == i + 1 ? 0 : 1; },
                  in(top));
            if (i % 10 == 0) { // objects made later belong to it too, but not while a task may be reading there
                taskwait();
                int* const z = right.make<int>(5);
                spawn([](int& v) { v = 7; }, inout(*z));
                spawn([z, &wrong](const skerry::region&) { wrong += *z == 7 ? 0 : 1; }, in(right));
            }
        }
    });
    EXPECT_EQ(wrong, 0);
    top.destroy_all();
}

TEST_P(DataflowOrder, TaskwaitOnWaitsForThoseTasksOnly) {
    int x = 0;
    int y = 0;
    barrier gate;
    runtime.run([&] {
        if (alone()) {
            gate.open();
        }
        spawn([&gate](int& v) { gate.pass(), v = 1; }, out(x));
        spawn([](int& v) { v = 2; }, out(y));
        taskwait_on(in(y));
        EXPECT_EQ(y, 2);
        gate.open(); // had the wait been for x too, it would not have come here
        taskwait_on(inout(x), in(y));
        EXPECT_EQ(x, 1);
    });
}

TEST_P(DataflowOrder, TaskwaitForgetsNamesAndOrderIsKeptAcrossIt) {
    std::vector<int> v(1000, 0);
    runtime.run([&] {
        for (int round = 0; round < 5; ++round) {
            for (int& x : v) {
                spawn([](int& e) { ++e; }, inout(x));
            }
            taskwait();
            for (const int x : v) {
                ASSERT_EQ(x, round + 1);
            }
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Workers, DataflowOrder, testing::Values(1U, 2U, 7U));

using skerry::detail::access;
using skerry::detail::access_kind;
using skerry::detail::access_mode;
using skerry::detail::name_table;

access bytes(std::uintptr_t first, std::size_t extent) {
    return {first, {extent}, access_mode::inout, access_kind::bytes};
}

// So many objects of up to 2^bits bytes in so many bytes. After each `round` of them half of the names are used again,
// if that is not 0.
void find_what_it_has(std::size_t objects, std::uint64_t range, std::uint64_t bits, std::size_t round = 0) {
    name_table t;
    // Objects of many sizes; each new one is compared with all that came before, by definition.
    std::vector<name_table::entry*> all;
    std::uint64_t random = 1;
    const auto next = [&random](std::uint64_t bound) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        return (random >> 33) % bound;
    };
    std::size_t with_hooks = 0;
    std::size_t used_again = 0;
    for (std::size_t i = 0; i < objects; ++i) {
        const access a = bytes(0x1000 + next(range), std::size_t{1} + next(std::uint64_t{1} << next(bits)));
        const std::size_t before = t.size();
        name_table::entry& e = t.at(a);
        ASSERT_EQ(&e, &t.at(a));
        if (t.size() == before) {
            continue;
        }
        std::size_t expected = 0;
        for (name_table::entry* other : all) {
            const bool overlap = skerry::detail::overlapping(other->name, a);
            expected += overlap ? 1 : 0;
            ASSERT_EQ(std::ranges::count(e.hooks, other), overlap ? 1 : 0);
        }
        ASSERT_EQ(e.hooks.size(), expected);
        with_hooks += e.hooks.empty() ? 0 : 1;
        all.push_back(&e);
        if (round != 0 && all.size() % round == 0) {
            std::vector<name_table::entry*> over;
            t.reuse([&](name_table::entry& each) {
                const bool ended = next(2) == 0;
                if (ended) {
                    over.push_back(&each);
                }
                return ended;
            });
            std::erase_if(all, [&](name_table::entry* each) { return std::ranges::find(over, each) != over.end(); });
            ASSERT_EQ(t.size(), all.size());
            used_again += over.size();
            for (const name_table::entry* const each : all) {
                for (const name_table::entry* const hook : each->hooks) {
                    ASSERT_TRUE(std::ranges::find(all, hook) != all.end());
                }
            }
        }
    }
    EXPECT_TRUE(round == 0 || used_again > objects / 2);
    EXPECT_GT(with_hooks, objects / 2);
    EXPECT_EQ(t.overlaps(), with_hooks);
    t.clear();
    EXPECT_EQ(t.size(), 0U);
    EXPECT_TRUE(t.at(bytes(0x1000, 8)).hooks.empty());
}
TEST(NameTable, FindsWhatItHasAndEveryOverlap) { find_what_it_has(2'000, 100'000, 14); }
TEST(NameTable, FindsItByCells) { find_what_it_has(800, 4'000'000, 22); }
TEST(NameTable, FindsItAmongNamesUsedAgain) {
    find_what_it_has(2'000, 100'000, 14, 150);
    find_what_it_has(800, 4'000'000, 22, 150);
}

} // namespace
