// SPDX-License-Identifier: Apache-2.0
#include "harness/peer.hpp"

#include <tbb/global_control.h>
#include <tbb/version.h>

namespace bench::peer {

const char* const name = "tbb";

std::string version() { return TBB_runtime_version(); }

void start(unsigned workers) {
    static const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, workers);
}

} // namespace bench::peer
