// SPDX-License-Identifier: Apache-2.0
#include "harness/peer.hpp"

namespace bench::peer {

const char* const name = "elision";

std::string version() { return SKERRY_BENCH_VERSION; }

void start(unsigned /*workers*/) {}

} // namespace bench::peer
