// SPDX-License-Identifier: Apache-2.0
#include "hostage/hostage.hpp"

#include <skerry/finish.hpp>

namespace bench::hostage {

void spawn_and_compute(std::atomic<unsigned>& done) {
    skerry::finish([&](skerry::scope& s) {
        for (unsigned i = 0; i < tasks; ++i) {
            s.async([&done] { small(done); });
        }
        spin_for(long_leaf);
    });
}

} // namespace bench::hostage
