// SPDX-License-Identifier: Apache-2.0

// Algorithms inside of a group that is cancelled: before, from one of their own calls, and from outside. They call
// nothing that has not begun, and end with skerry::cancelled.

#include <algorithm>
#include <atomic>
#include <compare>
#include <cstdint>
#include <functional>
#include <latch>
#include <list>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <skerry/detail/frontend/algorithm/pace.hpp>
#include <skerry/skerry.hpp>

namespace {

using skerry::box;
using skerry::grain;
using skerry::group_status;
using skerry::schedule;
using skerry::task_group;

constexpr int many = 2000;

using call = std::function<void()>;

// An algorithm that calls f for each of `many` elements or pairs of them, unless it is cut short. A piece that has
// begun may go on for `longest` calls.
struct algorithm {
    const char* name;
    int longest;
    void (*run)(const call& f);
};

const auto one = grain::fixed(1);
const auto ten = grain::fixed(10);

std::vector<int> ones() { return std::vector<int>(many, 1); }
// Integers that are no key of a radix sort, since they are compared by a function of the test's.
std::vector<int> shuffled() {
    std::vector<int> v(many);
    for (int i = 0; i < many; ++i) {
        v[static_cast<std::size_t>(i)] = static_cast<int>(std::int64_t{i} * 7919 % many);
    }
    return v;
}
template <class T>
T called(const call& f, T result) {
    f();
    return result;
}
auto adding(const call& f) {
    return [&f](long a, long b) { return called(f, a + b); };
}
auto same(const call& f) {
    return [&f](int x) { return called(f, x); };
}
auto never(const call& f) {
    return [&f](int) { return called(f, false); };
}

// A sort that is cut short leaves a permutation.
template <class Sort, class T>
void expect_permutation(std::vector<T> v, const Sort& sort) {
    std::vector<T> expected = v;
    try {
        sort(v);
    } catch (const skerry::cancelled&) {
        std::ranges::sort(v);
        std::ranges::sort(expected);
        EXPECT_TRUE(v == expected);
        throw;
    }
}

const std::vector<algorithm> algorithms = {
    {"for", 1, [](const call& f) { skerry::parallel_for(0, many, [&f](int) { f(); }); }},
    {"for one", 1, [](const call& f) { skerry::parallel_for(0, many, [&f](int) { f(); }, one); }},
    {"for ten", 10, [](const call& f) { skerry::parallel_for(0, many, [&f](int) { f(); }, ten); }},
    {"for iterators", 1,
     [](const call& f) {
         const std::vector<int> v = ones();
         skerry::parallel_for(v.begin(), v.end(), [&f](int) { f(); });
     }},
    {"for range", 10, [](const call& f) { skerry::parallel_for(ones(), [&f](int) { f(); }, ten); }},
    {"box 1", 1, [](const call& f) { skerry::parallel_for(box<1>{{0}, {many}}, [&f](std::ptrdiff_t) { f(); }); }},
    {"box of one row", 1,
     [](const call& f) {
         skerry::parallel_for(box<2>{{0, 0}, {1, many}}, [&f](std::ptrdiff_t, std::ptrdiff_t) { f(); });
     }},
    {"box 3", 1,
     [](const call& f) {
         skerry::parallel_for(box<3>{{0, 0, 0}, {10, 20, 10}},
                              [&f](std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t) { f(); });
     }},
    {"box ten", 10,
     [](const call& f) {
         skerry::parallel_for(box<2>{{0, 0}, {many / 10, 10}}, [&f](std::ptrdiff_t, std::ptrdiff_t) { f(); }, ten);
     }},
    {"box chunked", 10,
     [](const call& f) {
         skerry::parallel_for(
             box<2>{{0, 0}, {many / 10, 10}}, [&f](std::ptrdiff_t, std::ptrdiff_t) { f(); }, ten, schedule::chunked);
     }},
    {"box chunked without a grain", 1,
     [](const call& f) {
         skerry::parallel_for(
             box<2>{{0, 0}, {many / 10, 10}}, [&f](std::ptrdiff_t, std::ptrdiff_t) { f(); }, schedule::chunked);
     }},
    {"for_each of a list", 1,
     [](const call& f) {
         const std::list<int> l(many);
         skerry::parallel_for_each(l, [&f](int) { f(); });
     }},
    {"for_each of a source", 1,
     [](const call& f) {
         skerry::parallel_for_each([i = 0]() mutable -> const int* { return ++i <= many ? &i : nullptr; },
                                   [&f](const int&) { f(); });
     }},
    {"transform", 1,
     [](const call& f) {
         std::vector<int> out(many);
         skerry::parallel_transform(ones(), out.begin(), same(f));
     }},
    {"reduce", 3, [](const call& f) { skerry::parallel_reduce(ones(), 0L, adding(f)); }},
    {"reduce one", 1, [](const call& f) { skerry::parallel_reduce(ones(), 0L, adding(f), one); }},
    {"transform_reduce", 1,
     [](const call& f) { skerry::parallel_transform_reduce(ones(), 0, std::plus<>(), same(f)); }},
    {"transform_reduce one", 1,
     [](const call& f) { skerry::parallel_transform_reduce(ones(), 0, std::plus<>(), same(f), one); }},
    {"transform_reduce of strings", 4,
     [](const call& f) {
         skerry::parallel_transform_reduce(ones(), std::string(), std::plus<>(),
                                           [&f](int) { return called(f, std::string("x")); });
     }},
    {"reduce of a list", 1,
     [](const call& f) {
         const std::list<long> l(many, 1);
         skerry::parallel_reduce(l, 0L, adding(f));
     }},
    {"inclusive_scan", 1,
     [](const call& f) {
         std::vector<long> out(many);
         skerry::parallel_inclusive_scan(std::vector<long>(many, 1), out.begin(), adding(f));
     }},
    {"exclusive_scan", 10,
     [](const call& f) {
         std::vector<long> out(many);
         skerry::parallel_exclusive_scan(std::vector<long>(many, 1), out.begin(), 0L, adding(f), ten);
     }},
    {"find_if", 1,
     [](const call& f) {
         const std::vector<int> v = ones();
         static_cast<void>(skerry::parallel_find_if(v, never(f)));
     }},
    {"find_if ten", 10,
     [](const call& f) {
         const std::vector<int> v = ones();
         static_cast<void>(skerry::parallel_find_if(v, never(f), ten));
     }},
    {"any_of", 1, [](const call& f) { static_cast<void>(skerry::parallel_any_of(ones(), never(f))); }},
    {"none_of", 1, [](const call& f) { static_cast<void>(skerry::parallel_none_of(ones(), never(f), one)); }},
    {"all_of", 1,
     [](const call& f) { static_cast<void>(skerry::parallel_all_of(ones(), [&f](int) { return called(f, true); })); }},
    {"copy_if", 1,
     [](const call& f) {
         std::vector<int> out(many);
         skerry::parallel_copy_if(ones(), out.begin(), never(f));
     }},
    {"copy_if one", 1,
     [](const call& f) {
         std::vector<int> out(many);
         skerry::parallel_copy_if(ones(), out.begin(), never(f), one);
     }},
};

class CancelAlgorithm : public testing::TestWithParam<unsigned> {
  protected:
    // Runs the algorithm as a task of a group; expects that it was cut short.
    void run_in(task_group& g, const algorithm& a, const call& f) {
        bool went_on = false;
        g.run([&] {
            a.run(f);
            went_on = true;
        });
        EXPECT_EQ(g.wait(), group_status::cancelled) << a.name;
        EXPECT_FALSE(went_on) << a.name;
    }
    int workers() const { return static_cast<int>(GetParam()); }

    skerry::runtime rt_{[] {
        skerry::options o;
        o.workers = GetParam();
        return o;
    }()};
};

INSTANTIATE_TEST_SUITE_P(Workers, CancelAlgorithm, testing::Values(1U, 2U, 4U), testing::PrintToStringParamName());

TEST_P(CancelAlgorithm, BeforeItBegins) {
    rt_.run([&] {
        task_group g;
        for (const algorithm& a : algorithms) {
            std::atomic<int> calls = 0;
            bool went_on = false;
            g.run([&] {
                g.cancel();
                a.run([&] { ++calls; });
                went_on = true;
            });
            EXPECT_EQ(g.wait(), group_status::cancelled) << a.name;
            EXPECT_EQ(calls, 0) << a.name;
            EXPECT_FALSE(went_on) << a.name;
        }
    });
}

// Each call waits until the group is cancelled: what has begun by then is one piece of each worker.
TEST_P(CancelAlgorithm, FromOutside) {
    rt_.run([&] {
        task_group g;
        for (const algorithm& a : algorithms) {
            std::atomic<int> calls = 0;
            std::latch begun(1);
            std::latch asked(1);
            std::thread outside([&] {
                begun.wait();
                g.cancel();
                asked.count_down();
            });
            run_in(g, a, [&] {
                if (calls++ == 0) {
                    begun.count_down();
                }
                asked.wait();
                EXPECT_TRUE(skerry::stop_requested()) << a.name;
            });
            outside.join();
            EXPECT_LE(calls, a.longest * workers()) << a.name;
        }
    });
}

TEST_P(CancelAlgorithm, FromOneOfItsCalls) {
    rt_.run([&] {
        task_group g;
        for (const algorithm& a : algorithms) {
            std::atomic<int> after = 0;
            std::atomic<bool> first = true;
            std::atomic<bool> asked = false; // the request is through: of two at once the second does not wait for that
            run_in(g, a, [&] {
                if (asked.load()) {
                    ++after;
                } else if (first.exchange(false)) {
                    g.cancel();
                    asked = true;
                }
            });
            EXPECT_LE(after, a.longest * workers() - 1) << a.name;
        }
    });
}

TEST_P(CancelAlgorithm, NotTheNextOne) {
    rt_.run([&] {
        task_group g;
        for (const algorithm& a : algorithms) {
            std::atomic<int> calls = 0;
            g.run([&] { a.run([&] { ++calls; }); });
            EXPECT_EQ(g.wait(), group_status::complete) << a.name;
            EXPECT_GE(calls, many - 1) << a.name;
        }
    });
}

TEST_P(CancelAlgorithm, SortsLeaveAPermutation) {
    rt_.run([&] {
        task_group g;
        for (const int until : {1, 1000, 30'000}) {
            std::atomic<int> compared = 0;
            const auto less = [&](const auto& x, const auto& y) {
                if (++compared == until) {
                    g.cancel();
                }
                return x < y;
            };
            const auto check = [&](auto v, auto sort) {
                compared = 0;
                g.run([&] { expect_permutation(v, sort); });
                g.wait();
            };
            std::vector<std::string> strings;
            for (const int x : shuffled()) {
                strings.push_back(std::to_string(x) + " is long enough for a block of the heap");
            }
            std::vector<int> large;
            for (int i = 0; i < 20; ++i) {
                const std::vector<int> v = shuffled();
                large.insert(large.end(), v.begin(), v.end());
            }
            check(shuffled(), [&](auto& v) { skerry::parallel_sort(v, less); });
            check(shuffled(), [&](auto& v) { skerry::parallel_stable_sort(v, less); });
            check(large, [&](auto& v) { skerry::parallel_sort(v, less); });
            check(large, [&](auto& v) { skerry::parallel_stable_sort(v, less); });
            check(strings, [&](auto& v) { skerry::parallel_sort(v, less); });
            check(strings, [&](auto& v) { skerry::parallel_stable_sort(v, less); });
        }
    });
}

// Keys in their natural order: a radix sort, which calls nothing but the projection.
TEST_P(CancelAlgorithm, RadixSortsLeaveAPermutation) {
    rt_.run([&] {
        task_group g;
        std::vector<unsigned> v(100'000);
        for (std::size_t i = 0; i < v.size(); ++i) {
            v[i] = static_cast<unsigned>(i * 2'654'435'761U);
        }
        for (const int until : {1, 150'000, 350'000}) {
            std::atomic<int> asked = 0;
            const auto key = [&](unsigned x) {
                if (++asked == until) {
                    g.cancel();
                }
                return x;
            };
            g.run([&] { expect_permutation(v, [&](auto& w) { skerry::parallel_sort(w, std::less<>(), key); }); });
            g.wait();
        }
    });
}

TEST_P(CancelAlgorithm, ASortIsCutShort) {
    rt_.run([&] {
        task_group g;
        std::atomic<int> compared = 0;
        std::vector<int> v;
        for (int i = 0; i < 100; ++i) {
            const std::vector<int> part = shuffled();
            v.insert(v.end(), part.begin(), part.end());
        }
        g.run([&] {
            skerry::parallel_sort(v, [&](int x, int y) {
                if (compared++ == 0) {
                    g.cancel();
                }
                return x < y;
            });
        });
        EXPECT_EQ(g.wait(), group_status::cancelled);
        EXPECT_LT(compared, 200'000); // of some three millions
    });
}

// --- long sequences -------------------------------------------------------------------------------------------------

constexpr int large = 40'000;

// Not plain, so that sorts move it one by one; two of these at once, if it must not be moved to other memory.
template <bool Movable>
struct held {
    int value = 0;

    held() = default;
    explicit held(int v) : value(v) {}
    held(const held&) = default;
    held(held&& other) noexcept(Movable) : value(other.value) {}
    held& operator=(const held&) = default;
    held& operator=(held&& other) noexcept(Movable) {
        value = other.value;
        return *this;
    }
    ~held() { value = -1; }
    auto operator<=>(const held& other) const { return value <=> other.value; }
    bool operator==(const held& other) const { return value == other.value; }
};

template <class T>
std::vector<T> mixed(int n) {
    std::vector<T> v;
    for (int i = 0; i < n; ++i) {
        v.push_back(T(static_cast<int>(std::int64_t{i} * 7919 % n)));
    }
    return v;
}
template <class T>
std::vector<T> ascending(int n) {
    std::vector<T> v;
    for (int i = 0; i < n; ++i) {
        v.push_back(T(i));
    }
    return v;
}

// Sorts, by the comparison, in a group that the call number `at` cancels. A worker makes some hundreds of calls after
// that, and all elements are there. Negative: so many calls before the end.
template <class T, class Sort>
void expect_sort_ends_soon(const std::string& name, int workers, const std::vector<T>& v, std::int64_t at,
                           const Sort& sort) {
    std::atomic<std::int64_t> calls = 0;
    if (at < 0) {
        auto all = v;
        sort(all, [&] { ++calls; });
        at += calls.exchange(0);
        ASSERT_GT(at, 0) << name;
    }
    task_group g;
    std::atomic<int> after = 0;
    const auto count = [&] {
        const std::int64_t now = ++calls;
        if (now == at) {
            g.cancel();
        } else if (now > at) {
            ++after;
        }
    };
    auto sorted = v;
    g.run([&] { sort(sorted, count); });
    EXPECT_EQ(g.wait(), group_status::cancelled) << name;
    EXPECT_GE(calls, at) << name;
    EXPECT_LE(after, 1500 * workers) << name << ", cancelled in call " << at;
    auto expected = v;
    std::ranges::sort(expected);
    std::ranges::sort(sorted);
    EXPECT_TRUE(sorted == expected) << name;
}

const auto sort_with = [](auto& v, const auto& count) {
    skerry::parallel_sort(v, [&](const auto& x, const auto& y) {
        count();
        return x < y;
    });
};
const auto stable_sort_with = [](auto& v, const auto& count) {
    skerry::parallel_stable_sort(v, [&](const auto& x, const auto& y) {
        count();
        return x < y;
    });
};

TEST_P(CancelAlgorithm, SortsEndSoonWhereverTheyAre) {
    rt_.run([&] {
        const auto check = [this](const char* name, const auto& v, std::int64_t at, const auto& sort) {
            expect_sort_ends_soon(name, workers(), v, at, sort);
        };
        check("partition", mixed<held<true>>(large), 1000, sort_with);
        check("merge", mixed<held<true>>(large), -10'000, stable_sort_with);
        check("merge in place", mixed<held<false>>(large), -10'000, stable_sort_with);
        check("sample", mixed<int>(3 * large), 2000, sort_with);
        check("in order", ascending<held<true>>(large), 1000, sort_with);
        check("plain in order", ascending<int>(large), 1000, sort_with);
        check("heap sort", mixed<held<true>>(large), 1000, [](auto& v, const auto& count) {
            const auto less = [&](const auto& x, const auto& y) {
                count();
                return x < y;
            };
            skerry::detail::heap_sort<skerry::detail::forking>(v.begin(), v.end(), less);
        });
    });
}

TEST_P(CancelAlgorithm, RadixSortsEndSoonWhereverTheyAre) {
    rt_.run([&] {
        const auto by_key = [](auto& v, const auto& count) {
            skerry::parallel_sort(v, std::less<>(), [&](int x) {
                count();
                return x;
            });
        };
        for (const int n : {large, 4 * large}) { // one that fits a cache, and one that is cut before
            for (const std::int64_t quarters : {1, 6, 10, 13}) {
                expect_sort_ends_soon("radix", workers(), mixed<int>(n), quarters * n / 4, by_key);
            }
            expect_sort_ends_soon("radix in order", workers(), ascending<int>(n), n / 4, by_key);
        }
    });
}

TEST_P(CancelAlgorithm, ChunkedBoxesEndSoon) {
    rt_.run([&] {
        task_group g;
        std::atomic<int> calls = 0;
        g.run([&] {
            skerry::parallel_for(
                box<2>{{0, 0}, {large / 10, 10}},
                [&](std::ptrdiff_t, std::ptrdiff_t) {
                    if (++calls == 1000) {
                        g.cancel();
                    }
                },
                schedule::chunked);
        });
        EXPECT_EQ(g.wait(), group_status::cancelled);
        EXPECT_LE(calls, 1000 + large / 8); // a block is at most a sixteenth of a chunk
    });
}

// What a thief takes of a source: it asks for elements before it knows how many there are.
TEST_P(CancelAlgorithm, SourcesAreNoLongerAsked) {
    rt_.run([&] {
        struct counted {
            std::atomic<int>* after;
            task_group* g;
            int at;
            std::optional<int> operator()() {
                *after += skerry::stop_requested() ? 1 : 0;
                if (at == 600) { // in the middle of the walk that begins with the element 511
                    g->cancel();
                }
                return at < large ? std::optional(at++) : std::nullopt;
            }
        };
        const auto same_value = [](int x) -> long { return x; };
        using fold = skerry::detail::source_fold<long, std::plus<long>, decltype(same_value)>;
        task_group g;
        std::atomic<int> after = 0;
        g.run([&] {
            counted source{&after, &g, 0};
            skerry::detail::fold_in_parts<skerry::detail::forking, counted, fold>::fold(fold{{}, same_value}, source);
        });
        EXPECT_EQ(g.wait(), group_status::cancelled);
        EXPECT_LE(after, 16 * workers());
    });
}

// --- a search after its match ---------------------------------------------------------------------------------------

template <class Search>
void expect_stop_behind_the_match(const Search& search) {
    std::latch begun(1);
    std::atomic<int> behind = 0;
    std::atomic<int> told = 0;
    search([&](int x) {
        if (x == 0) { // the match waits until somebody looks further right
            EXPECT_FALSE(skerry::stop_requested());
            begun.wait();
            return true;
        }
        if (x >= many / 2) {
            if (behind++ == 0) {
                begun.count_down();
            }
            while (!skerry::stop_requested()) {
                std::this_thread::yield();
            }
            ++told;
            skerry::parallel_invoke([&] { EXPECT_TRUE(skerry::stop_requested()); },
                                    [&] { EXPECT_TRUE(skerry::stop_requested()); });
            EXPECT_TRUE(skerry::submit([] { return 1; }).valid());
        }
        return false;
    });
    EXPECT_GE(told, 1);
    EXPECT_FALSE(skerry::stop_requested());
}

TEST_P(CancelAlgorithm, SearchesStopBehindTheirMatch) {
    if (GetParam() == 1) {
        return; // nobody is behind
    }
    rt_.run([&] {
        std::vector<int> v(many);
        std::iota(v.begin(), v.end(), 0);
        expect_stop_behind_the_match([&](auto p) { EXPECT_EQ(skerry::parallel_find_if(v, p) - v.begin(), 0); });
        expect_stop_behind_the_match([&](auto p) { EXPECT_EQ(skerry::parallel_find_if(v, p, one) - v.begin(), 0); });
        expect_stop_behind_the_match([&](auto p) { EXPECT_TRUE(skerry::parallel_any_of(v, p, ten)); });
    });
}

// What has not begun inside of a predicate behind the match is skipped, as in a cancelled group.
TEST_P(CancelAlgorithm, WhatIsBehindAMatchIsSkipped) {
    if (GetParam() == 1) {
        return; // nobody is behind
    }
    std::vector<int> v(many);
    std::iota(v.begin(), v.end(), 0);
    const auto bodies_of = [&](auto nested) {
        std::latch begun(1);
        std::atomic<bool> first = true;
        std::atomic<int> bodies = 0;
        bool cut_short = false;
        rt_.run([&] {
            const auto found = skerry::parallel_find_if(v, [&](int x) {
                if (x == 0) {
                    begun.wait();
                    return true;
                }
                if (x >= many / 2 && first.exchange(false)) {
                    try {
                        nested([&] {
                            if (bodies++ == 0) {
                                begun.count_down();
                            }
                            while (!skerry::stop_requested()) {
                                std::this_thread::yield();
                            }
                        });
                    } catch (const skerry::cancelled&) {
                        cut_short = true;
                    }
                }
                return false;
            });
            EXPECT_EQ(found - v.begin(), 0);
        });
        EXPECT_TRUE(cut_short);
        return bodies.load();
    };
    EXPECT_EQ(bodies_of([](auto body) {
                  body();
                  skerry::parallel_for(0, many, [&](int) { body(); }, one);
              }),
              1);
    EXPECT_EQ(bodies_of([](auto body) {
                  body();
                  skerry::finish([&](skerry::scope& s) { s.async(body); });
              }),
              1);
    EXPECT_LE(bodies_of([](auto body) { skerry::parallel_for(0, many, [&](int) { body(); }, one); }), GetParam());
}

// What is in front of a match goes on, and so does what belongs to a leaf of its own.
TEST_P(CancelAlgorithm, SearchesGoOnInFrontOfAMatch) {
    rt_.run([&] {
        std::vector<int> v(many);
        std::iota(v.begin(), v.end(), 0);
        for (int round = 0; round < 20; ++round) {
            std::atomic<int> wrongly = 0;
            const auto found = skerry::parallel_find_if(v, [&](int x) {
                wrongly += x <= many / 2 && skerry::stop_requested() ? 1 : 0;
                return x == many / 2 || x == many - 1;
            });
            EXPECT_EQ(found - v.begin(), many / 2);
            EXPECT_EQ(wrongly, 0);
        }
    });
}

// --- the pace of a loop ---------------------------------------------------------------------------------------------

TEST(Pace, BodiesThatTakeLongRunOneByOne) {
    skerry::detail::loop_pace loop;
    EXPECT_EQ(loop.block(1000), 1U);
    std::uint64_t since = 1; // an age ago
    EXPECT_EQ(loop.after(64, 1000, since), 1U);
    EXPECT_EQ(loop.block(1000), 1U);
    EXPECT_GT(since, 1U);
}

// Whatever their share of the leaf.
TEST(Pace, BodiesOfNanosecondsRunAMicrosecondAtATime) {
    skerry::detail::loop_pace loop;
    std::uint64_t since = skerry::detail::loop_pace::now();
    const std::uint64_t next = loop.after(1 << 20, 4, since);
    EXPECT_GT(next, 4U);
    EXPECT_EQ(loop.block(4), next);
}

} // namespace
