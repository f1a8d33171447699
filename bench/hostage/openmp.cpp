// SPDX-License-Identifier: Apache-2.0
#include "hostage/hostage.hpp"

namespace bench::hostage {

void spawn_and_compute(std::atomic<unsigned>& done) {
#pragma omp parallel
#pragma omp single
    {
        for (unsigned i = 0; i < tasks; ++i) {
#pragma omp task shared(done)
            small(done);
        }
        spin_for(long_leaf);
#pragma omp taskwait
    }
}

} // namespace bench::hostage
