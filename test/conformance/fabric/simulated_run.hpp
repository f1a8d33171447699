// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs a body of the suite on two cores, or as many as are asked for, of a simulated machine.

#include <string>
#include <string_view>

#include "place.hpp"
#include "sim/simulation.hpp"

namespace skerry::fabric_test {

struct outcome {
    std::string said; // what run_here() said on all
    skerry_sim::statistics counts;
};

outcome run_simulated(const body& b, const char* machine, const skerry_sim::settings& set, unsigned endpoints = 2);

const body& body_named(std::string_view name);

} // namespace skerry::fabric_test
