// SPDX-License-Identifier: Apache-2.0

#include <skerry/detail/trace/writer.hpp>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <skerry/detail/sync/machine.hpp>

#include "base/port/clock.hpp"

namespace skerry::detail {

namespace {

using buffer = trace_buffer<machine>;

std::uint64_t one_more() noexcept {
    static std::uint64_t now = 0;
    return ++now;
}

// What every writer offers, so that one can stand for another.
template <class Writer>
concept trace_writer = requires(const Writer w) {
    { w.on() } -> std::same_as<bool>;
    w.put(trace_event::publish, 0, 0, 0);
    w.spawn(1, 2, task_naming::text);
    w.steal(1, 2, steal_how::forced);
    w.sleep();
};
static_assert(trace_writer<trace_sink<machine>> && trace_writer<null_trace>);
static_assert(std::is_empty_v<null_trace>);

TEST(TraceWriter, KeepsFieldsAndOrder) {
    buffer b(7, 16, &one_more);
    const trace_sink<machine> to(&b);
    ASSERT_TRUE(to.on());
    to.spawn(11, 22, task_naming::type);
    to.steal(11, 3, steal_how::forced);
    to.sleep();
    const trace_snapshot s = b.snapshot();
    ASSERT_EQ(s.records.size(), 3U);
    EXPECT_EQ(s.dropped, 0U);
    EXPECT_EQ(s.records[0].event, trace_event::spawn);
    EXPECT_EQ(s.records[0].task, 11U);
    EXPECT_EQ(s.records[0].argument, 22U);
    EXPECT_EQ(s.records[0].detail, 2U);
    EXPECT_EQ(s.records[1].event, trace_event::steal);
    EXPECT_EQ(s.records[1].argument, 3U);
    EXPECT_EQ(s.records[1].detail, 1U);
    EXPECT_EQ(s.records[2].event, trace_event::sleep);
    for (const trace_record& r : s.records) {
        EXPECT_EQ(r.executor, 7U);
    }
    EXPECT_LT(s.records[0].time, s.records[1].time);
    EXPECT_LT(s.records[1].time, s.records[2].time);
}

TEST(TraceWriter, KeepsTheNewestAndCountsTheRest) {
    buffer b(0, 8, &one_more);
    for (std::uint64_t i = 0; i < 7; ++i) {
        b.put(trace_event::spawn, i);
    }
    EXPECT_EQ(b.snapshot().records.size(), 7U);
    EXPECT_EQ(b.snapshot().dropped, 0U);
    for (std::uint64_t i = 7; i < 1000; ++i) {
        b.put(trace_event::spawn, i);
        const trace_snapshot s = b.snapshot();
        ASSERT_EQ(s.records.size(), 7U);
        ASSERT_EQ(s.dropped, i + 1 - 7);
        for (std::size_t k = 0; k < 7; ++k) {
            ASSERT_EQ(s.records[k].task, s.dropped + k);
        }
    }
}

TEST(TraceWriter, TheSmallestBufferHoldsOneRecord) {
    buffer b(0, 0, &one_more);
    EXPECT_TRUE(b.snapshot().records.empty());
    b.put(trace_event::sleep, 1);
    b.put(trace_event::wake, 2);
    const trace_snapshot s = b.snapshot();
    ASSERT_EQ(s.records.size(), 1U);
    EXPECT_EQ(s.records[0].task, 2U);
    EXPECT_EQ(s.dropped, 1U);
}

TEST(TraceWriter, OffAndNullWriteNothing) {
    const trace_sink<machine> off;
    EXPECT_FALSE(off.on());
    off.start(1, 2, task_naming::code);
    const null_trace none;
    EXPECT_FALSE(none.on());
    none.start(1, 2, task_naming::code);
    none.transfer(1, 64, 1);
}

// Each record says the same in all its words, so that a mixture of two shows.
TEST(TraceWriter, contention) {
    constexpr std::uint64_t each = 200'000;
    constexpr unsigned executors = 3;
    std::vector<std::unique_ptr<buffer>> buffers;
    for (unsigned i = 0; i < executors; ++i) {
        buffers.push_back(std::make_unique<buffer>(i, 64, &port::ticks));
    }
    std::atomic<unsigned> running{executors};
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < executors; ++i) {
        threads.emplace_back([&, i] {
            for (std::uint64_t n = 0; n < each; ++n) {
                buffers[i]->put(trace_event::steal, n, n * 3, static_cast<std::uint16_t>(n));
            }
            running.fetch_sub(1);
        });
    }
    const auto check = [&](unsigned i) {
        const trace_snapshot s = buffers[i]->snapshot();
        std::uint64_t expected = s.dropped;
        std::uint64_t time = 0;
        for (const trace_record& r : s.records) {
            ASSERT_EQ(r.task, expected++);
            ASSERT_EQ(r.argument, r.task * 3);
            ASSERT_EQ(r.detail, static_cast<std::uint16_t>(r.task));
            ASSERT_EQ(r.executor, i);
            ASSERT_LE(time, r.time);
            time = r.time;
        }
    };
    do {
        for (unsigned i = 0; i < executors; ++i) {
            check(i);
        }
    } while (running.load() != 0);
    for (unsigned i = 0; i < executors; ++i) {
        threads[i].join();
        check(i);
        EXPECT_EQ(buffers[i]->snapshot().records.size(), 63U);
        EXPECT_EQ(buffers[i]->snapshot().dropped, each - 63);
    }
}

TEST(TraceEvents, EachHasANumberAWordAndItsPartner) {
    std::set<trace_event> seen;
    for (const trace_event_info& info : trace_events) {
        EXPECT_TRUE(seen.insert(info.event).second) << info.name;
        EXPECT_STRNE(info.words, "");
        const bool ends = info.shape == trace_shape::end || info.shape == trace_shape::async_end;
        EXPECT_EQ(ends, info.closes != info.event) << info.name;
    }
    for (const trace_event wanted : {trace_event::spawn, trace_event::ready, trace_event::start, trace_event::end,
                                     trace_event::steal, trace_event::wait, trace_event::transfer, trace_event::publish,
                                     trace_event::discard, trace_event::sleep, trace_event::wake}) {
        EXPECT_TRUE(seen.contains(wanted));
    }
}

} // namespace

} // namespace skerry::detail
