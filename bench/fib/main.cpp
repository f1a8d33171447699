// SPDX-License-Identifier: Apache-2.0
#include "fib/fib.hpp"
#include "harness/harness.hpp"

#include <string>
#include <utility>

namespace {

using namespace bench;

/// {fib(n), forks that the recursion makes}
std::pair<std::uint64_t, std::uint64_t> expected(unsigned n) {
    std::uint64_t value = 0;
    std::uint64_t next = 1;
    for (unsigned i = 0; i < n; ++i) {
        value = std::exchange(next, value + next);
    }
    return {value, next - 1};
}

result measure(const settings& how) {
    const bool whole = how.variant == "whole"; // the plain form, timed as one computation
    auto* const compute = how.variant == "reference"     ? fib::reference
                          : how.variant == "captured"    ? fib::captured
                          : how.variant == "values"      ? fib::values
                          : how.variant == "object"      ? fib::object
                          : how.variant == "group"       ? fib::group
                          : how.variant == "throwing"    ? fib::throwing
                          : how.variant == "initialised" ? fib::initialised
                                                         : fib::plain;
    result got{whole ? "ms" : "ns/fork", {}, {}};
    got.samples = repeated(how, 30, [&](std::uint64_t size) {
        const auto n = static_cast<unsigned>(size);
        const auto [value, forks] = expected(n);
        std::uint64_t computed = 0;
        const seconds passed = time([&] { computed = compute(unknown(n)); });
        if (computed != value) {
            got.wrong = "fib(" + std::to_string(n) + ") = " + std::to_string(computed);
        }
        return passed.count() * (whole ? 1e3 : 1e9 / static_cast<double>(forks));
    });
    return got;
}

} // namespace

int main(int argc, char** argv) {
    return run(argc, argv,
               {BENCH_WORKLOAD,
                {"plain", "captured", "reference", "values", "object", "group", "throwing", "initialised", "whole"},
                36,
                measure});
}
