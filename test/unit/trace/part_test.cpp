// SPDX-License-Identifier: Apache-2.0

#include "trace/part.hpp"

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skerry/detail/trace/names.hpp>
#include <skerry/detail/trace/writer.hpp>

namespace skerry::detail {

namespace {

using testing::EndsWith;
using testing::HasSubstr;

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

} // namespace

} // namespace skerry::detail
