// SPDX-License-Identifier: Apache-2.0
#include "harness/harness.hpp"
#include "loop/loop.hpp"

#include <algorithm>
#include <vector>

namespace {

using namespace bench;

result measure(const settings& how) {
    const std::size_t n = how.size;
    result got{"ns/iteration", {}, {}};
    std::vector<unsigned char> visits(n);
    loop::mark(n, visits.data());
    if (std::ranges::any_of(visits, [](unsigned char v) { return v != 1; })) {
        got.wrong = "an iteration did not run exactly once";
    }
    loop::empty(n);
    for (unsigned i = 0; i < how.repetitions; ++i) {
        got.samples.push_back(time([&] { loop::empty(unknown(n)); }).count() * 1e9 / static_cast<double>(n));
    }
    return got;
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, {"loop", {"plain"}, 1'000'000, measure}); }
