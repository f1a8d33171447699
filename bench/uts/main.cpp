// SPDX-License-Identifier: Apache-2.0
#include "harness/harness.hpp"
#include "uts/uts.hpp"

#include <string>

namespace {

using namespace bench;

constexpr std::uint64_t nodes = 4'130'071; // the benchmark's sample trees list it for T1

result measure(const settings& how) {
    result got{"ms", {}, {}};
    for (unsigned i = 0; i <= how.repetitions; ++i) { // the first warms up
        std::uint64_t computed = 0;
        how.meet();
        const seconds passed = time([&] { computed = uts::count(); });
        if (computed != nodes) {
            got.wrong = std::to_string(computed) + " nodes";
        }
        if (i != 0) {
            got.samples.push_back(passed.count() * 1e3);
        }
    }
    return got;
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, {"uts", {"T1"}, 1, measure, "ms"}); }
