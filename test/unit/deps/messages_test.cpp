// SPDX-License-Identifier: Apache-2.0

// How many messages and copies a task takes that goes to another process and comes back. Both ends are runtimes of this
// process, whose endpoints count what passes.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <skerry/dataflow.hpp>
#include <skerry/runtime.hpp>

#include "deps/crossing.hpp"
#include "fabric/threads/threads.hpp"
#include "frontend/dataflow/ends.hpp"
#include "runtime/engine.hpp"

namespace {

namespace fabric = skerry::fabric;
using namespace skerry::detail;
using skerry::in;
using skerry::inout;
using tag = message_steal::tag;

constexpr std::size_t tags = 7;

struct counted {
    std::array<std::atomic<unsigned>, tags> messages{};
    std::atomic<std::uint64_t> longest{0}; // parcel of a grant, in bytes
    std::atomic<unsigned> pulls{0};
    std::atomic<unsigned> pushes{0};
    std::atomic<std::size_t> most_extents{0};
    std::atomic<unsigned> fetches{0};

    [[nodiscard]] unsigned of(tag t) const { return messages.at(static_cast<std::size_t>(t)); }
};

class counting final : public fabric::endpoint {
  public:
    // `fetch`: whether it says that it has that.
    counting(std::unique_ptr<fabric::endpoint> e, counted& to, bool fetch)
        : real_(std::move(e)),
          about_(real_->describe()),
          to_(to) {
        about_.fetch = fetch;
    }

    [[nodiscard]] const fabric::capabilities& describe() const noexcept override { return about_; }
    void on_message(fabric::receiver& to) override { real_->on_message(to); }
    [[nodiscard]] fabric::post_result post(unsigned peer, fabric::kind k, const fabric::message& m) override {
        const fabric::post_result r = real_->post(peer, k, m);
        if (r == fabric::post_result::sent) {
            ++to_.messages.at(m.tag);
            if (static_cast<tag>(m.tag) == tag::grant) {
                to_.longest = std::max(to_.longest.load(), m.words[1]);
            }
        }
        return r;
    }
    std::size_t poll(std::size_t budget) override { return real_->poll(budget); }
    void copy(unsigned peer, fabric::direction way, std::span<const fabric::extent> extents,
              fabric::token done) override {
        ++(way == fabric::direction::pull ? to_.pulls : to_.pushes);
        to_.most_extents = std::max(to_.most_extents.load(), extents.size());
        real_->copy(peer, way, extents, done);
    }
    [[nodiscard]] bool fetch(unsigned peer, std::span<const fabric::extent> extents) override {
        ++to_.fetches;
        return real_->fetch(peer, extents);
    }
    [[nodiscard]] std::optional<fabric::completion> completed() override { return real_->completed(); }
    void kick(unsigned peer) override { real_->kick(peer); }
    [[nodiscard]] bool left_over() override { return real_->left_over(); }
    bool wait(std::uint64_t deadline_ns, fabric::turn* mine) override { return real_->wait(deadline_ns, mine); }
    bool nap(std::uint64_t deadline_ns) override { return real_->nap(deadline_ns); }

  private:
    std::unique_ptr<fabric::endpoint> real_;
    fabric::capabilities about_;
    counted& to_;
};

skerry::options one_worker() {
    skerry::options o;
    o.workers = 1;
    return o;
}

constexpr unsigned tasks = 20;
constexpr std::size_t objects = 3;

void add(std::span<std::uint64_t> a, std::span<const std::uint64_t> b, std::span<std::uint64_t> c) {
    for (std::size_t i = 0; i < a.size(); ++i) {
        c[i] += a[i] += b[i];
    }
}

struct both {
    counted home;
    counted away;
};

// So many tasks on three objects of `words` words each, all of them in the other runtime.
void run_away(both& seen, std::size_t words, bool fetch) {
    auto ends = fabric::threads::make(2);
    const auto crossing_over = [&](std::size_t i, counted& to) {
        return std::make_unique<crossing>(engine::current().crew(),
                                          std::make_unique<counting>(std::move(ends[i]), to, fetch),
                                          task_ends{&execute_spawned, &end_away, []() noexcept {}}, false, nullptr);
    };
    skerry::runtime r(one_worker());
    std::thread other;
    r.run([&] {
        skerry::region home = skerry::root_region().create();
        std::vector<std::span<std::uint64_t>> all;
        for (std::size_t i = 0; i < objects * tasks; ++i) {
            all.push_back(home.make_array<std::uint64_t>(words));
            std::ranges::fill(all.back(), i);
        }
        const auto here = crossing_over(0, seen.home);
        other = std::thread([&] {
            skerry::runtime there(one_worker());
            there.run([&] {
                const auto away = crossing_over(1, seen.away);
                std::atomic<bool> closed{false};
                std::thread beside([&] { // as in a process
                    while (!closed) {
                        away->stand_in();
                    }
                });
                away->serve(worker::of(*current_page));
                closed = true;
                away->messages().wake();
                beside.join();
            });
        });
        for (std::size_t i = 0; i < all.size(); i += objects) {
            skerry::spawn(add, inout(all[i]), in(std::span<const std::uint64_t>(all[i + 1])), inout(all[i + 2]));
        }
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
        // All the ends that were sent, taken in: only then is there nothing that taskwait() could bring ahead of the
        // last.
        while ((seen.away.of(tag::done) < tasks || here->messages().poll()) &&
               std::chrono::steady_clock::now() < deadline) {
            here->messages().poll();
        }
        skerry::taskwait();
        for (std::size_t i = 0; i < all.size(); i += objects) {
            EXPECT_EQ(all[i].back(), 2 * i + 1);
            EXPECT_EQ(all[i + 2].back(), 3 * i + 3);
        }
        here->close();
        other.join();
        home.destroy_all();
    });
}

class messages : public testing::TestWithParam<std::size_t> {};

// Home: the task in one parcel, and nothing else. Away: one ticket for each, and those that there is room for; one
// command that brings all; one message that tells the end.
void expect_few(const both& seen) {
    EXPECT_EQ(seen.home.of(tag::grant), tasks);
    EXPECT_EQ(seen.away.of(tag::done), tasks);
    constexpr std::uint64_t with_the_grant = 40;
    constexpr std::uint64_t in_each_part = 56;
    const std::uint64_t parts = (seen.home.longest - with_the_grant + in_each_part - 1) / in_each_part;
    EXPECT_EQ(seen.home.of(tag::more), parts * tasks);
    EXPECT_LE(parts, objects + 1); // what does not fit beside the ticket is a bit more than a message for each object
    EXPECT_EQ(seen.away.of(tag::more), 0U);
    constexpr unsigned room = 3; // one that runs, one that comes, one that goes
    EXPECT_LE(seen.away.of(tag::want), tasks + room);
    EXPECT_EQ(seen.home.of(tag::want) + seen.home.of(tag::unwant) + seen.home.of(tag::done) + seen.away.of(tag::grant),
              0U);
    EXPECT_EQ(seen.away.pulls, tasks);
    EXPECT_EQ(seen.home.pulls + seen.home.pushes, 0U);
    EXPECT_LE(seen.away.most_extents, objects);
}

TEST_P(messages, are_few_where_what_is_written_is_kept) {
    both seen;
    run_away(seen, GetParam(), true);
    expect_few(seen);
    EXPECT_EQ(seen.away.pushes, 0U);
    EXPECT_EQ(seen.home.fetches, 1U); // all at once, by the wait
}

TEST_P(messages, are_few_where_what_is_written_is_sent) {
    both seen;
    run_away(seen, GetParam(), false);
    expect_few(seen);
    EXPECT_EQ(seen.away.pushes, tasks); // the two objects of each in one command
    EXPECT_EQ(seen.home.fetches, 0U);
}

INSTANTIATE_TEST_SUITE_P(objects_of, messages, testing::Values(1, 10'000),
                         [](const auto& words) { return std::to_string(words.param) + "_words"; });

} // namespace
