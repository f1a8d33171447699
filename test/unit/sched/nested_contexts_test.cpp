// SPDX-License-Identifier: Apache-2.0

// What a forked task inherits: by the table alone, and with more nesting than the table has places.

#include <atomic>
#include <cstddef>
#include <deque>
#include <thread>

#include <gtest/gtest.h>

#include <skerry/skerry.hpp>

#include "sched/nested_contexts.hpp"

namespace {

using skerry::detail::context;
using skerry::detail::machine;
using skerry::detail::nested_contexts;
using skerry::detail::task_header;
using skerry::detail::worker_page;

void run_nothing(task_header* /*header*/) noexcept {}

struct forked final : task_header {
    explicit forked(const worker_page& page) noexcept : task_header(&run_nothing, page.nesting) {}
};

const context root{nullptr, nullptr};

class NestedContexts : public testing::Test {
  protected:
    NestedContexts() { contexts.begin(root); }

    worker_page page;
    nested_contexts contexts{page};
};

TEST_F(NestedContexts, ATaskFindsTheContextThatItWasForkedUnder) {
    const context outer{&root, nullptr};
    const context inner{&outer, nullptr};
    const context later{&outer, nullptr};

    forked of_root(page);
    contexts.enter(&outer);
    forked of_outer(page);
    contexts.enter(&inner);
    forked of_inner(page);
    EXPECT_EQ(page.ctx, &inner);
    ASSERT_TRUE(contexts.find(of_inner));
    contexts.leave(&outer);
    EXPECT_EQ(page.ctx, &outer);
    contexts.enter(&later); // in the place of `inner`
    forked of_later(page);

    for (task_header* const t : {static_cast<task_header*>(&of_root), static_cast<task_header*>(&of_outer),
                                 static_cast<task_header*>(&of_later)}) {
        EXPECT_NE(t->nesting(), 0U);
        ASSERT_TRUE(contexts.find(*t));
        EXPECT_EQ(t->nesting(), 0U);
        EXPECT_EQ(t->run, &run_nothing);
    }
    EXPECT_EQ(of_root.ctx, &root);
    EXPECT_EQ(of_outer.ctx, &outer);
    EXPECT_EQ(of_inner.ctx, &inner);
    EXPECT_EQ(of_later.ctx, &later);
}

TEST_F(NestedContexts, ATaskThatSaysItsContextKeepsIt) {
    const context own{&root, nullptr};
    struct begun final : task_header {
        explicit begun(const context* c) noexcept : task_header(&run_nothing, c) {}
    } task(&own);
    ASSERT_TRUE(contexts.find(task));
    EXPECT_EQ(task.ctx, &own);
}

TEST_F(NestedContexts, OneInThePlaceOfTheInnermost) {
    const context before{&root, nullptr};
    const context after{&root, nullptr};
    contexts.enter(&before);
    contexts.set(&after);
    forked task(page);
    ASSERT_TRUE(contexts.find(task));
    EXPECT_EQ(task.ctx, &after);
    EXPECT_EQ(page.ctx, &after);
}

TEST_F(NestedContexts, WhatIsForkedTooDeepStays) {
    std::deque<context> all;
    for (std::size_t depth = 2; depth <= machine::most_nested + 5; ++depth) {
        const context* const outer = page.ctx;
        contexts.enter(&all.emplace_back(outer, nullptr));
        EXPECT_EQ(page.ctx, &all.back());
        forked task(page);
        ASSERT_EQ(contexts.find(task), depth <= machine::most_nested) << depth;
        if (depth <= machine::most_nested) {
            ASSERT_EQ(task.ctx, &all.back()) << depth;
        }
    }
    while (page.ctx != &root) {
        contexts.leave(page.ctx->parent);
        forked task(page);
        if (contexts.find(task)) {
            ASSERT_EQ(task.ctx, page.ctx);
        } else {
            ASSERT_GE(task.nesting(), machine::most_nested);
        }
    }
    forked task(page);
    ASSERT_TRUE(contexts.find(task));
    EXPECT_EQ(task.ctx, &root);
}

// --- in a runtime ---------------------------------------------------------------------------------------------------

// A branch that must be taken by somebody else.
bool somebody_comes() {
    std::atomic<bool> begun{false};
    std::thread::id other;
    skerry::parallel_invoke(
        [&begun] {
            while (!begun.load()) {
                std::this_thread::yield();
            }
        },
        [&] {
            other = std::this_thread::get_id();
            begun = true;
        });
    return other != std::this_thread::get_id();
}

std::size_t nest(std::size_t depth) {
    if (depth == 0) {
        const auto here = std::this_thread::get_id();
        std::size_t at_home = 0;
        for (int i = 0; i < 1000; ++i) {
            skerry::parallel_invoke([] { std::this_thread::yield(); },
                                    [&] { at_home += std::this_thread::get_id() == here ? 1 : 0; });
        }
        return at_home;
    }
    return skerry::finish([&](skerry::scope& /*s*/) { return nest(depth - 1); });
}

TEST(NestedContextsOfARuntime, MoreBlocksThanPlaces) {
    skerry::options o;
    o.workers = 2;
    skerry::runtime rt(o);
    rt.run([] {
        EXPECT_TRUE(somebody_comes());
        EXPECT_EQ(nest(machine::most_nested + 10), 1000U); // all of them at home
        EXPECT_TRUE(somebody_comes());
        std::size_t below = machine::most_nested - 10;
        bool came = false;
        const auto down = [&](const auto& self) -> void {
            if (below-- == 0) {
                came = somebody_comes();
            } else {
                skerry::finish([&](skerry::scope& /*s*/) { self(self); });
            }
        };
        down(down);
        EXPECT_TRUE(came);
    });
}

} // namespace
