// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "place.hpp"

namespace skerry::fabric_test {

// Copies, and peers that leave or die.
const std::vector<body>& bulk_bodies();

} // namespace skerry::fabric_test
