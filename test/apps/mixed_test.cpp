// SPDX-License-Identifier: Apache-2.0
// The checker of the program mixed rejects each difference, and the program's stages are what they are called.
#include "mixed/model.hpp"
#include "program.hpp"

#include <memory>

#include <gmock/gmock.h>

namespace {

namespace mixed = apps::mixed;
using testing::HasSubstr;

constexpr mixed::plan plan{3, 20, 2, 1};

void expect_rejected(const std::vector<mixed::outcome>& found, const std::string& reason) {
    const apps::verdict v = mixed::compare(found, plan);
    EXPECT_FALSE(v.ok);
    EXPECT_THAT(v.text, HasSubstr(reason));
}

TEST(check_mixed, accepts_what_is_planned_and_rejects_each_difference) {
    std::vector<mixed::outcome> found = mixed::expected(plan);
    EXPECT_EQ(mixed::compare(found, plan).text, "17 stages as planned, 10 exceptions where they belong");
    EXPECT_TRUE(mixed::compare(found, plan).ok);
    for (mixed::outcome& o : found) {
        const mixed::outcome right = o;
        o.hash ^= 1U;
        expect_rejected(found, right.stage + ": the lanes hold wrong values");
        o = right;
        o.arrived += "!";
        expect_rejected(found, right.stage + ": '" + right.arrived + "!' arrived, not '" + right.arrived + "'");
        o = right;
        o.stage += "!";
        expect_rejected(found, "stands for '" + right.stage + "'");
        o = right;
    }
    found.pop_back();
    expect_rejected(found, "16 stages, not 17");
}

TEST(mixed, lanes_differ_and_so_do_seeds) {
    const auto one = mixed::expected(plan);
    mixed::plan other = plan;
    other.seed = 2;
    EXPECT_NE(one[0].hash, mixed::expected(other)[0].hash);
    EXPECT_NE(mixed::item(plan, 0, 0), mixed::item(plan, 1, 0));
}

TEST(mixed, prints_what_arrived) {
    apps::options tiny;
    tiny.size = apps::size::tiny;
    const auto serial = apps::find_program("mixed")->serial(tiny);
    serial->reset();
    serial->run();
    EXPECT_EQ(serial->print(), "exception of a task: 'task of lane 0'\n"
                               "exception of a branch: 'branch of lane 0'\n"
                               "exception of an async: 'async of lane 0'\n"
                               "exception of a future: 'future of lane 0'\n"
                               "exception of a group: 'group of lane 0'\n"
                               "exception of a finish: 'finish of lane 0'\n"
                               "exception of a branch's task: 'task of lane 0'\n"
                               "exception of an async's task: 'task of lane 0'\n"
                               "exception of a nested task: 'task of lane 0'\n"
                               "exception at finish: 'task of lane 0'");
}

} // namespace
