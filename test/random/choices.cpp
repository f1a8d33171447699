// SPDX-License-Identifier: Apache-2.0

#include "choices.hpp"

#include <cstdio>
#include <cstdlib>
#include <ostream>
#include <random>
#include <sstream>
#include <utility>

#include <gtest/gtest.h>

#include <rapidcheck.h>

namespace random_programs {

namespace {

rc::Gen<choices> any_choices() {
    return rc::gen::map(rc::gen::scale(10.0, rc::gen::container<std::vector<std::uint8_t>>(rc::gen::resize(
                                                 rc::kNominalSize, rc::gen::arbitrary<std::uint8_t>()))),
                        [](std::vector<std::uint8_t> list) { return choices{std::move(list)}; });
}

} // namespace

program made_of(const choices& c) {
    program p = make_program(c.list);
    return c.without.empty() ? p : without(p, c.without);
}

void showValue(const choices& c, std::ostream& out) { out << '\n' << text_of(made_of(c)); }

double stress_seconds() {
    const char* const text = std::getenv("SKERRY_STRESS_SECONDS");
    return text != nullptr ? std::atof(text) : 1.0;
}

std::uint64_t first_seed() {
    const char* const text = std::getenv("SKERRY_STRESS_SEED");
    const std::uint64_t seed = text != nullptr ? std::strtoull(text, nullptr, 10) : std::random_device{}();
    std::setvbuf(stdout, nullptr, _IOLBF, 0); // a test that is stopped from outside has said where it began
    std::printf("first seed %llu\n", static_cast<unsigned long long>(seed));
    return seed;
}

std::string check_round(std::uint64_t seed, unsigned programs, const std::function<void(const choices&)>& property) {
    rc::detail::TestParams params;
    params.seed = seed;
    params.maxSuccess = static_cast<int>(programs);
    const auto result = rc::detail::checkProperty(rc::detail::toProperty([&] { property(*any_choices()); }),
                                                  rc::detail::TestMetadata{}, params);
    if (result.is<rc::detail::SuccessResult>()) {
        return {};
    }
    std::ostringstream text;
    rc::detail::printResultMessage(result, text);
    return text.str();
}

void shares::add(const traits& t) {
    ++programs;
    nested += t.nested ? 1 : 0;
    conflicts += t.conflicts ? 1 : 0;
    overlaps += t.overlaps ? 1 : 0;
    fails += t.fails ? 1 : 0;
    regions += t.uses_regions ? 1 : 0;
    forks += t.forks ? 1 : 0;
    waits_on += t.waits_on ? 1 : 0;
    tasks += t.tasks;
}

void shares::print() const {
    std::printf("%zu programs, %zu tasks; %.0f %% nested, %.0f %% with conflicts, %.0f %% with overlap, %.0f %% with "
                "failures, %.0f %% with regions, %.0f %% with forks, %.0f %% with taskwait_on\n",
                programs, tasks, of(nested), of(conflicts), of(overlaps), of(fails), of(regions), of(forks),
                of(waits_on));
}

void shares::expect_enough() const {
    EXPECT_GE(of(nested), 30);
    EXPECT_GE(of(conflicts), 30);
    EXPECT_GE(of(overlaps), 10);
}

} // namespace random_programs
