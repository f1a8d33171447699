// SPDX-License-Identifier: Apache-2.0
#include "harness/peer.hpp"

#include <rte_version.h>

namespace bench::peer {

const char* const name = "dsw";

std::string version() { return rte_version(); }

// The library learns it when it begins.
void start(unsigned /*workers*/) {}

} // namespace bench::peer
