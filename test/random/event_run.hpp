// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "event_program.hpp"

namespace random_events {

// Runs it and holds what has happened against what it promises. Empty, or what was wrong.
std::string run_program(const program& p);

} // namespace random_events
