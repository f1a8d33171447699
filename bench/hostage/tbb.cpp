// SPDX-License-Identifier: Apache-2.0
#include "hostage/hostage.hpp"

#include <tbb/task_group.h>

namespace bench::hostage {

void spawn_and_compute(std::atomic<unsigned>& done) {
    tbb::task_group group;
    for (unsigned i = 0; i < tasks; ++i) {
        group.run([&done] { small(done); });
    }
    spin_for(long_leaf);
    group.wait();
}

} // namespace bench::hostage
