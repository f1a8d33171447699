// SPDX-License-Identifier: Apache-2.0
#pragma once

// The way to a failure as text, and back. `2:s0*3,f0,s1.1` is a way of the second exploration of a test: a kind (step,
// flush, wait that ends by itself), a thread, an alternative, and how often. The command around it runs the test again.

#include <optional>
#include <string>
#include <vector>

#include "engine.hpp"

namespace skerry::model {

// An exploration begins. The way that it is to go instead, if it is the one that set_replay() has named.
std::optional<std::vector<transition>> count_exploration();

// Of the exploration that was counted last: what set_replay() takes, and the command that ends with it.
std::string replay_token(const std::vector<engine::log_line>& lines);
std::string replay_command(const std::string& token);

} // namespace skerry::model
