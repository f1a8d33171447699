// SPDX-License-Identifier: Apache-2.0
#include "base/port/call_stack.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using skerry::port::call_stack;
using skerry::port::place_of_call;
using testing::HasSubstr;
using testing::MatchesRegex;

std::vector<const void*> stack_here() {
    std::array<const void*, 64> calls;
    const std::size_t count = call_stack(calls);
    return std::vector<const void*>(calls.begin(), calls.begin() + static_cast<std::ptrdiff_t>(count));
}

TEST(CallStack, IsAsDeepAsItIs) {
    const auto deep = [](auto&& self, int n) -> std::size_t {
        return n == 0 ? stack_here().size() : self(self, n - 1);
    };
    EXPECT_GE(deep(deep, 20), deep(deep, 5) + 15);
    std::array<const void*, 3> few;
    EXPECT_EQ(call_stack(few), 3U);
}

// The innermost call is the test's own function, in a line of this file.
TEST(PlaceOfCall, IsALineOfTheSource) { EXPECT_THAT(place_of_call(stack_here()), HasSubstr("call_stack_test.cpp:")); }

[[gnu::noinline]] std::vector<const void*> callers_of_sort() {
    std::vector<const void*> found;
    std::vector<int> numbers{2, 1};
    std::sort(numbers.begin(), numbers.end(), [&found](int a, int b) {
        if (found.empty()) {
            std::vector<const void*> all = stack_here();
            found.assign(all.begin() + 2, all.end()); // without stack_here() and this
        }
        return a < b;
    });
    return found;
}

TEST(PlaceOfCall, IsNotTheStandardLibrarys) {
    EXPECT_THAT(place_of_call(callers_of_sort()), HasSubstr("callers_of_sort()"));
}

TEST(PlaceOfCall, OfNothingIsNothing) { EXPECT_EQ(place_of_call({}), ""); }

// Without symbols nobody knows whose a call is: it is named, and so is who made it.
TEST(PlaceOfCall, NamesWhatIsUnknownAndItsCaller) {
    const auto somewhere = std::make_unique<int>();
    std::vector<const void*> calls{somewhere.get()};
    std::ranges::copy(stack_here(), std::back_inserter(calls));
    EXPECT_THAT(place_of_call(calls), MatchesRegex("0x[0-9a-f]+, called by .*call_stack_test.cpp:[0-9]+ .*"));
}

// The C library has symbols, and on most machines no debug information.
TEST(PlaceOfCall, NamesTheFunctionOfALibrary) {
    static std::vector<const void*> found;
    std::array<int, 2> numbers{2, 1};
    std::qsort(numbers.data(), numbers.size(), sizeof(int), [](const void* a, const void* b) {
        if (found.empty()) {
            found = stack_here();
        }
        return *static_cast<const int*>(a) - *static_cast<const int*>(b);
    });
    const auto is_ours = [](const void* call) {
        const std::string place = place_of_call({&call, 1});
        return place.empty() || place.find("call_stack_test.cpp") != std::string::npos;
    };
    found.erase(found.begin(), std::ranges::find_if_not(found, is_ours));
    EXPECT_THAT(place_of_call(found), HasSubstr("sort"));
}

} // namespace
