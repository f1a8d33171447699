// SPDX-License-Identifier: Apache-2.0
// Alone on purpose: the serial elision needs no other header of Skerry, and no library.
#include <skerry/serial.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <list>
#include <string>
#include <tuple>
#include <vector>

namespace {

namespace par = skerry::serial;

// A program of every construct. What it logs is the program order.
std::string log_of_program() {
    std::string log;
    par::runtime machine{par::options{.workers = 4}};
    machine.run([&] {
        par::parallel_invoke([&] { log += 'a'; }, [&] { log += 'b'; }, [&] { log += 'c'; });
        par::parallel_for(0, 3, [&](int i) { log += std::to_string(i); }, par::grain::fixed(1));
        par::parallel_for(
            par::box<2>{{0, 0}, {2, 2}}, [&](int i, int j) { log += std::to_string(10 * i + j); },
            par::schedule::chunked);
        par::finish([&](par::scope& s) {
            s.async([&] {
                log += 'd';
                s.async([&] { log += 'e'; });
                log += 'f';
            });
            log += 'g';
        });
        auto f = par::submit([&] { return log += 'h', 1; });
        log += std::to_string(f.get());
        par::task_group group;
        group.run([&] { log += 'i'; });
        group.wait();
        par::blocking([&] { log += 'j'; });
        par::parallel_for_each(std::string{"kl"}, par::named<"append">([&](char c) { log += c; }));
    });
    return log;
}

TEST(serial, runs_in_program_order) { EXPECT_EQ(log_of_program(), "abc012011011defgh1ijkl"); }

TEST(serial, invoke_gives_values_references_and_monostate) {
    int x = 3;
    auto result = par::parallel_invoke([] {}, [&]() -> int& { return x; }, [] { return std::string{"s"}; });
    static_assert(std::same_as<decltype(result), std::tuple<std::monostate, int&, std::string>>);
    EXPECT_EQ(&std::get<1>(result), &x);
    EXPECT_EQ(std::get<2>(result), "s");
}

TEST(serial, invoke_stops_at_the_first_exception) {
    int calls = 0;
    EXPECT_THROW(par::parallel_invoke([&] { ++calls; }, [] { throw 1; }, [&] { ++calls; }), int);
    EXPECT_EQ(calls, 1);
}

TEST(serial, finish_rethrows_the_first_exception_of_its_tasks_at_its_end) {
    int after = 0;
    try {
        par::finish([&](par::scope& s) {
            s.async([] { throw 1; });
            s.async([] { throw 2; });
            ++after;
        });
        FAIL();
    } catch (int e) {
        EXPECT_EQ(e, 1);
    }
    EXPECT_EQ(after, 1);
    EXPECT_EQ(par::finish([](par::scope&) { return 5; }), 5);
}

TEST(serial, future_gives_its_result_once) {
    auto f = par::submit([] { return std::make_unique<int>(4); });
    EXPECT_TRUE(f.valid());
    EXPECT_TRUE(f.ready());
    f.wait();
    EXPECT_EQ(*f.get(), 4);
    EXPECT_FALSE(f.valid());
    EXPECT_THROW(f.get(), std::logic_error);
    EXPECT_THROW(f.wait(), std::logic_error);
    auto failed = par::submit([]() -> int { throw 7; });
    EXPECT_THROW(failed.get(), int);
    int x = 0;
    par::submit([&]() -> int& { return x; }).get() = 9;
    EXPECT_EQ(x, 9);
    par::submit([&] { x = 1; }).get();
    EXPECT_EQ(x, 1);
}

struct detached {
    struct promise_type {
        detached get_return_object() { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
};

TEST(serial, a_coroutine_goes_on_at_once) {
    int got = 0;
    [](int& out) -> detached {
        auto f = par::submit([] { return 6; });
        out = co_await f;
    }(got);
    EXPECT_EQ(got, 6);
}

TEST(serial, a_group_skips_after_cancel_and_after_an_exception) {
    par::task_group group;
    int runs = 0;
    group.run([&] {
        EXPECT_FALSE(par::stop_requested());
        group.cancel();
        EXPECT_TRUE(par::stop_requested());
    });
    EXPECT_FALSE(par::stop_requested());
    group.run([&] { ++runs; });
    group.wait();
    EXPECT_EQ(runs, 0);
    group.run([] { throw 1; });
    group.run([&] { ++runs; });
    EXPECT_THROW(group.wait(), int);
    EXPECT_EQ(runs, 0);
    group.run([&] { ++runs; });
    group.wait();
    EXPECT_EQ(runs, 1);
}

// Cut short after at most `longest` calls more.
template <class F>
void expect_cut_short(const char* name, int longest, const F& algorithm) {
    par::task_group group;
    int calls = 0;
    bool went_on = false;
    group.run([&] {
        algorithm([&] {
            if (++calls == 50) group.cancel();
        });
        went_on = true;
    });
    EXPECT_EQ(group.wait(), par::group_status::cancelled) << name;
    EXPECT_FALSE(went_on) << name;
    EXPECT_LE(calls, 50 + longest) << name;
}

TEST(serial, algorithms_look_between_blocks_whether_they_are_cancelled) {
    const std::vector<int> v(40'000, 1);
    const auto ten = par::grain::fixed(10);
    const par::box<2> square{{0, 0}, {200, 200}};
    const par::box<3> flat{{0, 0, 0}, {2, 2000, 10}};
    const auto adding = [](const auto& f) { return [&f](int a, int b) { return f(), a + b; }; };
    std::vector<int> out(v.size());
    expect_cut_short("for", 50, [&](const auto& f) { par::parallel_for(0, 40'000, [&](int) { f(); }); });
    expect_cut_short("box", 50, [&](const auto& f) { par::parallel_for(square, [&](auto, auto) { f(); }); });
    expect_cut_short("box ten", 10, [&](const auto& f) { par::parallel_for(square, [&](auto, auto) { f(); }, ten); });
    expect_cut_short("box 3", 50, [&](const auto& f) { par::parallel_for(flat, [&](auto, auto, auto) { f(); }); });
    expect_cut_short("reduce", 50, [&](const auto& f) { par::parallel_reduce(v, 0, adding(f)); });
    expect_cut_short("reduce ten", 20, [&](const auto& f) { par::parallel_reduce(v, 0, adding(f), ten); });
    expect_cut_short("reduce one", 2,
                     [&](const auto& f) { par::parallel_reduce(v, 0, adding(f), par::grain::fixed(1)); });
    expect_cut_short("scan", 50, [&](const auto& f) { par::parallel_inclusive_scan(v, out.begin(), adding(f)); });
    expect_cut_short("scan ten", 20,
                     [&](const auto& f) { par::parallel_inclusive_scan(v, out.begin(), adding(f), ten); });
    const auto comparing = [](const auto& f) { return [&f](int a, int b) { return f(), a < b; }; };
    expect_cut_short("sort", 600, [&](const auto& f) { par::parallel_sort(out, comparing(f)); });
    expect_cut_short("stable sort", 600, [&](const auto& f) { par::parallel_stable_sort(out, comparing(f)); });
}

// Every point once, in order, whatever the blocks are.
TEST(serial, boxes_run_in_program_order) {
    const par::box<3> spaces[] = {
        {{0, 0, 0}, {3, 50, 7}}, {{1, 2, 3}, {2, 3, 3000}}, {{0, 0, 0}, {2000, 1, 2}}, {{0, 0, 0}, {2, 2, 2}}};
    for (const par::grain g : {par::grain::automatic(), par::grain::fixed(1), par::grain::fixed(10)}) {
        for (const auto& space : spaces) {
            std::vector<std::tuple<long, long, long>> points;
            std::vector<std::tuple<long, long, long>> expected;
            for (long i = space.first[0]; i < space.last[0]; ++i)
                for (long j = space.first[1]; j < space.last[1]; ++j)
                    for (long k = space.first[2]; k < space.last[2]; ++k) expected.emplace_back(i, j, k);
            par::parallel_for(space, [&](long i, long j, long k) { points.emplace_back(i, j, k); }, g);
            EXPECT_TRUE(points == expected);
        }
    }
}

TEST(serial, what_is_cancelled_begins_nothing) {
    int runs = 0;
    int x = 0;
    std::vector<int> v(400, 1);
    const auto add = [&runs](int a, int b) { return ++runs, a + b; };
    const std::vector<std::function<void()>> constructs = {
        [&] { par::parallel_invoke([&] { ++runs; }, [&] { return ++runs; }); },
        [&] { par::parallel_for(0, 400, [&](int) { ++runs; }); },
        [&] { par::parallel_for(par::box<2>{{0, 0}, {20, 20}}, [&](std::ptrdiff_t, std::ptrdiff_t) { ++runs; }); },
        [&] { par::parallel_for_each(std::list<int>(9), [&](int) { ++runs; }); },
        [&] { par::parallel_reduce(v, 0, add); },
        [&] { par::parallel_inclusive_scan(v, v.begin(), add); },
        [&] { par::parallel_sort(v, [&](int a, int b) { return ++runs, a < b; }); },
        [&] { static_cast<void>(par::parallel_any_of(v, [&](int) { return ++runs, false; })); },
        [&] { par::finish([&](par::scope&) { ++runs; }); },
        [&] { par::submit([&] { ++runs; }).get(); },
        [&] {
            par::spawn([&](int&) { ++runs; }, par::inout(x));
            par::taskwait();
        },
    };
    for (std::size_t i = 0; i < constructs.size(); ++i) {
        par::task_group group;
        bool went_on = false;
        group.run([&] {
            group.cancel();
            par::task_group inner;
            inner.run([&] { ++runs; });
            EXPECT_EQ(inner.wait(), par::group_status::cancelled);
            constructs[i]();
            went_on = true;
        });
        EXPECT_EQ(group.wait(), par::group_status::cancelled);
        EXPECT_FALSE(went_on) << i;
        EXPECT_EQ(runs, 0) << i;
    }
    par::task_group group;
    group.run([&] {
        group.cancel();
        par::spawn([&](int&) { ++runs; }, par::out(x));
    });
    group.wait();
    par::spawn([&](const int&) { ++runs; }, par::in(x));
    EXPECT_THROW(par::taskwait(), par::cancelled); // it needs what was not written
    EXPECT_EQ(runs, 0);
    group.run([&] {
        par::parallel_for(0, 400, [&](int) {
            ++runs;
            group.cancel();
        });
    });
    group.wait();
    EXPECT_EQ(runs, 1);
}

// Fig. 2(a) of the HCC paper.
struct fib_task : par::task {
    fib_task(int n, long* sum) : n_{n}, sum_{sum} {}
    void execute() override {
        if (n_ < 2) {
            *sum_ = n_;
            return;
        }
        long x = 0;
        long y = 0;
        fib_task a{n_ - 1, &x};
        fib_task b{n_ - 2, &y};
        this->reference_count = 2;
        task::spawn(&a);
        task::spawn(&b);
        task::wait(this);
        *sum_ = x + y;
    }

  private:
    int n_;
    long* sum_;
};

struct throwing_task : par::task {
    explicit throwing_task(int what) : what_{what} {}
    void execute() override { throw what_; }

  private:
    int what_;
};

TEST(serial, low_level_tasks) {
    long sum = 0;
    fib_task root{15, &sum};
    par::task::run_root(root);
    EXPECT_EQ(sum, 610);

    throwing_task first{1};
    throwing_task second{2};
    par::task::spawn(&first);
    par::task::spawn(&second);
    root.set_reference_count(2);
    try {
        par::task::wait(&root);
        FAIL();
    } catch (int e) {
        EXPECT_EQ(e, 1);
    }
    root.set_reference_count(1);
    EXPECT_THROW(par::task::wait(&root), std::logic_error);
    EXPECT_THROW(par::task::spawn(nullptr), std::logic_error);
}

TEST(serial, there_is_one_worker) {
    EXPECT_EQ(par::max_slots(), 1U);
    EXPECT_EQ(par::this_worker::slot(), 0U);
    EXPECT_EQ(par::runtime{}.workers(), 1U);
    EXPECT_EQ(par::runtime{}.stats().tasks, par::current_statistics().tasks);
    par::worker_local<std::vector<int>> lists;
    EXPECT_EQ(lists.begin(), lists.end());
    lists.local().push_back(3);
    EXPECT_EQ(lists.end() - lists.begin(), 1);
    par::worker_local<int> counts{5};
    EXPECT_EQ(counts.combine(std::plus<>{}), 5);
    ++counts.local();
    EXPECT_EQ(counts.combine(std::plus<>{}), 6);
    counts.clear();
    EXPECT_EQ(counts.local(), 5);
    EXPECT_EQ(par::may_be_stale(std::string{"x"}), "x");
}

TEST(serial, has_the_algorithms) {
    std::vector<int> v{3, 1, 2};
    par::parallel_sort(v);
    EXPECT_EQ(v, (std::vector{1, 2, 3}));
    par::parallel_stable_sort(v, std::greater<>{});
    EXPECT_EQ(v, (std::vector{3, 2, 1}));
    EXPECT_EQ(par::parallel_reduce(v), 6);
    EXPECT_EQ(par::parallel_transform_reduce(v, v, 0), 14);
    EXPECT_EQ(*par::parallel_find_if(v, [](int x) { return x < 3; }), 2);
    EXPECT_TRUE(par::parallel_any_of(v, [](int x) { return x == 1; }));
    EXPECT_TRUE(par::parallel_all_of(v, [](int x) { return x > 0; }));
    EXPECT_TRUE(par::parallel_none_of(v, [](int x) { return x > 3; }));
    std::vector<int> out(3);
    par::parallel_inclusive_scan(v, out.begin());
    EXPECT_EQ(out, (std::vector{3, 5, 6}));
    par::parallel_exclusive_scan(v, out.begin(), 0);
    EXPECT_EQ(out, (std::vector{0, 3, 5}));
    par::parallel_transform(v, out.begin(), [](int x) { return -x; });
    EXPECT_EQ(out, (std::vector{-3, -2, -1}));
    EXPECT_EQ(par::parallel_copy_if(v, out.begin(), [](int x) { return x != 2; }) - out.begin(), 2);
    EXPECT_THROW((void)par::grain::fixed(0), par::bad_grain);
}

} // namespace
