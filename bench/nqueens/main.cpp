// SPDX-License-Identifier: Apache-2.0
#include "harness/harness.hpp"
#include "nqueens/nqueens.hpp"

#include <array>
#include <string>

namespace {

using namespace bench;

// OEIS A000170
constexpr std::array<std::uint64_t, nqueens::max_n + 1> solutions = {
    1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512};

result measure(const settings& how) {
    result got{"ms", {}, {}};
    if (how.size > nqueens::max_n) {
        return {"ms", {0}, "more queens than the board holds"};
    }
    auto* const count = how.variant == "bits" ? nqueens::by_bits : nqueens::by_comparing;
    got.samples = repeated(how, 12, [&](std::uint64_t size) {
        const auto n = static_cast<unsigned>(size);
        std::uint64_t computed = 0;
        how.meet();
        const seconds passed = time([&] { computed = count(unknown(n)); });
        if (computed != solutions[n]) {
            got.wrong = std::to_string(computed) + " solutions";
        }
        return passed.count() * 1e3;
    });
    return got;
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, {"nqueens", {"compared", "bits"}, 12, measure, "ms"}); }
