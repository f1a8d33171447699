// SPDX-License-Identifier: Apache-2.0
#include "dataflow/dataflow.hpp"
#include "harness/harness.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace {

using namespace bench;

result measure(const settings& how) {
    result got{"ns/task", {}, {}};
    std::vector<std::uint64_t> cells(how.size);
    const auto once = [&] {
        if (how.variant == "chain") {
            std::uint64_t sum = 0;
            dataflow::chain(unknown(how.size), sum);
            if (sum != how.size) {
                got.wrong = std::to_string(how.size) + " additions gave " + std::to_string(sum);
            }
        } else {
            dataflow::independent(cells);
        }
    };
    for (unsigned i = 0; i <= how.repetitions; ++i) { // the first warms up
        std::ranges::fill(cells, 0);
        const seconds passed = time(once);
        if (i != 0) {
            got.samples.push_back(passed.count() * 1e9 / static_cast<double>(how.size));
        }
        for (std::uint64_t n = 0; how.variant == "independent" && n < how.size; ++n) {
            if (cells[n] != n + 1) {
                got.wrong = "task " + std::to_string(n) + " left " + std::to_string(cells[n]);
            }
        }
    }
    return got;
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, {"dataflow", {"chain", "independent"}, 20'000, measure}); }
