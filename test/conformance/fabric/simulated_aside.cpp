// SPDX-License-Identifier: Apache-2.0
#include "simulated_aside.hpp"

#include "sim/messages.hpp"
#include "sim/program.hpp"

namespace skerry::fabric_test {

namespace {

constexpr std::uint64_t look_again = 1000;
// What was done before it was told has its effects everywhere then: messages, credits and kicks have arrived.
constexpr std::uint64_t far_longer_than_any_way = 10'000;

constexpr std::uint64_t too_long = 10'000'000;

void hear(unsigned& told) {
    std::uint64_t waited = 0;
    while (told == 0) { // another core counts it up
        expect(waited < too_long, "nothing was told beside the fabric");
        skerry_sim::pause(look_again);
        waited += look_again;
    }
    --told;
    skerry_sim::pause(far_longer_than_any_way);
}

} // namespace

void simulated_aside::tell_last() { ++to_last_; }
void simulated_aside::hear_first() { hear(to_last_); }
void simulated_aside::tell_first() { ++to_first_; }
void simulated_aside::hear_last() { hear(to_first_); }
void simulated_aside::die() { skerry_sim::die(); }

} // namespace skerry::fabric_test
