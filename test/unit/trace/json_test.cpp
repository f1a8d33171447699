// SPDX-License-Identifier: Apache-2.0

#include "trace/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <skerry/detail/trace/writer.hpp>

#include "picture.hpp"

namespace skerry::detail {

namespace {

using skerry_test::picture;

std::string json_of(std::span<const trace_part> parts, std::uint64_t base_ns = 0) {
    std::string text;
    write_json(parts, [&](std::string_view piece) { text += piece; }, base_ns);
    return text;
}

trace_record at(std::uint64_t time, trace_event event, std::uint64_t task = 0, std::uint64_t argument = 0,
                std::uint16_t detail = 0) {
    return {.time = time, .task = task, .argument = argument, .executor = 0, .detail = detail, .event = event};
}

using e = trace_event;

// A domain whose ticks are nanoseconds.
trace_part domain(std::uint32_t number, std::vector<std::vector<trace_record>> executors) {
    trace_part p;
    p.domain = number;
    p.name = "domain " + std::to_string(number);
    for (std::uint32_t i = 0; i < executors.size(); ++i) {
        p.executors.push_back(
            {.number = i, .name = "worker " + std::to_string(i), .dropped = 0, .records = std::move(executors[i])});
    }
    return p;
}

trace_part with_rank(std::uint32_t rank, trace_part p) {
    p.rank = rank;
    return p;
}

picture drawn(const trace_part& p) { return picture(json_of({&p, 1})); }

TEST(TraceJson, NothingIsATraceToo) {
    EXPECT_TRUE(nlohmann::json::parse(json_of({})).at("traceEvents").empty());
    const picture seen = drawn(domain(4, {{}}));
    EXPECT_EQ(seen.processes.at(4), "domain 4");
    EXPECT_EQ(seen.threads.at({4, 0}), "worker 0");
}

TEST(TraceJson, SlicesNestAndAreNamed) {
    trace_part p = domain(0, {{at(1000, e::start, 8, 77), at(2500, e::wait, 9, 88), at(3000, e::sleep),
                               at(4000, e::wake), at(4001, e::resume, 9), at(5000, e::end, 8)}});
    p.names = {{.address = 77, .text = "gemm"}, {.address = 88, .text = "taskwait"}};
    const picture seen = drawn(p);
    const auto& all = seen.slices.at({0, 0});
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0].name, "sleep");
    EXPECT_EQ(all[0].depth, 2U);
    EXPECT_EQ(all[1].name, "wait: taskwait");
    EXPECT_EQ(all[1].depth, 1U);
    EXPECT_EQ(all[2].name, "gemm");
    EXPECT_EQ(all[2].depth, 0U);
    EXPECT_DOUBLE_EQ(all[2].begin, 1.0); // microseconds
    EXPECT_DOUBLE_EQ(all[1].begin, 2.5);
    EXPECT_DOUBLE_EQ(all[1].end, 4.001);
    EXPECT_FALSE(all[2].unfinished);
}

TEST(TraceJson, WhatDidNotEndIsEndedAndWhatDidNotBeginIsLeftOut) {
    trace_part p = domain(0, {{at(10, e::end, 1), at(20, e::wake), at(30, e::start, 2), at(40, e::wait, 3),
                               at(50, e::end, 2), at(60, e::sleep)},
                              {at(500, e::sleep), at(900, e::wake)}});
    p.executors[0].dropped = 12;
    const picture seen = drawn(p);
    const auto& all = seen.slices.at({0, 0});
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0].category, "wait");
    EXPECT_TRUE(all[0].unfinished); // the task ended around it
    EXPECT_FALSE(all[1].unfinished);
    EXPECT_EQ(all[2].category, "sleep");
    EXPECT_TRUE(all[2].unfinished);
    EXPECT_DOUBLE_EQ(all[2].end, 0.9); // the domain's end
    ASSERT_EQ(seen.instants.size(), 1U);
    EXPECT_EQ(seen.instants[0].at("name"), "older events were dropped");
    EXPECT_EQ(seen.instants[0].at("args").at("events"), 12);
}

TEST(TraceJson, AnArrowLeadsFromTheSpawnToAStartElsewhere) {
    const picture seen = drawn(domain(0, {{at(0, e::start, 1), at(10, e::spawn, 2), at(11, e::spawn, 3),
                                           at(20, e::start, 3), at(21, e::end, 3), at(50, e::end, 1)},
                                          {at(15, e::steal, 2, 0, 1), at(16, e::start, 2), at(30, e::end, 2)}}));
    ASSERT_EQ(seen.flows.size(), 1U); // not for the one that stayed
    EXPECT_EQ(seen.flows.begin()->second, (std::pair{picture::track{0, 0}, picture::track{0, 1}}));
    const auto stolen =
        std::find_if(seen.instants.begin(), seen.instants.end(), [](const auto& i) { return i.at("cat") == "steal"; });
    ASSERT_NE(stolen, seen.instants.end());
    EXPECT_EQ(stolen->at("args").at("victim"), 0);
    EXPECT_EQ(stolen->at("args").at("how"), "forced");
    EXPECT_EQ(stolen->at("args").at("task"), seen.slices.at({0, 1})[0].args.at("task"));
}

// An event goes from queue to queue under one address.
TEST(TraceJson, AnArrowLeadsFromASendToAReceiveFunctionElsewhere) {
    const picture seen = drawn(
        domain(0, {{at(0, e::take_queue, 0x101), at(1, e::start, 64), at(10, e::send, 64, 0x102), at(11, e::end, 64)},
                   {at(20, e::take_queue, 0x102), at(21, e::start, 64), at(22, e::send, 64, 0x103), at(23, e::end, 64),
                    at(24, e::take_queue, 0x103), at(25, e::start, 64), at(26, e::end, 64)}}));
    ASSERT_EQ(seen.flows.size(), 1U); // the second receiver is on the same core
    EXPECT_EQ(seen.flows.begin()->second, (std::pair{picture::track{0, 0}, picture::track{0, 1}}));
    std::vector<std::string> taken;
    std::vector<std::string> sent_to;
    for (const auto& i : seen.instants) {
        (i.at("cat") == "take_queue" ? taken : sent_to).push_back(i.at("args").at("queue"));
    }
    EXPECT_EQ(taken, (std::vector<std::string>{"0x101", "0x102", "0x103"}));
    EXPECT_EQ(sent_to, (std::vector<std::string>{"0x102", "0x103"}));
}

TEST(TraceJson, ABranchThatWasStolenHasAnArrowFromItsVictim) {
    const picture seen = drawn(domain(
        0, {{at(0, e::enter), at(50, e::leave)}, {at(15, e::steal, 2, 0, 1), at(16, e::start, 2), at(30, e::end, 2)}}));
    ASSERT_EQ(seen.flows.size(), 1U);
    EXPECT_EQ(seen.flows.begin()->second, (std::pair{picture::track{0, 0}, picture::track{0, 1}}));
}

TEST(TraceJson, AnAddressUsedAgainIsAnotherTask) {
    const picture seen = drawn(domain(0, {{at(0, e::enter), at(90, e::leave)},
                                          {at(10, e::steal, 2, 0), at(11, e::start, 2), at(12, e::end, 2),
                                           at(20, e::steal, 2, 0), at(21, e::start, 2), at(22, e::end, 2)}}));
    const auto& all = seen.slices.at({0, 1});
    ASSERT_EQ(all.size(), 2U);
    EXPECT_NE(all[0].args.at("task"), all[1].args.at("task"));
    EXPECT_EQ(seen.flows.size(), 2U);
}

TEST(TraceJson, TransfersGoOnBesideOtherWorkAndEndAnywhere) {
    const picture seen = drawn(
        with_rank(3, domain(0, {{at(10, e::transfer, 0, 64, 1), at(11, e::transfer, 1, 4096, trace_route(1, true)),
                                 at(12, e::start, 9), at(40, e::arrive, 1)},
                                {at(30, e::arrive, 0), at(31, e::arrive, 0), at(50, e::transfer, 0, 1, 2),
                                 at(60, e::publish, 0, 0)}})));
    ASSERT_EQ(seen.transfers.size(), 3U);
    EXPECT_DOUBLE_EQ(seen.transfers[0].end, 0.030);
    EXPECT_EQ(seen.transfers[0].args.at("size in bytes"), 64);
    EXPECT_EQ(seen.transfers[0].args.at("way"), "pull");
    EXPECT_EQ(seen.transfers[0].args.at("from"), 1);
    EXPECT_EQ(seen.transfers[0].args.at("to"), 3);
    EXPECT_EQ(seen.transfers[1].args.at("way"), "push");
    EXPECT_EQ(seen.transfers[1].args.at("from"), 3);
    EXPECT_EQ(seen.transfers[1].args.at("to"), 1);
    EXPECT_DOUBLE_EQ(seen.transfers[1].end, 0.040);
    EXPECT_TRUE(seen.transfers[2].unfinished);
    EXPECT_DOUBLE_EQ(seen.transfers[2].end, 0.060);
}

TEST(TraceJson, AnArrowLeadsFromTheEndOfTheLastTaskBeforeAnother) {
    const picture seen =
        drawn(domain(0, {{at(0, e::enter), at(1, e::spawn, 1), at(2, e::ready, 1), at(3, e::spawn, 2),
                          at(4, e::spawn, 3), at(10, e::start, 1), at(20, e::end, 1), at(21, e::ready, 2, 1),
                          at(22, e::ready, 3, 1), at(23, e::start, 2), at(30, e::end, 2), at(31, e::spawn, 4),
                          at(32, e::ready, 4, 1), at(33, e::start, 4), at(34, e::end, 4), at(90, e::leave)},
                         {at(40, e::start, 3), at(50, e::end, 3)}}));
    std::map<picture::track, int> to;
    for (const auto& [id, ends] : seen.dependences) {
        EXPECT_EQ(ends.first, (picture::track{0, 0}));
        ++to[ends.second];
    }
    EXPECT_EQ(to, (std::map<picture::track, int>{{{0, 0}, 1}, {{0, 1}, 1}})); // not to 4: 1 has not ended just now
    EXPECT_EQ(seen.flows.size(), 1U);                                         // 3 also went elsewhere
}

TEST(TraceJson, APublishSaysAtWhichStep) {
    const picture seen =
        drawn(domain(0, {{at(60, e::publish, 0, 0, static_cast<std::uint16_t>(trace_step::turn_passed)),
                          at(61, e::discard, 0, 64, 2)}}));
    ASSERT_EQ(seen.instants.size(), 2U);
    EXPECT_EQ(seen.instants[0].at("args").at("step"), "turn_passed");
    EXPECT_EQ(seen.instants[1].at("args").at("step"), "request_sent");
}

TEST(TraceJson, DomainsMeetOnOneClock) {
    constexpr std::uint64_t shared = 0x8000'0000'0000'0001U;
    std::vector<trace_part> parts{domain(0, {{at(100, e::start, 5), at(200, e::spawn, shared), at(900, e::end, 5)}}),
                                  domain(1, {{at(40, e::start, 5), at(60, e::start, shared), at(80, e::end, shared)}})};
    // Ten nanoseconds a tick, tick 0 at 300.
    parts[1].clock = {.ticks_per_second = 1e8, .origin_ticks = 0, .origin_ns = 300};
    const picture seen(json_of(parts));
    EXPECT_EQ(seen.processes.size(), 2U);
    const auto& there = seen.slices.at({1, 0});
    EXPECT_DOUBLE_EQ(there[0].begin, 0.9);
    EXPECT_DOUBLE_EQ(there[0].end, 1.1);
    // Task 5 of one domain is not task 5 of the other; the shared one is the same in both.
    ASSERT_EQ(seen.flows.size(), 1U);
    EXPECT_EQ(seen.flows.begin()->second, (std::pair{picture::track{0, 0}, picture::track{1, 0}}));
}

TEST(TraceJson, MoreCanBeAddedInTheTailsPlace) {
    std::string text(json_trace::head);
    json_trace to([&](std::string_view piece) { text += piece; });
    const trace_part first = domain(0, {{at(1, e::spawn, 1), at(2, e::start, 1), at(3, e::end, 1)}});
    const trace_part second = domain(1, {{at(1, e::spawn, 1), at(2, e::start, 1), at(3, e::end, 1)}});
    to.add({&first, 1});
    EXPECT_EQ(picture(text + std::string(json_trace::tail)).slices.size(), 1U);
    to.add({&second, 1});
    const picture seen(text + std::string(json_trace::tail));
    EXPECT_NE(seen.slices.at({0, 0})[0].args.at("task"), seen.slices.at({1, 0})[0].args.at("task"));
}

TEST(TraceJson, AClockThatGoesBackOrHasNoRateDoesNoHarm) {
    trace_part p = domain(0, {{at(100, e::start, 1), at(90, e::wait, 1), at(80, e::resume, 1), at(95, e::end, 1)}});
    EXPECT_EQ(drawn(p).slices.at({0, 0}).size(), 2U);
    for (const double rate : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), 1e-300}) {
        p.clock.ticks_per_second = rate;
        EXPECT_EQ(drawn(p).slices.at({0, 0}).size(), 2U);
    }
}

TEST(TraceJson, StringsAreEscaped) {
    const auto escaped = [](std::string_view s) {
        std::string to;
        append_json_string(to, s);
        return to;
    };
    EXPECT_EQ(escaped("a\"b\\c\n\x01"), "\"a\\\"b\\\\c\\u000a\\u0001\"");
    EXPECT_EQ(nlohmann::json::parse(escaped("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8f\x9d")),
              "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8f\x9d");
    for (const char* const bad : {"\x80", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\xff"}) {
        EXPECT_THAT(nlohmann::json::parse(escaped(bad)).get<std::string>(), testing::StartsWith("\xef\xbf\xbd"));
    }
}

RC_GTEST_PROP(TraceJson, AnyBytesMakeAString, (const std::string& text)) {
    std::string to;
    append_json_string(to, text);
    RC_ASSERT(nlohmann::json::parse(to).is_string());
}

// Whatever the records are, the picture holds together.
RC_GTEST_PROP(TraceJson, AnyRecordsMakeAPicture, ()) {
    const auto any_record =
        rc::gen::apply([](std::uint64_t time, std::uint16_t event,
                          std::uint64_t task) { return at(time, static_cast<trace_event>(event), task, time % 3); },
                       rc::gen::inRange<std::uint64_t>(0, 1000), rc::gen::inRange<std::uint16_t>(0, 20),
                       rc::gen::inRange<std::uint64_t>(0, 5));
    auto executors = *rc::gen::container<std::vector<std::vector<trace_record>>>(
        rc::gen::container<std::vector<trace_record>>(any_record));
    for (auto& records : executors) {
        if (*rc::gen::arbitrary<bool>()) { // else the clock jumps, which it may
            std::sort(records.begin(), records.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
        }
    }
    const picture seen = drawn(domain(0, std::move(executors)));
    RC_TAG(seen.flows.empty() ? "no arrow" : "arrows");
    RC_ASSERT(!testing::Test::HasFailure());
}

} // namespace

} // namespace skerry::detail
