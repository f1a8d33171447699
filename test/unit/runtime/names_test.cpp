// SPDX-License-Identifier: Apache-2.0

// Whatever takes a named body shows the name in a trace, where a thief runs it and where its own worker does.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <filesystem>
#include <forward_list>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skerry/skerry.hpp>

#include "../trace/picture.hpp"

namespace {

using skerry::named;
using skerry_test::picture;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

// The slices of a run with two workers, by category.
template <class F>
std::map<std::string, std::multiset<std::string>> slices_of(F program) {
    const std::string path = (std::filesystem::path(testing::TempDir()) /
                              ("skerry_names_" + std::to_string(std::random_device{}()) + ".json"))
                                 .string();
    {
        skerry::options o;
        o.workers = 2;
        o.trace = path;
        skerry::runtime(o).run(program);
    }
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    std::filesystem::remove(path);
    std::map<std::string, std::multiset<std::string>> names;
    const picture seen(text.str());
    for (const auto& [where, slices] : seen.slices) {
        for (const auto& s : slices) {
            names[s.category].insert(s.name);
        }
    }
    return names;
}

// A place where calls wait until there are two threads: so a thief has taken a part.
class meeting {
  public:
    void come() {
        std::thread::id nobody{};
        const std::thread::id self = std::this_thread::get_id();
        if (!first_.compare_exchange_strong(nobody, self) && nobody != self) {
            both_ = true;
        }
        while (!both_) {
            std::this_thread::yield();
        }
    }

  private:
    std::atomic<std::thread::id> first_{};
    std::atomic<bool> both_{false};
};

// Tasks of their own, whoever runs them.
TEST(Names, OfTasks) {
    const auto seen = slices_of([] {
        const auto nothing = [] {};
        skerry::submit(named<"of submit">(nothing)).get();
        skerry::task_group group;
        group.run(named<"of a group">(nothing));
        group.wait();
        skerry::finish([&](skerry::scope& outer) {
            outer.async(named<"of async">(nothing));
            skerry::finish([&](skerry::scope&) { outer.async(named<"of async from within">(nothing)); });
            group.run([&] { outer.async(named<"of async from apart">(nothing)); });
            group.wait();
        });
        int x = 0;
        skerry::spawn(named<"of spawn">([](int& y) { ++y; }), skerry::inout(x));
        skerry::spawn(named<"of spawn [with F = nobody]">([](int& y) { ++y; }), skerry::inout(x));
        skerry::taskwait();
    });
    for (const char* const name : {"of submit", "of a group", "of async", "of async from within", "of async from apart",
                                   "of spawn", "of spawn [with F = nobody]"}) {
        EXPECT_THAT(seen.at("start"), Contains(name).Times(1));
    }
}

TEST(Names, OfBranches) {
    const auto seen = slices_of([] {
        meeting pair;
        skerry::parallel_invoke(named<"left">([&] { pair.come(); }), named<"right">([&] { pair.come(); }));
        meeting copies; // branches that are called as they lie in the task
        const auto come = named<"by value">([m = &copies] { m->come(); });
        static_cast<void>(skerry::parallel_invoke(come, [m = &copies] {
            m->come();
            return 1;
        }));
        meeting three;
        skerry::parallel_invoke(named<"first">([&] { three.come(); }), named<"second">([&] { three.come(); }),
                                named<"third">([] {}));
        skerry::parallel_invoke(named<"alone">([] {}));
        skerry::finish(named<"body of finish">([](skerry::scope&) {}));
        skerry::blocking(named<"blocking call">([] {}));
    });
    EXPECT_THAT(seen.at("start"), Contains("right").Times(1));
    EXPECT_THAT(seen.at("start"), Contains("second, third").Times(1));
    for (const char* const name : {"left", "by value", "first", "second", "alone", "body of finish", "blocking call"}) {
        EXPECT_THAT(seen.at("section"), Contains(name).Times(1));
    }
    EXPECT_EQ(seen.at("section").count("third") + seen.at("start").count("third"), 1U); // which may be taken back
    EXPECT_THAT(seen.at("section"), Not(Contains("right")));                            // a task of its own
}

TEST(Names, OfABranchThatNobodyTakes) {
    const auto seen = slices_of([] {
        skerry::options one;
        one.workers = 1;
        skerry::runtime(one).run([] { skerry::parallel_invoke([] {}, named<"untraced">([] {})); });
        for (int i = 0; i < 100; ++i) { // one of them is run in place, unless the thief is always first
            skerry::parallel_invoke([] {}, named<"second">([] {}));
        }
    });
    EXPECT_EQ(seen.at("section").count("second") +
                  (seen.contains("start") ? seen.at("start").count("second") : std::size_t{0}),
              100U);
    EXPECT_THAT(seen.at("section"), Not(Contains("untraced")));
}

TEST(Names, OfTheProgramOfARuntime) {
    EXPECT_THAT(slices_of(named<"program">([] {})).at("section"), Contains("program").Times(1));
    const auto inside = slices_of([] {
        skerry::options o;
        o.workers = 1;
        skerry::runtime(o).run(named<"of nobody's interest">([] {}));
    });
    EXPECT_FALSE(inside.contains("section"));
}

// f(call, name): a call of an algorithm whose body comes to the meeting.
void expect_shown(const char* name, const std::function<void(meeting&)>& call) {
    const auto seen = slices_of([&] {
        meeting m;
        call(m);
    });
    EXPECT_THAT(seen.at("section"), Contains(name).Times(1));
    EXPECT_THAT(seen.at("start"), Contains(name));
    EXPECT_THAT(seen.at("start"), Not(Contains(HasSubstr("named_task"))));
}

TEST(Names, OfLoops) {
    using skerry::grain;
    expect_shown("automatic",
                 [](meeting& m) { skerry::parallel_for(0, 100, named<"automatic">([&](int) { m.come(); })); });
    expect_shown("few", [](meeting& m) { skerry::parallel_for(0, 3, named<"few">([&](int) { m.come(); })); });
    expect_shown("fixed", [](meeting& m) {
        skerry::parallel_for(0, 8, named<"fixed">([&](int) { m.come(); }), grain::fixed(1));
    });
    expect_shown("many", [](meeting& m) {
        skerry::parallel_for(0, 1000, named<"many">([&](int) { m.come(); }), grain::fixed(3));
    });
    std::vector<int> v(100, 1);
    expect_shown("iterators", [&](meeting& m) {
        skerry::parallel_for(v.begin(), v.end(), named<"iterators">([&](int&) { m.come(); }));
    });
    expect_shown("range", [&](meeting& m) { skerry::parallel_for(v, named<"range">([&](int&) { m.come(); })); });
    expect_shown("box", [](meeting& m) {
        skerry::parallel_for(skerry::box<2>{{0, 0}, {10, 10}},
                             named<"box">([&](std::ptrdiff_t, std::ptrdiff_t) { m.come(); }));
    });
    expect_shown("chunks", [](meeting& m) {
        skerry::parallel_for(skerry::box<1>{{0}, {10}}, named<"chunks">([&](std::ptrdiff_t) { m.come(); }),
                             skerry::schedule::chunked);
    });
}

TEST(Names, OfAlgorithms) {
    const std::vector<int> v(1000, 1);
    std::vector<int> out(1000);
    const std::forward_list<int> list(100, 1);
    expect_shown("each", [&](meeting& m) { skerry::parallel_for_each(v, named<"each">([&](int) { m.come(); })); });
    expect_shown("of a list",
                 [&](meeting& m) { skerry::parallel_for_each(list, named<"of a list">([&](int) { m.come(); })); });
    expect_shown("transform", [&](meeting& m) {
        skerry::parallel_transform(v, out.begin(), named<"transform">([&](int x) {
                                       m.come();
                                       return x;
                                   }));
    });
    expect_shown("transform of pairs", [&](meeting& m) {
        skerry::parallel_transform(v, v, out.begin(), named<"transform of pairs">([&](int x, int y) {
                                       m.come();
                                       return x + y;
                                   }));
    });
    expect_shown("copy", [&](meeting& m) {
        skerry::parallel_copy_if(v, out.begin(), named<"copy">([&](int) {
                                     m.come();
                                     return true;
                                 }));
    });
    const auto met = [](meeting& m) {
        return [&m](int x, int y) {
            m.come();
            return x + y;
        };
    };
    expect_shown("reduce",
                 [&](meeting& m) { EXPECT_EQ(skerry::parallel_reduce(v, 0, named<"reduce">(met(m))), 1000); });
    expect_shown("reduce a list",
                 [&](meeting& m) { EXPECT_EQ(skerry::parallel_reduce(list, 0, named<"reduce a list">(met(m))), 100); });
    const auto same = [](meeting& m) {
        return [&m](int x) {
            m.come();
            return x;
        };
    };
    expect_shown("sum", [&](meeting& m) {
        EXPECT_EQ(skerry::parallel_transform_reduce(v, 0, std::plus<>{}, named<"sum">(same(m))), 1000);
    });
    expect_shown("sum in pieces", [&](meeting& m) {
        EXPECT_EQ(skerry::parallel_transform_reduce(v.begin(), v.begin() + 6, 0, std::plus<>{},
                                                    named<"sum in pieces">(same(m)), skerry::grain::fixed(1)),
                  6);
    });
    expect_shown("product", [&](meeting& m) {
        EXPECT_EQ(skerry::parallel_transform_reduce(v, v, 0, named<"product">(met(m)), std::multiplies<>{}), 1000);
    });
    expect_shown("scan", [&](meeting& m) {
        skerry::parallel_inclusive_scan(v, out.begin(), named<"scan">(met(m)));
        EXPECT_EQ(out.back(), 1000);
    });
    expect_shown("exclusive", [&](meeting& m) {
        skerry::parallel_exclusive_scan(v, out.begin(), 0, named<"exclusive">(met(m)));
        EXPECT_EQ(out.back(), 999);
    });
    const auto never = [](meeting& m) {
        return [&m](int) {
            m.come();
            return false;
        };
    };
    expect_shown("find", [&](meeting& m) { EXPECT_EQ(skerry::parallel_find_if(v, named<"find">(never(m))), v.end()); });
    expect_shown("any", [&](meeting& m) { EXPECT_FALSE(skerry::parallel_any_of(v, named<"any">(never(m)))); });
}

// Sorts compare before they fork, so no comparison may wait for another.
TEST(Names, OfSorts) {
    const auto seen = slices_of([] {
        std::vector<std::string> words(5000);
        std::ranges::generate(words, [n = 0]() mutable { return std::to_string(n++ * 7919 % 5000); });
        skerry::parallel_sort(words, named<"sort">(std::less<>{}));
        EXPECT_TRUE(std::ranges::is_sorted(words));
        skerry::parallel_stable_sort(words, std::greater<>{}, named<"by length">(&std::string::size));
        EXPECT_TRUE(std::ranges::is_sorted(words, std::greater<>{}, &std::string::size));
    });
    EXPECT_THAT(seen.at("section"), Contains("sort").Times(1));
    EXPECT_THAT(seen.at("section"), Contains("by length").Times(1));
}

// A name stands in the type of a body; those that are around it in the program are none of its business.
TEST(Names, OfWhatIsAroundATaskAreNotIts) {
    const auto seen = slices_of([] { skerry::submit(named<"outer">([] { skerry::submit([] {}).get(); })).get(); });
    EXPECT_THAT(seen.at("start"), Contains("outer").Times(1));
}

struct counting_task : skerry::task {
    explicit counting_task(meeting& m) : at(m) {}
    void execute() override { at.come(); }
    meeting& at;
};
struct parent_task : skerry::task {
    void execute() override {
        meeting m;
        counting_task a(m);
        counting_task b(m);
        reference_count = 2;
        spawn(&a);
        spawn(&b);
        wait(this);
    }
};

TEST(Names, OfLowLevelTasksAreTheirClasses) {
    const auto seen = slices_of([] {
        parent_task root;
        skerry::task::run_root(root);
    });
    EXPECT_THAT(seen.at("start"), Contains(HasSubstr("counting_task::execute")).Times(1));
}

} // namespace
