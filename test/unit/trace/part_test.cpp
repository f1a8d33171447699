// SPDX-License-Identifier: Apache-2.0

#include "trace/part.hpp"

#include <cstring>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <skerry/detail/trace/names.hpp>
#include <skerry/detail/trace/writer.hpp>

namespace skerry::detail {

namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::ThrowsMessage;

trace_part example() {
    trace_part p;
    p.domain = 3;
    p.rank = 2;
    p.name = "two workers";
    p.clock = {.ticks_per_second = 2.5e9, .origin_ticks = 17, .origin_ns = 99, .ahead_ns = -5};
    p.executors.push_back({.number = 0, .name = "worker 0", .dropped = 4, .records = {}});
    trace_record r{};
    r.task = 42;
    r.event = trace_event::steal;
    r.detail = 2;
    p.executors.push_back({.number = 1, .name = "", .dropped = 0, .records = {r, r}});
    p.names.push_back({.address = 7, .text = "seven"});
    return p;
}

TEST(TracePart, BytesBringEverythingOver) {
    const trace_part before = example();
    const trace_part after = part_from_bytes(to_bytes(before));
    EXPECT_EQ(to_bytes(after), to_bytes(before));
    EXPECT_EQ(after.domain, 3U);
    EXPECT_EQ(after.rank, 2U);
    EXPECT_EQ(after.name, "two workers");
    EXPECT_EQ(after.clock.ticks_per_second, 2.5e9);
    EXPECT_EQ(after.clock.origin_ticks, 17U);
    EXPECT_EQ(after.clock.origin_ns, 99U);
    EXPECT_EQ(after.clock.ahead_ns, -5);
    ASSERT_EQ(after.executors.size(), 2U);
    EXPECT_EQ(after.executors[0].dropped, 4U);
    ASSERT_EQ(after.executors[1].records.size(), 2U);
    EXPECT_EQ(
        std::memcmp(after.executors[1].records.data(), before.executors[1].records.data(), 2 * sizeof(trace_record)),
        0);
    ASSERT_EQ(after.names.size(), 1U);
    EXPECT_EQ(after.names[0].text, "seven");
}

TEST(TracePart, EveryPrefixIsRefused) {
    const std::vector<std::byte> whole = to_bytes(example());
    for (std::size_t n = 0; n < whole.size(); ++n) {
        EXPECT_THAT([&] { static_cast<void>(part_from_bytes(std::span(whole).first(n))); },
                    ThrowsMessage<std::invalid_argument>("skerry: a part of a trace is cut short"));
    }
}

TEST(TracePart, OtherBytesAreRefused) {
    std::vector<std::byte> bytes = to_bytes(example());
    bytes.push_back(std::byte{0});
    EXPECT_THAT([&] { static_cast<void>(part_from_bytes(bytes)); },
                ThrowsMessage<std::invalid_argument>("skerry: a part of a trace has bytes behind its end"));
    bytes.pop_back();
    bytes[0] ^= std::byte{1};
    EXPECT_THAT([&] { static_cast<void>(part_from_bytes(bytes)); },
                ThrowsMessage<std::invalid_argument>(
                    "skerry: these bytes are no part of a trace of this version and byte order"));
}

RC_GTEST_PROP(TracePart, ChangedBytesAreReadOrRefused, ()) {
    std::vector<std::byte> bytes = to_bytes(example());
    const auto changes = *rc::gen::inRange(1, 5);
    for (int i = 0; i < changes; ++i) {
        bytes[*rc::gen::inRange<std::size_t>(8, bytes.size())] = static_cast<std::byte>(*rc::gen::inRange(0, 256));
    }
    try {
        RC_ASSERT(to_bytes(part_from_bytes(bytes)).size() == bytes.size());
    } catch (const std::invalid_argument&) {
        RC_SUCCEED("refused");
    }
}

void some_code() noexcept {}
int with_parameters(int (*f)(int)) noexcept { return f(1); }

TEST(TraceNames, CodeAndTextAreResolvedWhereTheyMeanSomething) {
    static const char* const text = "join of a stolen branch";
    name_code(trace_id(&some_code), "gemm");
    name_code(trace_id(&some_code), "another name is too late");
    trace_part p;
    trace_record start{};
    start.event = trace_event::start;
    start.argument = trace_id(&some_code);
    trace_record wait{};
    wait.event = trace_event::wait;
    wait.argument = trace_id(text);
    trace_record unknown{};
    unknown.event = static_cast<trace_event>(999);
    unknown.argument = 5;
    p.executors.push_back({.number = 0, .name = "", .dropped = 0, .records = {start, wait, wait, unknown, start}});
    resolve_names(p);
    std::set<std::string> names;
    for (const trace_name& n : p.names) {
        names.insert(n.text);
    }
    EXPECT_EQ(names, (std::set<std::string>{"gemm", "join of a stolen branch"}));
    EXPECT_LT(p.names[0].address, p.names[1].address);
}

template <class F, class... K>
struct like_a_spawned_task {
    static constexpr const char* words() { return __PRETTY_FUNCTION__; }
};
struct solver {};

TEST(TraceNames, TasksAreCalledAsTheyAskOrByTheirFunctionsType) {
    static const char* const literal = "factor";
    const auto record = [](trace_event event, const char* at, task_naming named) {
        trace_record r{};
        r.event = event;
        r.argument = trace_id(at);
        r.detail = static_cast<std::uint16_t>(named);
        return r;
    };
    const char* const words = like_a_spawned_task<solver, int, double>::words(); // of this compiler
    trace_part p;
    p.executors.push_back({.number = 0,
                           .name = "",
                           .dropped = 0,
                           .records = {record(trace_event::spawn, words, task_naming::type),
                                       record(trace_event::start, literal, task_naming::text)}});
    resolve_names(p);
    ASSERT_EQ(p.names.size(), 2U);
    EXPECT_EQ(p.names[p.names[0].address == trace_id(literal) ? 0 : 1].text, "factor");
    EXPECT_THAT(p.names[p.names[0].address == trace_id(words) ? 0 : 1].text, EndsWith("::solver"));
    EXPECT_EQ(name_of_type("static x spawned_task<F, K>::text() [with F = main()::<lambda(int (&)[3])>; K = {a}]"),
              "main()::<lambda(int (&)[3])>");
    EXPECT_EQ(name_of_type("x spawned_task<(lambda at a.cpp:3:1), b>::text() [F = (lambda at a.cpp:3:1), K = <b>]"),
              "(lambda at a.cpp:3:1)");
    EXPECT_EQ(name_of_type("turned"), "turned");
}

TEST(TraceNames, CodeWithoutANameIsFoundInItsModule) {
    static const auto nameless = [] {};
    const auto code = static_cast<void (*)()>(nameless);
    const auto address = reinterpret_cast<std::uintptr_t>(code);
    EXPECT_THAT(name_of_code(address), HasSubstr("CodeWithoutANameIsFoundInItsModule"));
    static const int no_function = 3;
    EXPECT_THAT(name_of_code(trace_id(&no_function)), HasSubstr("unit_trace_part+0x"));
    EXPECT_THAT(name_of_code(trace_id(&with_parameters)), EndsWith("::(anonymous namespace)::with_parameters"));
    EXPECT_EQ(name_of_code(1), "0x1");
}

TEST(TraceClock, APeerAheadIsSeenAhead) {
    // 1000 ahead, 30 there, 10 for the answer, 30 back.
    EXPECT_EQ(clock_ahead(100, 1130, 1140, 170), 1000);
    EXPECT_EQ(clock_ahead(1100, 130, 140, 1170), -1000);
    EXPECT_EQ(clock_ahead(0, 0, 0, 0), 0);
    EXPECT_EQ(clock_ahead(0, 3, 3, 0), 3);
}

} // namespace

} // namespace skerry::detail
