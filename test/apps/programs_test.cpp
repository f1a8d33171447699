// SPDX-License-Identifier: Apache-2.0
// What every program of the registry must do, at size tiny, in both variants.
#include "program.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <skerry/runtime.hpp>

namespace {

using apps::instance;
using apps::program;

class every_program : public testing::TestWithParam<const program*> {
  protected:
    const program& program_ = *GetParam();
};

apps::options tiny(std::uint64_t seed = 1) {
    apps::options o;
    o.size = apps::size::tiny;
    o.seed = seed;
    return o;
}

void run_and_check(instance& i) {
    i.reset();
    i.run();
    const apps::verdict v = i.check();
    EXPECT_TRUE(v.ok) << v.text;
    EXPECT_FALSE(v.text.empty());
}

void check_rejects_damage(instance& i) {
    i.corrupt();
    const apps::verdict v = i.check();
    EXPECT_FALSE(v.ok) << "the damaged result passed: " << v.text;
    EXPECT_FALSE(v.text.empty());
}

TEST_P(every_program, serial_elision_is_right) {
    const auto serial = program_.serial(tiny());
    run_and_check(*serial);
    check_rejects_damage(*serial);
    run_and_check(*serial);
}

TEST_P(every_program, parallel_variant_is_right_and_agrees) {
    const auto serial = program_.serial(tiny());
    run_and_check(*serial);
    for (const unsigned workers : {1U, 2U, 5U}) {
        skerry::options with;
        with.workers = workers;
        skerry::runtime runtime(with);
        runtime.run([&] {
            const auto parallel = program_.parallel(tiny());
            for (int round = 0; round < 3; ++round) {
                run_and_check(*parallel);
                EXPECT_EQ(parallel->digest(), serial->digest()) << workers << " workers, round " << round;
            }
            check_rejects_damage(*parallel);
            run_and_check(*parallel);
        });
    }
}

TEST_P(every_program, finest_granularity_is_right) {
    apps::options o = tiny(2);
    o.granularity = 1;
    const auto serial = program_.serial(o);
    run_and_check(*serial);
    skerry::options with;
    with.workers = 3;
    skerry::runtime runtime(with);
    runtime.run([&] {
        const auto parallel = program_.parallel(o);
        run_and_check(*parallel);
        EXPECT_EQ(parallel->digest(), serial->digest());
    });
}

TEST_P(every_program, describes_itself) {
    EXPECT_THAT(program_.info.example, testing::StartsWith("skerry run "));
    EXPECT_FALSE(program_.info.summary.empty());
    EXPECT_EQ(program_.info.in_table_iii(), program_.info.paper.granularity != 0U);
    EXPECT_FALSE(program_.serial(tiny())->problem().empty());
    EXPECT_EQ(apps::find_program(program_.info.name), &program_);
}

std::vector<const program*> pointers() {
    std::vector<const program*> all;
    for (const program& p : apps::programs()) {
        all.push_back(&p);
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(registry, every_program, testing::ValuesIn(pointers()), [](const auto& parameter) {
    std::string name(parameter.param->info.name);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

TEST(registry, finds_by_full_and_by_short_name) {
    ASSERT_NE(apps::find_program("cilk5-nq"), nullptr);
    EXPECT_EQ(apps::find_program("nq"), apps::find_program("cilk5-nq"));
    EXPECT_EQ(apps::find_program("q"), nullptr);
    EXPECT_EQ(apps::find_program(""), nullptr);
    EXPECT_EQ(apps::find_program("cilk5"), nullptr);
}

TEST(registry, names_the_nearest) {
    EXPECT_EQ(apps::nearest_program("cilk5-mn"), "cilk5-mm");
    EXPECT_EQ(apps::nearest_program("cilk-nq"), "cilk5-nq");
    EXPECT_EQ(apps::nearest_program("lu2"), "cilk5-lu");
}

} // namespace
