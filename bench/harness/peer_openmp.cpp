// SPDX-License-Identifier: Apache-2.0
// One source for both OpenMP runtimes: libgomp when built by GCC, libomp when built by Clang.
#include "harness/peer.hpp"

#include <omp.h>

namespace bench::peer {

#if defined(__clang__)
const char* const name = "libomp";
#else
const char* const name = "libgomp";
#endif

std::string version() { return "OpenMP " + std::to_string(_OPENMP); }

void start(unsigned workers) {
    omp_set_dynamic(0);
    omp_set_num_threads(static_cast<int>(workers));
}

} // namespace bench::peer
