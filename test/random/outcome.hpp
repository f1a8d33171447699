// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a random program has done, and how two such differ.

#include <string>
#include <vector>

#include "program.hpp"

namespace random_programs {

struct outcome {
    std::vector<word> contents;
    std::vector<word> log; // per statement: 0 not reached; what it has read, if done; what arrived there
    std::string error;     // of the whole program
    std::string memory;    // what is wrong about it
};

// Also what is wrong about the memory of either. Empty: there is none.
std::string difference(const program& p, const outcome& expected, const outcome& found);

} // namespace random_programs
