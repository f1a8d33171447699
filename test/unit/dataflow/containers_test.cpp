// SPDX-License-Identifier: Apache-2.0

// Containers among the accesses: the container and its elements, and what is left behind when it changes.

#include "runtimes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <skerry/partition.hpp>

using dataflow_test::barrier;
using dataflow_test::Dataflow;
using skerry::in;
using skerry::inout;
using skerry::out;
using skerry::spawn;
using skerry::task_options;
using skerry::taskwait;
using skerry::taskwait_on;

namespace containers_test {

// A container of the program's own, whose elements lie elsewhere, without begin() and end().
struct heap_row {
    std::unique_ptr<int[]> data;
    std::size_t n = 0;

    void assign(std::size_t count, int value) {
        data = std::make_unique<int[]>(count);
        n = count;
        std::fill_n(data.get(), n, value);
    }
};

// Some of its places are used; all lie in the object, which can be copied byte by byte.
struct small_list {
    std::array<int, 8> places{};
    std::size_t used = 0;

    void push(int x) { places[used++] = x; }
    [[nodiscard]] const int* begin() const { return places.data(); }
    [[nodiscard]] const int* end() const { return places.data() + used; }
};

// Stands for elements of somebody else.
struct row_of_others {
    int* first;
    std::size_t n;
};

// A container whose memory the program gives and takes.
struct borrowed {
    row_of_others where;
    ~borrowed() {} // which makes it a container, not a view
};

} // namespace containers_test

template <>
struct skerry::access_traits<containers_test::heap_row> {
    static std::span<const std::byte> bytes(const containers_test::heap_row& r) noexcept {
        return std::as_bytes(std::span(r.data.get(), r.n));
    }
};
template <>
struct skerry::access_traits<containers_test::borrowed> {
    static std::span<const std::byte> bytes(const containers_test::borrowed& r) noexcept {
        return std::as_bytes(std::span(r.where.first, r.where.n));
    }
};
template <>
struct skerry::access_traits<containers_test::row_of_others> {
    static std::span<const std::byte> bytes(const containers_test::row_of_others& r) noexcept {
        return std::as_bytes(std::span(r.first, r.n));
    }
};

namespace {

using containers_test::heap_row;
using containers_test::row_of_others;
using containers_test::small_list;

using Containers = Dataflow;

void fill(std::vector<int>& v) { v.assign(100, 1); }
void sum(const std::vector<int>& v, int& s) { s = std::accumulate(v.begin(), v.end(), 0); }
void nap() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

TEST_P(Containers, AnEmptyOneIsNamed) {
    for (int round = 0; round < 50; ++round) {
        std::vector<int> v;
        int s = 0;
        runtime.run([&] {
            spawn(
                [](std::vector<int>& x) {
                    nap();
                    fill(x);
                },
                out(v));
            spawn(sum, in(v), out(s));
            taskwait();
        });
        ASSERT_EQ(s, 100);
    }
}

TEST_P(Containers, OneThatGrowsAgainAndAgain) {
    std::string text;
    std::vector<int> v;
    std::size_t seen = 0;
    runtime.run([&] {
        for (int i = 0; i < 500; ++i) {
            spawn([](std::string& t) { t.append("ab"); }, inout(text));
            spawn([](const std::string& t, std::size_t& n) { n += t.size(); }, in(text), inout(seen));
            spawn([](std::vector<int>& x) { x.push_back(static_cast<int>(x.size())); }, inout(v));
        }
        taskwait();
    });
    EXPECT_EQ(text.size(), 1'000U);
    EXPECT_EQ(seen, 500U * 501U);
    EXPECT_EQ(v.size(), 500U);
    EXPECT_TRUE(std::ranges::is_sorted(v));
}

TEST_P(Containers, NodesOnTheHeap) {
    std::deque<int> d;
    std::map<int, std::string> m;
    std::optional<std::vector<int>> o;
    int total = 0;
    runtime.run([&] {
        for (int i = 0; i < 200; ++i) {
            spawn([i](std::deque<int>& x) { x.push_front(i); }, inout(d));
            spawn([i](std::map<int, std::string>& x) { x[i] = std::to_string(i); }, inout(m));
            spawn([](std::optional<std::vector<int>>& x) { x.emplace(x ? x->size() + 1 : 1, 3); }, inout(o));
            spawn([](const std::deque<int>& x, const std::map<int, std::string>& y,
                     int& t) { t += static_cast<int>(x.size() + y.size()); },
                  in(d), in(m), inout(total));
        }
        taskwait();
    });
    EXPECT_EQ(d.size(), 200U);
    EXPECT_EQ(m.size(), 200U);
    EXPECT_EQ(o.value_or(std::vector<int>()).size(), 200U);
    EXPECT_EQ(total, 2 * 200 * 201 / 2);
}

TEST_P(Containers, WhoseTraitsTheProgramWrites) {
    heap_row row;
    small_list list;
    int total = 0;
    runtime.run([&] {
        for (int i = 1; i <= 8; ++i) {
            spawn(
                [i](heap_row& r) {
                    nap();
                    r.assign(static_cast<std::size_t>(i) * 100, i);
                },
                out(row));
            spawn(
                [i](small_list& l) {
                    nap();
                    l.push(i);
                },
                inout(list));
            spawn([](const heap_row& r, const small_list& l,
                     int& t) { t = std::accumulate(r.data.get(), r.data.get() + r.n, *std::ranges::max_element(l)); },
                  in(row), in(list), out(total));
        }
        taskwait();
    });
    EXPECT_EQ(total, 800 * 8 + 8);
    EXPECT_EQ(list.used, 8U);
}

// A view names elements alone: one that is changed, and another one of the same elements, are no container.
TEST_P(Containers, ViewsAreTheirElements) {
    std::vector<int> v(100, 1);
    row_of_others half{v.data(), 50};
    row_of_others same{v.data(), 50};
    std::string text = "abc";
    const std::string_view view = text;
    int seen = 0;
    char last = ' ';
    runtime.run([&] {
        spawn(
            [](row_of_others& r) {
                nap();
                std::fill_n(r.first, r.n, 2);
            },
            inout(half));
        spawn([](const row_of_others& r, int& s) { s = std::accumulate(r.first, r.first + r.n, 0); }, in(same),
              out(seen));
        spawn(
            [](std::span<char> s) {
                nap();
                s.back() = 'z';
            },
            inout(std::span(text)));
        spawn([](const std::string_view& s, char& c) { c = s.back(); }, in(view), out(last));
        taskwait();
    });
    EXPECT_EQ(seen, 100);
    EXPECT_EQ(last, 'z');
}

// The elements that it has got are in the order of the container from then on, also beside readers that were spawned
// when nobody knew of them.
TEST_P(Containers, NewElementsAreNamed) {
    for (int round = 0; round < 20; ++round) {
        std::vector<int> v;
        int s = 0;
        int t = 0;
        runtime.run([&] {
            spawn(
                [](int& x) {
                    nap();
                    x = 1;
                },
                out(t));
            spawn(fill, out(v));
            spawn(
                [](const std::vector<int>& x, int& to, const int&) {
                    nap();
                    sum(x, to);
                },
                in(v), out(s), in(t));
            taskwait_on(in(v)); // the reader may not have begun
            spawn([](std::span<int> x) { std::ranges::fill(x, 2); }, inout(std::span(v)));
            spawn([](std::vector<int>& x) { x.push_back(x.back()); }, inout(v));
            spawn([](const std::vector<int>& x, int& to) { to += x.back(); }, in(v), inout(t));
            taskwait();
        });
        ASSERT_EQ(s, 100);
        ASSERT_EQ(t, 3);
    }
}

// The same where what holds the container is written, and not the container by its name.
TEST_P(Containers, InAnObjectThatIsWritten) {
    struct holder {
        std::vector<int> a;
        int n = 0;
    };
    for (int round = 0; round < 20; ++round) {
        holder h;
        int s = 0;
        int t = 0;
        runtime.run([&] {
            spawn(
                [](int& x) {
                    nap();
                    x = 1;
                },
                out(t));
            spawn(
                [](holder& x) {
                    nap();
                    fill(x.a);
                },
                out(h));
            spawn(
                [](const std::vector<int>& x, int& to, const int&) {
                    nap();
                    sum(x, to);
                },
                in(h.a), out(s), in(t));
            taskwait_on(in(h));
            spawn([](std::span<int> x) { std::ranges::fill(x, 2); }, inout(std::span(h.a)));
            taskwait();
        });
        ASSERT_EQ(s, 100);
        ASSERT_EQ(h.a[99], 2);
    }
}

// Elements for which there is room already are those of the container before they are there.
TEST_P(Containers, RoomIsNamed) {
    std::vector<int> v;
    v.reserve(100);
    const std::span<int> all(v.data(), 100);
    int s = 0;
    runtime.run([&] {
        spawn(
            [](std::vector<int>& x) {
                nap();
                fill(x);
            },
            out(v));
        spawn([](std::span<const int> x, int& to) { to = std::accumulate(x.begin(), x.end(), 0); }, in(all), out(s));
        taskwait();
    });
    EXPECT_EQ(s, 100);
}

TEST_P(Containers, PartsBeforeItGrows) {
    std::vector<int> v(100, 1);
    const auto halves = skerry::partition(v, 50);
    int s = 0;
    const auto twice = [](std::span<int> x) {
        for (int& e : x) {
            e *= 2;
        }
    };
    runtime.run([&] {
        spawn(twice, inout(halves(0)));
        spawn(twice, inout(halves(1)));
        spawn([](std::vector<int>& x) { x.resize(10'000, 1); }, inout(v));
        spawn(sum, in(v), out(s));
        taskwait();
    });
    EXPECT_EQ(s, 100 * 2 + 9'900);
}

TEST_P(Containers, MayTradeElements) {
    std::vector<int> a(10, 1);
    std::vector<int> b(20'000, 2);
    int s = 0;
    int t = 0;
    runtime.run([&] {
        for (int i = 0; i < 101; ++i) {
            spawn([](std::vector<int>& x, std::vector<int>& y) { x.swap(y); }, inout(a), inout(b));
        }
        spawn(sum, in(a), out(s));
        spawn(sum, in(b), out(t));
        taskwait();
    });
    EXPECT_EQ(s, 40'000);
    EXPECT_EQ(t, 10);
}

TEST_P(Containers, ChildrenNameTheElementsThatTheParentHasMade) {
    std::vector<int> v;
    int s = 0;
    runtime.run([&] {
        spawn(
            [](std::vector<int>& x) {
                x.resize(1'000);
                for (std::size_t i = 0; i < x.size(); i += 100) {
                    spawn([](std::span<int> part) { std::ranges::fill(part, 3); }, out(std::span(x).subspan(i, 100)));
                }
            },
            out(v));
        spawn(sum, in(v), out(s));
        taskwait();
    });
    EXPECT_EQ(s, 3'000);
}

TEST_P(Containers, AChildMayChangeIt) {
    std::vector<int> v(10, 1);
    int s = 0;
    runtime.run([&] {
        spawn([](std::vector<int>& x) { spawn([](std::vector<int>& y) { y.resize(50'000, 1); }, inout(x)); }, inout(v));
        spawn(sum, in(v), out(s));
        taskwait();
    });
    EXPECT_EQ(s, 50'000);
}

TEST_P(Containers, LivesInItsLastTask) {
    int s = 0;
    runtime.run([&] {
        auto v = std::make_shared<std::vector<int>>();
        spawn(fill, out(*v));
        spawn([v](const std::vector<int>& x, int& to) { sum(x, to); }, in(*v), out(s));
        v.reset();
        taskwait();
    });
    EXPECT_EQ(s, 100);
}

TEST_P(Containers, AFailureLeavesTheElementsUnwritten) {
    std::vector<int> v;
    int runs = 0;
    int s = 0;
    EXPECT_THROW(runtime.run([&] {
        spawn(
            [](std::vector<int>& x) {
                fill(x);
                throw std::runtime_error("half");
            },
            out(v));
        spawn([](const std::vector<int>&, int& n) { ++n; }, in(v), inout(runs)); // skipped, and leaves runs unwritten
        spawn(fill, out(v));
        spawn(sum, in(v), out(s));
        taskwait();
    }),
                 std::runtime_error);
    EXPECT_EQ(runs, 0);
    EXPECT_EQ(s, 100);
}

// --- what is left behind --------------------------------------------------------------------------------------------

// What is thrown where a task that waits for `first` names some of what it loses; the scope has ended.
template <class F>
std::string left_behind(skerry::runtime& on, F&& program) {
    try {
        on.run([&] {
            program();
            taskwait();
        });
    } catch (const std::logic_error& e) {
        return e.what();
    }
    return "nothing was thrown";
}

void expect_named(const std::string& text) {
    EXPECT_THAT(text, testing::StartsWith("skerry: task 'grow' changes where the elements of a container lie (inout "));
    const std::string what_to_do = ", which was spawned after it, names elements that are gone; name the container "
                                   "itself there, or wait for the first task before you name them";
    for (const std::string& piece :
         {std::string(", with "), std::string(" bytes of elements at "), std::string(" before and "), what_to_do}) {
        EXPECT_THAT(text, testing::HasSubstr(piece));
    }
    EXPECT_THAT(text, testing::HasSubstr("after it), and task 'later'"));
}

constexpr task_options grow{.name = "grow"};
constexpr task_options later{.name = "later"};

// The task that changes the container waits until all are spawned. On one worker each runs inside spawn(), and what is
// named afterwards is gone in the serial program, too.
class LeftBehind : public Dataflow {
  protected:
    void hold() {
        spawn([this](int& x) { all_spawned_.pass(), x = 1; }, out(held_));
    }
    void let_go() { all_spawned_.open(); }

    std::vector<int> v = std::vector<int>(100, 1);
    int held_ = 0;
    int runs = 0;

  private:
    barrier all_spawned_;
};

TEST_P(LeftBehind, PartsOfTheOldElements) {
    const auto halves = skerry::partition(v, 50);
    int other = 0;
    const std::string text = left_behind(runtime, [&] {
        hold();
        spawn(grow, [](std::vector<int>& x, const int&) { x.resize(100'000); }, inout(v), in(held_));
        spawn(later, [](std::span<int>, int& n) { ++n; }, inout(halves(1)), inout(runs));
        spawn([](std::span<int>) { FAIL(); }, out(halves(0))); // what only writes, too
        spawn([](int& o) { o = 1; }, out(other));
        let_go();
    });
    expect_named(text);
    EXPECT_EQ(runs, 0);
    EXPECT_EQ(other, 1);
}

TEST_P(LeftBehind, AnElementThatGoes) {
    const std::string text = left_behind(runtime, [&] {
        hold();
        spawn([](const int&, int& n) { ++n; }, in(v[3]), inout(runs));
        spawn(grow, [](std::vector<int>& x, const int&) { x.resize(10); }, inout(v), in(held_));
        spawn([](int& x) { x = 5; }, out(v[4])); // it stays
        spawn(later, [](int&) { FAIL(); }, out(v[50]));
        let_go();
    });
    expect_named(text);
    EXPECT_EQ(runs, 1);
    EXPECT_EQ(v[4], 5);
}

TEST_P(LeftBehind, CharactersThatLeaveTheString) {
    std::string text = "short";
    const std::string what = left_behind(runtime, [&] {
        hold();
        spawn(grow, [](std::string& x, const int&) { x.append(1'000, '.'); }, inout(text), in(held_));
        spawn([](const std::string& x, int& n) { n += x.size() == 1'005 ? 1 : 100; }, in(text), inout(runs));
        spawn(later, [](std::span<const char>) { FAIL(); }, in(std::span(std::as_const(text))));
        let_go();
    });
    expect_named(what);
    EXPECT_EQ(runs, 0); // `grow` has failed
}

TEST_P(LeftBehind, AContainerInAContainer) {
    std::vector<std::vector<int>> rows(3, std::vector<int>(10));
    const std::string text = left_behind(runtime, [&] {
        hold();
        spawn(grow, [](std::vector<std::vector<int>>& x, const int&) { x.resize(1'000); }, inout(rows), in(held_));
        spawn(later, [](const std::vector<int>&) { FAIL(); }, in(rows[1]));
        let_go();
    });
    expect_named(text);
}

TEST_P(LeftBehind, ByAChild) {
    const std::string text = left_behind(runtime, [&] {
        hold();
        spawn(
            grow,
            [](std::vector<int>& x, const int&) { spawn([](std::vector<int>& y) { y.resize(100'000); }, inout(x)); },
            inout(v), in(held_));
        spawn(later, [](std::span<int>) { FAIL(); }, out(std::span(v).first(10)));
        let_go();
    });
    expect_named(text);
}

// On two workers: one is held, so what lets it go runs inside the wait, when that has named the elements.
TEST(LeftBehindOnTwoWorkers, WhoWaitsForElements) {
    skerry::options two;
    two.workers = 2;
    skerry::runtime runtime(two);
    std::vector<int> v(100, 1);
    const std::span<int> old(v);
    int held = 0;
    barrier holding;
    barrier waited_for;
    const std::string text = left_behind(runtime, [&] {
        spawn(
            [&](int& x) {
                holding.open();
                waited_for.pass();
                x = 1;
            },
            out(held));
        holding.pass();
        spawn(grow, [](std::vector<int>& x, const int&) { x.resize(100'000); }, inout(v), in(held));
        spawn([&] { waited_for.open(); });
        taskwait_on(in(old));
    });
    EXPECT_THAT(text, testing::HasSubstr("task 'grow' changes"));
}

// What is named when the task has begun may lie in memory that it has freed.
TEST_P(LeftBehind, NothingThatWasNamedBesideIt) {
    std::array<int, 100> first{};
    std::array<int, 100> second{};
    row_of_others all{first.data(), first.size()};
    containers_test::borrowed row{all};
    barrier moved;
    barrier named;
    int s = 0;
    runtime.run([&] {
        spawn(
            grow,
            [&](containers_test::borrowed& x) {
                x.where.first = second.data();
                moved.open();
                named.pass();
            },
            inout(row));
        moved.pass();
        first.fill(3); // it is somebody else's now
        spawn(
            later, [](std::span<const int> x, int& to) { to = std::accumulate(x.begin(), x.end(), 0); },
            in(std::span<const int>(first)), out(s));
        named.open();
        taskwait();
    });
    EXPECT_EQ(s, 300);
}

TEST_P(LeftBehind, NothingByTasksThatNameTheContainer) {
    int s = 0;
    const std::span<int> old(v);
    runtime.run([&] {
        hold();
        spawn([](std::span<int> x) { x.back() = 7; }, inout(old)); // before
        spawn(grow, [](std::vector<int>& x, const int&) { x.resize(100'000); }, inout(v), in(held_));
        spawn(sum, in(v), out(s));
        spawn([](std::vector<int>& x) { x.clear(), x.shrink_to_fit(); }, inout(v));
        spawn([](const std::vector<int>& x, int& n) { n += static_cast<int>(x.size()) + 1; }, in(v), inout(runs));
        let_go();
        taskwait();
    });
    EXPECT_EQ(s, 106);
    EXPECT_EQ(runs, 1);
}

INSTANTIATE_TEST_SUITE_P(Workers, Containers, testing::Values(1U, 2U, 8U));
INSTANTIATE_TEST_SUITE_P(Workers, LeftBehind, testing::Values(2U, 8U));

} // namespace
