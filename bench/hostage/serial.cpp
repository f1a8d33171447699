// SPDX-License-Identifier: Apache-2.0
#include "hostage/hostage.hpp"

namespace bench::hostage {

void spawn_and_compute(std::atomic<unsigned>& done) {
    for (unsigned i = 0; i < tasks; ++i) {
        small(done);
    }
    spin_for(long_leaf);
}

} // namespace bench::hostage
