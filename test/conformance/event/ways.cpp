// SPDX-License-Identifier: Apache-2.0

#include "ways.hpp"

#include <array>
#include <cstdlib>
#include <initializer_list>
#include <ostream>

namespace skerry::test {

namespace {

// Beside the cores one thread runs tasks, on each machine. With one worker, which is none beside them, spawn() runs its
// task in place.
[[maybe_unused]] const int one_more_worker = setenv("SKERRY_WORKERS", "2", 1);

constexpr std::array dispatch_modes = {
    dispatch_mode{"synchronous", [](skerry_em_options_t&) {}},
    dispatch_mode{"asynchronous", [](skerry_em_options_t& o) { o.asynchronous = 1; }},
    dispatch_mode{"cooperative", [](skerry_em_options_t& o) { o.cooperative = 1; }},
};

std::vector<way> ways(std::initializer_list<int> cores, std::initializer_list<bool> verified) {
    std::vector<way> all;
    for (const dispatch_mode& dispatch : dispatch_modes) {
        for (const int count : cores) {
            for (const bool v : verified) {
                all.push_back({&dispatch, count, v});
            }
        }
    }
    return all;
}

} // namespace

// Once for the tests of all files.
INSTANTIATE_TEST_SUITE_P(ways, event_rules, testing::ValuesIn(ways({1, 2, 4}, {false, true})),
                         testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(ways, event_rules_of_several_cores, testing::ValuesIn(ways({2, 4}, {false, true})),
                         testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(ways, event_rules_of_verification, testing::ValuesIn(ways({1, 2, 4}, {true})),
                         testing::PrintToStringParamName());

void PrintTo(const way& w, std::ostream* out) {
    *out << w.dispatch->name << '_' << w.cores << (w.verified ? "_verified" : "");
}

} // namespace skerry::test
