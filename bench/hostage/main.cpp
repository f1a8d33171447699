// SPDX-License-Identifier: Apache-2.0
#include "hostage/hostage.hpp"

#include <string>

namespace {

using namespace bench;

result measure(const settings& how) {
    result got{"ms", {}, {}};
    for (unsigned i = 0; i <= how.repetitions; ++i) { // the first warms up
        std::atomic<unsigned> done{0};
        const seconds passed = time([&] { hostage::spawn_and_compute(done); });
        if (done != hostage::tasks) {
            got.wrong = std::to_string(done) + " tasks ran";
        }
        if (i != 0) {
            got.samples.push_back(passed.count() * 1e3);
        }
    }
    return got;
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, {"hostage", {"plain"}, hostage::tasks, measure}); }
