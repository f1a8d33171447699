// SPDX-License-Identifier: Apache-2.0

// Stealing by message between two holders of this process, whose tasks are bytes.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../base/child.hpp"
#include "base/port/clock.hpp"
#include "base/port/futex.hpp"
#include "fabric/threads/threads.hpp"
#include "sched/message_steal.hpp"

namespace {

using namespace skerry::detail;
namespace fabric = skerry::fabric;
using skerry_test::run_in_child;
using testing::ElementsAre;
using testing::HasSubstr;
using wish = message_steal::wish;

parcel bytes(std::size_t n, int first = 0) {
    parcel p;
    for (std::size_t i = 0; i < n; ++i) {
        p.push_back(static_cast<std::byte>(first + static_cast<int>(i)));
    }
    return p;
}

struct side final : message_steal::holder {
    explicit side(std::unique_ptr<fabric::endpoint> f) : steal(std::move(f), *this) {}

    std::optional<parcel> give(unsigned, std::uint64_t, wish w) override {
        if (fault != nullptr) {
            std::rethrow_exception(fault);
        }
        std::deque<parcel>& from = w == wish::own ? own_tasks : tasks;
        if (from.empty()) {
            return std::nullopt;
        }
        parcel p = std::move(from.front());
        from.pop_front();
        return p;
    }
    message_steal::appetite wants(unsigned) override { return appetite; }
    void take(unsigned victim, std::uint64_t ticket, std::span<const std::byte> what) override {
        taken.push_back({what.begin(), what.end()});
        steal.done(victim, ticket, bytes(2));
    }
    void ended(unsigned, std::uint64_t, std::span<const std::byte> what) override { ended_with.push_back(what.size()); }
    void copied(std::uint64_t, bool) override {}
    void closing() override { closed = true; }
    void lost(const fabric::failure&) override {}
    void errands() override {
        if (left.exchange(false)) {
            ++run;
            std::ranges::move(tasks_left, std::back_inserter(tasks));
            tasks_left.clear();
        }
    }

    std::deque<parcel> tasks;
    std::deque<parcel> own_tasks; // given to those who want their own only
    message_steal::appetite appetite{};
    std::vector<parcel> taken;
    std::vector<std::size_t> ended_with;
    std::exception_ptr fault; // of give()
    bool closed = false;
    std::atomic<bool> left{false}; // for errands(), with what stands in the next line
    std::vector<parcel> tasks_left;
    std::atomic<int> run{0};
    message_steal steal;
};

// Another endpoint, of which a part is another's.
class around : public fabric::endpoint {
  public:
    explicit around(std::unique_ptr<fabric::endpoint> e) : real_(std::move(e)) {}

    [[nodiscard]] const fabric::capabilities& describe() const noexcept override { return real_->describe(); }
    void on_message(fabric::receiver& to) override { real_->on_message(to); }
    [[nodiscard]] fabric::post_result post(unsigned peer, fabric::kind k, const fabric::message& m) override {
        return real_->post(peer, k, m);
    }
    std::size_t poll(std::size_t budget) override { return real_->poll(budget); }
    [[nodiscard]] std::optional<fabric::completion> completed() override { return real_->completed(); }
    void kick(unsigned peer) override { real_->kick(peer); }
    [[nodiscard]] bool left_over() override { return real_->left_over(); }
    bool wait(std::uint64_t deadline_ns, fabric::turn* mine) override { return real_->wait(deadline_ns, mine); }

  private:
    std::unique_ptr<fabric::endpoint> real_;
};

// Tells whether the one who waits has lent its turn.
class telling final : public around {
  public:
    telling(std::unique_ptr<fabric::endpoint> e, std::atomic<bool>& asleep) : around(std::move(e)), asleep_(asleep) {}

    bool wait(std::uint64_t deadline_ns, fabric::turn* mine) override {
        struct told final : fabric::turn {
            told(fabric::turn& t, std::atomic<bool>& a) : real(t), asleep(a) {}
            void lend() noexcept override {
                real.lend();
                asleep.store(true);
            }
            void take_back() noexcept override {
                asleep.store(false);
                real.take_back();
            }
            fabric::turn& real;
            std::atomic<bool>& asleep;
        } turn(*mine, asleep_);
        return around::wait(deadline_ns, &turn);
    }

  private:
    std::atomic<bool>& asleep_;
};

// Has no room for what is sent, and fails when it is to receive.
class failing final : public around {
  public:
    failing(std::unique_ptr<fabric::endpoint> e, std::exception_ptr fault)
        : around(std::move(e)),
          fault_(std::move(fault)) {}

    [[nodiscard]] fabric::post_result post(unsigned, fabric::kind, const fabric::message&) override {
        return fabric::post_result::full;
    }
    std::size_t poll(std::size_t) override { std::rethrow_exception(fault_); }

  private:
    std::exception_ptr fault_;
};

struct two {
    two() {
        auto ends = fabric::threads::make(2);
        victim = std::make_unique<side>(std::move(ends[0]));
        thief = std::make_unique<side>(std::move(ends[1]));
    }
    void move() const {
        for (int i = 0; i < 8; ++i) {
            thief->steal.poll();
            victim->steal.poll();
        }
    }
    std::unique_ptr<side> victim;
    std::unique_ptr<side> thief;
};

constexpr std::size_t any = 0;
constexpr std::size_t own = 1;

TEST(MessageSteal, ATicketIsKeptUntilThereIsATask) {
    const two t;
    t.thief->appetite[any] = 1;
    t.move();
    EXPECT_TRUE(t.victim->steal.thieves_wait());
    t.victim->tasks.push_back(bytes(500)); // more than one message
    t.thief->appetite[any] = 0;
    t.move();
    EXPECT_THAT(t.thief->taken, ElementsAre(bytes(500)));
    EXPECT_THAT(t.victim->ended_with, ElementsAre(2U));
    EXPECT_FALSE(t.victim->steal.thieves_wait());
    EXPECT_EQ(t.victim->steal.granted(), 1U);
    EXPECT_EQ(t.thief->steal.taken(), 1U);
    EXPECT_EQ(t.thief->steal.here(), 0U);
}

TEST(MessageSteal, WhoWaitsForItsOwnGetsNoOther) {
    const two t;
    t.thief->appetite[own] = 1;
    t.move();
    t.thief->appetite = {};
    t.victim->tasks.push_back(bytes(8));
    t.move();
    EXPECT_TRUE(t.thief->taken.empty());
    t.victim->own_tasks.push_back(bytes(7));
    t.move();
    EXPECT_THAT(t.thief->taken, ElementsAre(bytes(7)));
    EXPECT_EQ(t.victim->tasks.size(), 1U);
}

TEST(MessageSteal, TicketsThatNobodyNeedsAreCalledBack) {
    const two t;
    t.thief->appetite[any] = 3;
    t.move();
    ASSERT_TRUE(t.victim->steal.thieves_wait());
    t.thief->appetite[any] = 0;
    while (t.victim->steal.thieves_wait()) { // after a while
        t.move();
    }
    t.victim->tasks.push_back(bytes(1));
    t.move();
    EXPECT_TRUE(t.thief->taken.empty());
    t.thief->appetite[any] = 1; // and asked for anew
    t.move();
    t.thief->appetite[any] = 0;
    EXPECT_EQ(t.thief->taken.size(), 1U);
}

// Whoever leaves something while another thread falls asleep as the driver: that thread does it, long before its time.
TEST(MessageSteal, NoCallIsLost) {
    const two t;
    side& s = *t.thief;
    std::atomic<bool> stop{false};
    std::thread driver([&] {
        while (!stop.load()) {
            s.steal.wait(skerry::port::forever);
        }
    });
    for (int i = 1; i <= 2'000; ++i) {
        s.left.store(true);
        s.steal.poll();
        while (s.run.load() != i) {
            std::this_thread::yield();
        }
    }
    stop.store(true);
    s.steal.wake();
    driver.join();
    EXPECT_EQ(s.run.load(), 2'000);
}

// More than the rings hold, sent while another thread sleeps as the driver: nobody rings when there is room again.
TEST(MessageSteal, WhatIsLeftOverWakesTheOneWhoStandsIn) {
    constexpr std::size_t many_rings = 200'000;
    std::atomic<bool> asleep{false};
    two t;
    auto ends = fabric::threads::make(2);
    t.victim = std::make_unique<side>(std::make_unique<telling>(std::move(ends[0]), asleep));
    t.thief = std::make_unique<side>(std::move(ends[1]));
    std::atomic<bool> stop{false};
    std::thread driver([&] {
        while (!stop.load()) {
            t.victim->steal.wait(skerry::port::forever);
        }
    });
    t.thief->appetite[any] = 1; // it says nothing more before the task is there
    t.thief->steal.poll();
    while (!t.victim->steal.thieves_wait()) {
        std::this_thread::yield();
    }
    while (!asleep.load()) { // after the ticket has come, nothing else wakes it
        std::this_thread::yield();
    }
    t.victim->tasks_left.push_back(bytes(many_rings));
    t.victim->left.store(true);
    t.victim->steal.poll();
    while (t.thief->taken.empty()) { // the victim is left to the one who stands in
        t.thief->steal.poll();
        std::this_thread::yield();
    }
    stop.store(true);
    t.victim->steal.wake();
    driver.join();
    EXPECT_EQ(t.thief->taken.front().size(), many_rings);
}

TEST(MessageSteal, WhoNapsIsUrgedAwake) {
    const two t;
    t.thief->appetite[any] = 1;
    t.thief->steal.poll(); // a ticket, which wakes nobody who naps
    const std::uint64_t deadline = skerry::port::now_ns() + 1'000'000;
    t.victim->steal.nap(deadline);
    EXPECT_GE(skerry::port::now_ns(), deadline); // the ticket lay there all the time
    EXPECT_FALSE(t.victim->steal.thieves_wait());
    std::thread napper([&] { t.victim->steal.nap(skerry::port::forever); });
    t.thief->steal.urge();
    napper.join();
    EXPECT_TRUE(t.victim->steal.thieves_wait()); // it has looked
    std::thread again([&] { t.victim->steal.nap(skerry::port::forever); });
    t.victim->steal.wake();
    again.join();
}

TEST(MessageSteal, ClosingIsNotHeldUpByTheOneWhoStandsIn) {
    for (int round = 0; round < 50; ++round) {
        const two t;
        std::atomic<bool> stop{false};
        std::thread driver([&] {
            while (!stop.load()) {
                t.victim->steal.wait(skerry::port::forever);
            }
        });
        t.victim->steal.close_all();
        stop.store(true);
        t.victim->steal.wake();
        driver.join();
        t.thief->steal.poll();
        EXPECT_TRUE(t.thief->closed);
    }
}

TEST(MessageSteal, WhatATaskIsLostByEndsTheProcessWithAMessage) {
    const auto end_by = [](const std::exception_ptr& fault) {
        const auto end = run_in_child([&] {
            const two t;
            t.thief->appetite[any] = 1;
            t.victim->fault = fault;
            t.move();
            return 0;
        });
        EXPECT_FALSE(end.exited);
        return end.output;
    };
    EXPECT_THAT(end_by(std::make_exception_ptr(std::bad_alloc())),
                HasSubstr("skerry: out of memory for a task between two processes\n"));
    EXPECT_THAT(end_by(std::make_exception_ptr(std::runtime_error("it is damaged"))),
                HasSubstr("skerry: a task between two processes: it is damaged\n"));
}

TEST(MessageSteal, ClosingWithoutMemoryEndsTheProcessWithAMessage) {
    const auto end = run_in_child([] {
        auto ends = fabric::threads::make(2);
        side s(std::make_unique<failing>(std::move(ends[0]), std::make_exception_ptr(std::bad_alloc())));
        s.steal.close_all();
        return 0;
    });
    EXPECT_FALSE(end.exited);
    EXPECT_THAT(end.output, HasSubstr("skerry: out of memory for a task between two processes\n"));
}

} // namespace
