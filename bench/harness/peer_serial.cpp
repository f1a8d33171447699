// SPDX-License-Identifier: Apache-2.0
#include "harness/peer.hpp"

namespace bench::peer {

const char* const name = "serial";

std::string version() { return ""; }

void start(unsigned /*workers*/) {}

} // namespace bench::peer
