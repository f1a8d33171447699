// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "place.hpp"

namespace skerry::fabric_test {

// Every endpoint with every other one, at the same time.
const std::vector<body>& many_bodies();

} // namespace skerry::fabric_test
