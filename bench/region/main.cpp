// SPDX-License-Identifier: Apache-2.0
#include "harness/harness.hpp"
#include "region/region.hpp"

#include <algorithm>
#include <vector>

namespace {

using namespace bench;

constexpr std::size_t iterations = 1000;

result measure(const settings& how) {
    result got{"us/region", {}, {}};
    std::vector<unsigned char> visits(iterations);
    region::mark(iterations, visits.data());
    if (std::ranges::any_of(visits, [](unsigned char v) { return v != 1; })) {
        got.wrong = "an iteration did not run exactly once";
    }
    const auto regions = [](std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i) {
            region::empty(unknown(iterations));
        }
    };
    regions(how.size / 4);
    for (unsigned i = 0; i < how.repetitions; ++i) {
        got.samples.push_back(time([&] { regions(how.size); }).count() * 1e6 / static_cast<double>(how.size));
    }
    return got;
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, {"region", {"plain"}, 20'000, measure}); }
