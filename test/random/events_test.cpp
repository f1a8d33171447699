// SPDX-License-Identifier: Apache-2.0

// Random programs of the event machine against what they promise. README.md says what is compared.

#include <chrono>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rapidcheck.h>

#include "choices.hpp"
#include "event_program.hpp"
#include "event_run.hpp"

namespace random_events {

namespace {

constexpr int round = 40;                     // programs between two looks at the clock
constexpr std::size_t fewest = 400;           // programs, for the shares to mean something
constexpr unsigned tries_when_shrinking = 20; // a fault may need luck to show

rc::Gen<choices> any_choices() {
    return rc::gen::map(rc::gen::scale(2.0, rc::gen::container<std::vector<std::uint8_t>>(
                                                rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint8_t>()))),
                        [](std::vector<std::uint8_t> list) { return choices{std::move(list)}; });
}

TEST(RandomEvents, KeepTheirPromises) {
    std::size_t programs = 0;
    std::size_t nodes = 0;
    std::size_t ordered = 0;
    std::size_t masks = 0;
    std::size_t suspended = 0;
    std::string last; // that has failed: what needs luck may not fail once more for RapidCheck's own text
    const auto property = [&] {
        const program p = make_program(*any_choices());
        ++programs;
        nodes += p.nodes.size();
        ordered += p.orders() ? 1 : 0;
        masks += p.changes_masks() ? 1 : 0;
        suspended += p.suspends() ? 1 : 0;
        for (unsigned tries = last.empty() ? 1 : tries_when_shrinking; tries > 0; --tries) {
            if (const std::string wrong = run_program(p); !wrong.empty()) {
                last = text_of(p) + wrong;
                RC_FAIL(wrong);
            }
        }
    };
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::duration<double>(2 * random_programs::stress_seconds());
    for (std::uint64_t seed = random_programs::first_seed();
         std::chrono::steady_clock::now() < end || programs < fewest; ++seed) {
        rc::detail::TestParams params = rc::detail::configuration().testParams; // RC_PARAMS may say not to shrink
        params.seed = seed;
        params.maxSuccess = round;
        const auto result =
            rc::detail::checkProperty(rc::detail::toProperty(property), rc::detail::TestMetadata{}, params);
        if (!result.is<rc::detail::SuccessResult>()) {
            std::ostringstream text;
            rc::detail::printResultMessage(result, text);
            FAIL() << text.str() << "\nThe last program that has failed:\n"
                   << last << "\nSKERRY_STRESS_SEED=" << seed << " repeats it.";
        }
    }
    std::printf("%zu programs, %zu events; %zu programs with ordered queues, %zu with changes of masks, %zu with "
                "suspended receive functions\n",
                programs, nodes, ordered, masks, suspended);
    EXPECT_GE(ordered, programs / 5);
    EXPECT_GE(masks, programs / 5);
    EXPECT_GE(suspended, programs / 10);
}

} // namespace
} // namespace random_events
