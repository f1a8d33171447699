// SPDX-License-Identifier: Apache-2.0

// How long a parent remembers the names of what its children have accessed.

#include "runtimes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <span>
#include <stdexcept>
#include <vector>

#include <skerry/finish.hpp>
#include <skerry/forkjoin.hpp>
#include <skerry/partition.hpp>
#include <skerry/region.hpp>

#include "deps/name_table.hpp"
#include "deps/task_scope.hpp"

namespace {

using dataflow_test::Dataflow;
using skerry::in;
using skerry::inout;
using skerry::out;
using skerry::spawn;
using skerry::taskwait_on;
using skerry::detail::access;
using skerry::detail::access_kind;
using skerry::detail::access_mode;
using skerry::detail::name_table;
using skerry::detail::task_scope;

constexpr std::size_t few = task_scope::few_names;
constexpr std::size_t enough = few + few / 4; // it is not looked at each wait

// Of the task that runs now.
std::size_t known_names() {
    const task_scope* const scope = task_scope::existing(skerry::detail::current_place().parent);
    return scope != nullptr ? scope->names() : 0;
}

void add_one(int& x) { ++x; }

// Spawns a task for each object inside of one finish.
void batch(std::span<int> objects) {
    skerry::finish([&](skerry::scope&) {
        for (int& x : objects) {
            spawn(add_one, inout(x));
        }
    });
}

class DataflowNames : public Dataflow {};
INSTANTIATE_TEST_SUITE_P(Workers, DataflowNames, testing::Values(1U, 2U, 7U));

TEST_P(DataflowNames, ManySmallFinishesForgetThem) {
    std::vector<int> v(8 * few, 0);
    runtime.run([&] {
        std::size_t most = 0;
        for (int& x : v) {
            batch({&x, 1});
            most = std::max(most, known_names());
        }
        EXPECT_LE(most, enough);
        EXPECT_GT(most, few / 2); // now and then, and not each time
    });
    EXPECT_EQ(std::ranges::count(v, 1), std::ssize(v));
}

TEST(DataflowNamesOutside, ManySmallFinishesForgetThem) {
    std::vector<int> v(8 * few, 0);
    std::size_t most = 0;
    for (int& x : v) {
        batch({&x, 1});
        most = std::max(most, known_names());
    }
    EXPECT_LE(most, enough);
    EXPECT_EQ(std::ranges::count(v, 1), std::ssize(v));
}

// With one worker, whose children have ended when they have run.
TEST(DataflowNamesAlone, ManyWaitsForOneObjectForgetThem) {
    std::vector<int> v(8 * few, 0);
    skerry::options o;
    o.workers = 1;
    skerry::runtime runtime(o);
    runtime.run([&] {
        std::size_t most = 0;
        for (int& x : v) {
            spawn(add_one, inout(x));
            taskwait_on(in(x));
            EXPECT_EQ(x, 1);
            most = std::max(most, known_names());
        }
        EXPECT_LE(most, enough);
    });
}

TEST_P(DataflowNames, ThoseOfEachRoundAreKept) {
    constexpr std::size_t large = 3 * few;
    std::vector<int> v(10 * large, 0);
    const std::span<int> all(v);
    runtime.run([&] {
        for (int round = 0; round < 5; ++round) { // the same again and again: nothing new appears
            batch(all.first(large));
            EXPECT_EQ(known_names(), large);
        }
        std::size_t most = 0;
        for (std::size_t at = large; at < all.size(); at += large) {
            batch(all.subspan(at, large));
            most = std::max(most, known_names());
        }
        EXPECT_EQ(most, 2 * large);
    });
    EXPECT_EQ(std::ranges::count(v, 1), std::ssize(v) - static_cast<std::ptrdiff_t>(large));
    EXPECT_EQ(std::ranges::count(v, 5), static_cast<std::ptrdiff_t>(large));
}

TEST_P(DataflowNames, ThoseOfUnwrittenObjectsAreKept) {
    std::vector<int> v(4 * few, 0);
    const std::span<int> all(v);
    int x = 0;
    int y = 0;
    runtime.run([&] {
        const auto forget = [&] {
            batch(all.first(few));
            EXPECT_GT(known_names(), few / 2);
            for (int round = 0; known_names() >= few; ++round) {
                ASSERT_LT(round, 4);
                batch(all.subspan(static_cast<std::size_t>(round) * few, few));
            }
        };
        spawn([](int&) { throw std::runtime_error("no x"); }, out(x));
        EXPECT_THROW(skerry::taskwait_on(in(x)), std::runtime_error);
        forget();
        const auto copy = [](const int& from, int& to) { to = from + 1; };
        skerry::finish([&](skerry::scope&) { spawn(copy, in(x), out(y)); });
        EXPECT_EQ(y, 0) << "nobody has written what it reads";
        skerry::finish([&](skerry::scope&) { spawn([](int& to) { to = 5; }, out(x)); });
        forget();
        skerry::finish([&](skerry::scope&) { spawn(copy, in(x), out(y)); });
        EXPECT_EQ(y, 6);
    });
}

// Two branches spawn and forget beside each other; each object's tasks overlap the whole's of their branch.
TEST_P(DataflowNames, AreForgottenWhileAnotherBranchSpawns) {
    constexpr std::size_t half = 4 * few;
    std::vector<int> v(2 * half, 0);
    const auto branch = [](std::span<int> mine) {
        constexpr std::size_t together = 8;
        for (std::size_t at = 0; at < mine.size(); at += together) {
            const std::span<int> now = mine.subspan(at, together);
            skerry::finish([&](skerry::scope&) {
                for (int& x : now) {
                    spawn(add_one, inout(x));
                }
                spawn(
                    [](std::span<int> part) {
                        for (int& x : part) {
                            x *= 3;
                        }
                    },
                    inout(now));
                for (int& x : now) {
                    spawn(add_one, inout(x));
                }
            });
        }
    };
    runtime.run([&] {
        const std::span<int> all(v);
        skerry::parallel_invoke([&] { branch(all.first(half)); }, [&] { branch(all.subspan(half)); });
    });
    EXPECT_EQ(std::ranges::count(v, 4), std::ssize(v));
}

TEST(NameTable, KeepsWhatIsUnwrittenWithItsOverlaps) {
    const auto bytes = [](std::uintptr_t first, std::size_t extent) {
        return access{first, {extent}, access_mode::inout, access_kind::bytes};
    };
    std::vector<double> array(100);
    const auto blocks = skerry::partition(array, 10);
    std::vector<decltype(inout(blocks(0)))> parts; // which the accesses point to
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        parts.push_back(inout(blocks(i)));
    }
    const auto part = [&parts](std::size_t i) { return parts[i].describe(); };
    name_table t;
    for (std::uintptr_t at = 64; at < 6400; at += 64) {
        static_cast<void>(t.at(bytes(at, 64)));
    }
    static_cast<void>(t.at(bytes(64, 6336)));
    for (std::size_t i = 0; i < 10; ++i) {
        static_cast<void>(t.at(part(i)));
    }
    t.set_unwritten(bytes(640, 64), 7);
    t.set_unwritten(part(3), 9);
    ASSERT_TRUE(t.forget_written());
    EXPECT_EQ(t.size(), 2U);
    static_cast<void>(t.at(bytes(64, 6336)));
    EXPECT_EQ(t.unwritten(bytes(64, 6336)), 7U);
    static_cast<void>(t.at(bytes(704, 64)));
    EXPECT_EQ(t.unwritten(bytes(704, 64)), skerry::detail::no_child);
    EXPECT_EQ(t.unwritten(part(3)), 9U);
    static_cast<void>(t.at(part(4)));
    EXPECT_EQ(t.unwritten(part(4)), skerry::detail::no_child);
    t.set_unwritten(bytes(640, 64), skerry::detail::no_child);
    t.set_unwritten(part(3), skerry::detail::no_child);
    ASSERT_TRUE(t.forget_written());
    EXPECT_EQ(t.size(), 0U);
}

access of(const skerry::region& r) { return {r.id(), {0}, access_mode::inout, access_kind::region}; }

access of(const int& x) {
    return {reinterpret_cast<std::uintptr_t>(&x), {sizeof x}, access_mode::inout, access_kind::bytes};
}

class NameTableRegions : public testing::Test { // NOLINT(cppcoreguidelines-virtual-class-destructor): gtest derives
  public:
    NameTableRegions(const NameTableRegions&) = delete;
    NameTableRegions& operator=(const NameTableRegions&) = delete;

  protected:
    NameTableRegions() = default;
    ~NameTableRegions() override { top.destroy_all(); }

    // What a name that is in the table already, or appears, is ordered with besides its own accesses.
    std::vector<access> hooks(const access& a) {
        std::vector<access> names;
        for (const name_table::entry* e : t.at(a).hooks) {
            names.push_back(e->name);
        }
        return names;
    }

    skerry::region top = skerry::root_region().create();
    name_table t;
};

MATCHER_P(Names, what, "") { return same_name(arg, what); }

TEST_F(NameTableRegions, FindWhatIsAroundAndWithin) {
    using testing::IsEmpty;
    using testing::UnorderedElementsAre;
    skerry::region left = top.create();
    skerry::region inner = left.create().create();
    skerry::region right = top.create();
    const int& x = *inner.make<int>(1);
    const int& y = *left.make<int>(2);
    const int& z = *right.make<int>(3);
    EXPECT_THAT(hooks(of(x)), IsEmpty()); // before a region has been named
    EXPECT_THAT(hooks(of(left)), UnorderedElementsAre(Names(of(x))));
    EXPECT_THAT(hooks(of(right)), IsEmpty());
    EXPECT_THAT(hooks(of(y)), UnorderedElementsAre(Names(of(left))));
    EXPECT_THAT(hooks(of(z)), UnorderedElementsAre(Names(of(right))));
    EXPECT_THAT(hooks(of(inner)), UnorderedElementsAre(Names(of(left)), Names(of(x))));
    EXPECT_THAT(hooks(of(top)), UnorderedElementsAre(Names(of(left)), Names(of(right)), Names(of(inner)), Names(of(x)),
                                                     Names(of(y)), Names(of(z))));
    const int& late = *inner.make<int>(4);
    EXPECT_THAT(hooks(of(late)), UnorderedElementsAre(Names(of(top)), Names(of(left)), Names(of(inner))));
}

// Memory that nobody uses goes to another region, where the same names are used for what is made there.
TEST_F(NameTableRegions, FollowMemoryToAnotherRegion) {
    using testing::Contains;
    for (const bool named_before : {true, false}) {
        skerry::region first = top.create();
        const int* x = first.make<int>(1);
        t.at(of(*x));
        t.at(of(first));
        first.destroy_all();
        skerry::region second = top.create();
        if (named_before) {
            t.at(of(second));
        }
        const int* again = second.make<int>(2);
        for (int i = 0; i < 1000 && again != x; ++i) {
            again = second.make<int>(2);
        }
        ASSERT_EQ(again, x) << "the page has not been used again, and this test shows nothing";
        if (!named_before) {
            t.at(of(*again));
            EXPECT_THAT(hooks(of(second)), Contains(Names(of(*again))));
        } else {
            EXPECT_THAT(hooks(of(*again)), Contains(Names(of(second))));
        }
    }
}

// So do the elements of a container that has them at the same place again.
TEST_F(NameTableRegions, ElementsFollowMemoryToAnotherRegion) {
    int container = 0;
    skerry::region first = top.create();
    const int* x = first.make<int>(1);
    t.at(of(first));
    t.hold(t.at(of(container)), reinterpret_cast<std::uintptr_t>(x), sizeof *x);
    first.destroy_all();
    skerry::region second = top.create();
    const int* again = second.make<int>(2);
    for (int i = 0; i < 1000 && again != x; ++i) {
        again = second.make<int>(2);
    }
    ASSERT_EQ(again, x) << "the page has not been used again, and this test shows nothing";
    t.hold(t.at(of(container)), reinterpret_cast<std::uintptr_t>(x), sizeof *x);
    EXPECT_THAT(hooks(of(second)), testing::Contains(Names(of(container))));
}

// Regions that come and go, with few names, leave nothing behind.
TEST_F(NameTableRegions, ThatAreGoneAreForgotten) {
    skerry::region named = top.create();
    t.at(of(named));
    for (int i = 0; i < 1000; ++i) {
        skerry::region r = top.create();
        t.at(of(*r.make<int>(i)));
        r.destroy_all();
    }
    EXPECT_LE(t.regions_known(), 200U);
}

// With how many names those of a spawn are compared does not depend on how many other regions are named.
TEST_F(NameTableRegions, AreFoundWithoutLookingAtOthers) {
    std::vector<std::uint64_t> few_compared;
    for (const std::size_t regions : {std::size_t{10}, std::size_t{10'000}}) {
        name_table names;
        std::vector<skerry::region> all;
        for (std::size_t i = 0; i < regions; ++i) {
            all.push_back(top.create());
            names.at(of(*all.back().make<int>(0)));
            names.at(of(all.back()));
        }
        const std::uint64_t before = names.searches();
        std::vector<std::uint64_t> compared;
        const auto appears = [&](const access& a) {
            const std::uint64_t so_far = names.compared();
            names.at(a);
            compared.push_back(names.compared() - so_far);
        };
        static constexpr int outside = 0;
        std::vector<int> large(1'000'000);
        appears(of(*all[regions / 2].make<int>(1)));
        appears(of(outside));
        appears(
            {reinterpret_cast<std::uintptr_t>(large.data()), {4 * large.size()}, access_mode::in, access_kind::bytes});
        skerry::region unnamed = top.create();
        appears(of(*unnamed.make<int>(1)));
        appears(of(unnamed));
        appears(of(all[regions / 3].create()));
        EXPECT_EQ(names.searches() - before, 6U);
        if (few_compared.empty()) {
            few_compared = compared;
        }
        for (std::size_t i = 0; i < compared.size(); ++i) {
            EXPECT_LE(compared[i], few_compared[i]) << i << " with " << regions;
        }
    }
}

TEST_F(NameTableRegions, AreUsedAgain) {
    using testing::IsEmpty;
    using testing::UnorderedElementsAre;
    skerry::region inner = top.create().create();
    const int& x = *inner.make<int>(1);
    const int& y = *inner.make<int>(2);
    std::vector<double> array(100);
    const auto blocks = skerry::partition(array, 10);
    const auto first = inout(blocks(0));
    const auto second = inout(blocks(1));
    const access whole{reinterpret_cast<std::uintptr_t>(array.data()), {800}, access_mode::inout, access_kind::bytes};
    for (int round = 0; round < 3; ++round) {
        EXPECT_EQ(hooks(of(x)).size(), round == 0 ? 0U : 1U);
        t.at(of(inner));
        t.at(of(y));
        t.at(first.describe());
        t.at(second.describe());
        EXPECT_THAT(hooks(whole), UnorderedElementsAre(Names(first.describe()), Names(second.describe())));
        t.reuse([&](const name_table::entry& e) { return !same_name(e.name, of(inner)) && !same_name(e.name, whole); });
        EXPECT_EQ(t.size(), 2U);
        EXPECT_THAT(hooks(of(inner)), IsEmpty()) << "nobody uses what it has met";
        EXPECT_THAT(hooks(whole), IsEmpty());
        EXPECT_THAT(hooks(first.describe()), UnorderedElementsAre(Names(whole)));
        EXPECT_THAT(hooks(of(y)), UnorderedElementsAre(Names(of(inner))));
        t.reuse([&](const name_table::entry& e) { return !same_name(e.name, of(inner)); });
        EXPECT_EQ(t.size(), 1U);
    }
    t.reuse([](const name_table::entry&) { return true; });
    EXPECT_EQ(t.size(), 0U);
    EXPECT_THAT(hooks(of(x)), IsEmpty());
    EXPECT_THAT(hooks(of(top)), UnorderedElementsAre(Names(of(x))));
}

TEST(NameTable, UsesNoNameAgainThatIsNeeded) {
    name_table t;
    std::vector<int> v(8);
    const access container{
        reinterpret_cast<std::uintptr_t>(&v), {sizeof(std::vector<int>)}, access_mode::inout, access_kind::bytes};
    t.hold(t.at(container), reinterpret_cast<std::uintptr_t>(v.data()), 8 * sizeof(int));
    t.at(of(v[1]));
    const int x = 0;
    t.at(of(x));
    t.set_unwritten(of(x), 7);
    t.reuse([](const name_table::entry&) { return true; });
    EXPECT_EQ(t.size(), 3U) << "the container, its elements, and what is unwritten";
    EXPECT_EQ(t.unwritten(of(x)), 7U);
    EXPECT_EQ(t.at(of(v[1])).hooks.size(), 1U);
}

std::size_t resident_bytes() {
    std::ifstream file("/proc/self/statm");
    std::size_t all = 0;
    std::size_t resident = 0;
    file >> all >> resident;
    return resident * 4096;
}

// As many names as there are, and no wait: those whose tasks have ended are used again.
TEST(DataflowNamesAlone, TenMillionObjectsWithoutAWaitNeedFewNames) {
#ifdef SKERRY_SANITIZED
    constexpr std::size_t objects = 300'000;
#else
    constexpr std::size_t objects = 10'000'000;
#endif
    constexpr std::size_t at_a_time = 100'000;
    std::vector<unsigned char> v(objects, 0);
    skerry::options o;
    o.workers = 2;
    skerry::runtime runtime(o);
    runtime.run([&] {
        [[maybe_unused]] const std::size_t before = resident_bytes();
        std::size_t most = 0;
        std::size_t most_names = 0;
        for (std::size_t i = 0; i < objects; ++i) {
            spawn([](unsigned char& x) { x = 1; }, out(v[i]));
            if (i % at_a_time == 0) {
                most = std::max(most, resident_bytes());
                most_names = std::max(most_names, known_names());
            }
        }
        most = std::max(most, resident_bytes());
        EXPECT_LE(most_names, std::size_t{1} << 15);
#ifndef SKERRY_SANITIZED // which keep memory that has been freed
        EXPECT_LE(most - std::min(most, before), std::size_t{96} << 20);
#endif
    });
    EXPECT_EQ(std::ranges::count(v, 1), std::ssize(v));
}

} // namespace
