// SPDX-License-Identifier: Apache-2.0
#include "harness/peer.hpp"

#include <cstdlib>

namespace bench::peer {

const char* const name = "skerry";

std::string version() { return SKERRY_BENCH_VERSION; }

// The default runtime reads its environment at first use.
void start(unsigned workers) { ::setenv("SKERRY_WORKERS", std::to_string(workers).c_str(), 1); }

} // namespace bench::peer
