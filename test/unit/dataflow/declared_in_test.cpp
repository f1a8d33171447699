// SPDX-License-Identifier: Apache-2.0

// Debug builds find a task that writes what it declared in(): on threads by sums of the bytes before and after it.

#include <algorithm>
#include <array>
#include <atomic>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <skerry/dataflow.hpp>
#include <skerry/skerry.hpp>

#include "deps/declared_in.hpp"
#include "runtimes.hpp"

namespace {

using skerry::in;
using skerry::inout;
using skerry::out;
using skerry::region;
using skerry::spawn;
using skerry::task_options;
using testing::MatchesRegex;

class DeclaredIn : public dataflow_test::Dataflow {
  protected:
    void SetUp() override {
        if constexpr (!skerry::detail::inputs_are_checked) {
            GTEST_SKIP() << "a check of debug builds";
        }
    }

    template <class F>
    std::string message(F f) {
        try {
            runtime.run(f);
        } catch (const std::logic_error& e) {
            return e.what();
        }
        return "no error";
    }
};

const std::string ends =
    ", and they are changed when it ends; declare it with inout\\(\\), or wait for the task before "
    "you write there";

TEST_P(DeclaredIn, AWriterIsNamedWithItsAccess) {
    std::array<int, 2> x{};
    EXPECT_THAT(message([&] {
                    spawn(
                        task_options{.name = "scribbler"},
                        [](int& first, const int& second) { const_cast<int&>(second) = ++first; }, inout(x[0]),
                        in(x[1]));
                }),
                MatchesRegex("skerry: task 'scribbler' declares in 4 bytes at 0x[0-9a-f]+ \\(access 2 of 2\\)" + ends));
}

TEST_P(DeclaredIn, TheMessageSaysWhatToDo) {
    int x = 0;
    EXPECT_THAT(message([&] { spawn([](const int& c) { const_cast<int&>(c) = 1; }, in(x)); }),
                testing::AllOf(testing::HasSubstr(" declares "), testing::HasSubstr(" (access "),
                               testing::HasSubstr("), and they are changed when it ends; declare it with inout(), or "
                                                  "wait for the task before you write there")));
}

TEST_P(DeclaredIn, OneByteOfMany) {
    std::vector<char> many(100'000);
    for (const std::size_t at : {std::size_t{0}, std::size_t{70'000}, many.size() - 1}) {
        EXPECT_THAT(
            message([&] {
                spawn([at](std::span<const char> all) { ++const_cast<char&>(all[at]); },
                      in(std::span<const char>(many)));
            }),
            MatchesRegex("skerry: a task without a name declares in 100000 bytes at 0x[0-9a-f]+ \\(access 1 of 1\\)" +
                         ends));
    }
}

// Of a long range a part is looked at: one that is filled is found, and so are its ends.
TEST_P(DeclaredIn, ALongRange) {
    std::vector<char> many(std::size_t{10} << 20);
    for (const bool whole : {false, true}) {
        EXPECT_THAT(message([&] {
                        spawn(
                            [whole](std::span<const char> all) {
                                auto* const first = const_cast<char*>(all.data());
                                if (whole) {
                                    std::fill_n(first, all.size(), '1');
                                } else {
                                    ++first[all.size() - 1];
                                }
                            },
                            in(std::span<const char>(many)));
                    }),
                    MatchesRegex("skerry: .* declares in 10485760 bytes .*"));
    }
}

TEST_P(DeclaredIn, ARegion) {
    region home = skerry::root_region().create();
    region inner = home.create();
    int* const x = inner.make<int>(1);
    EXPECT_THAT(message([&] { spawn(task_options{.name = "reader"}, [x](const region&) { *x = 2; }, in(home)); }),
                MatchesRegex("skerry: task 'reader' declares in region [0-9]+ \\(access 1 of 1\\)" + ends));
    home.destroy_all();
}

// A parent that does not wait is found out, too.
TEST_P(DeclaredIn, AParentThatWritesBesideItsChild) {
    if (alone()) {
        GTEST_SKIP() << "the child runs before spawn() returns";
    }
    int x = 0;
    std::atomic<int> step{0};
    EXPECT_THAT(message([&] {
                    spawn(
                        task_options{.name = "child"},
                        [&step](const int&) {
                            step = 1;
                            while (step != 2) {
                                std::this_thread::yield();
                            }
                        },
                        in(x));
                    while (step != 1) {
                        std::this_thread::yield();
                    }
                    x = 1;
                    step = 2;
                }),
                MatchesRegex("skerry: task 'child' declares in 4 bytes .*"));
}

TEST_P(DeclaredIn, WhatTheTaskMayWriteIsLeftOut) {
    std::array<int, 300> x{};
    EXPECT_EQ(message([&] {
                  spawn([](std::span<const int> all, int& one) { one = all[0] + 1; }, in(std::span<const int>(x)),
                        inout(x[150]));
                  spawn([](const int& a, int& b) { b = a + 1; }, in(x[150]), inout(x[150]));
                  spawn([](std::span<const int> none, int& last) { last = none.empty() ? 7 : 8; },
                        in(std::span<const int>()), out(x[299]));
              }),
              "no error");
    EXPECT_EQ(x[150], 2);
    EXPECT_EQ(x[299], 7);
}

// Its memory is nobody's then.
TEST_P(DeclaredIn, WhatTheTaskDestroysIsLeftOut) {
    region home = skerry::root_region().create();
    int* const x = home.make<int>(1);
    EXPECT_EQ(message([&] {
                  spawn(
                      [](const int& mine, region& here) {
                          int* const it = const_cast<int*>(&mine);
                          *it = 2;
                          here.destroy(it);
                      },
                      in(*x), inout(home));
              }),
              "no error");
    home.destroy_all();
}

INSTANTIATE_TEST_SUITE_P(Workers, DeclaredIn, testing::Values(1U, 2U));

} // namespace
