// SPDX-License-Identifier: Apache-2.0
#include "harness/harness.hpp"
#include "sort/sort.hpp"

#include <algorithm>

namespace {

using namespace bench;

/// Equal for equal multisets, and for hardly any others.
std::uint64_t fingerprint(const std::vector<std::uint32_t>& keys) {
    std::uint64_t sum = 0;
    for (const std::uint32_t key : keys) {
        sum += random_numbers(key)();
    }
    return sum;
}

result measure(const settings& how) {
    std::vector<std::uint32_t> input(how.size);
    random_numbers random(1);
    for (std::uint32_t& key : input) {
        key = static_cast<std::uint32_t>(random() >> 32);
    }
    const std::uint64_t expected = fingerprint(input);
    auto* const sort = how.variant == "radix" ? sort::by_radix : sort::by_comparison;
    result got{"ms", {}, {}};
    std::vector<std::uint32_t> keys(how.size);
    for (unsigned i = 0; i < how.repetitions; ++i) {
        std::ranges::copy(input, keys.begin());
        got.samples.push_back(time([&] { sort(keys); }).count() * 1e3);
        if (!std::ranges::is_sorted(keys)) {
            got.wrong = "not sorted";
        }
        if (fingerprint(keys) != expected) {
            got.wrong = "other keys than before";
        }
    }
    return got;
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, {"sort", {"comparison", "radix"}, 10'000'000, measure}); }
