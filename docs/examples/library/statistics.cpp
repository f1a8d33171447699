// SPDX-License-Identifier: Apache-2.0
#include "statistics.hpp"

#include <cmath>
#include <functional>
#include <vector>

#include <skerry/algorithm.hpp>
#include <skerry/forkjoin.hpp>

namespace statistics {

// No runtime of its own: the constructs use that of the caller, or the default one, and wait for all that they begin.
summary summary_of(std::span<const double> values) {
    const double n = static_cast<double>(values.size());
    const auto mean_and_deviation = [&] {
        const double mean = skerry::parallel_reduce(values, 0.0) / n;
        const double squares = skerry::parallel_transform_reduce(values, 0.0, std::plus<>(),
                                                                 [mean](double x) { return (x - mean) * (x - mean); });
        return summary{mean, 0, std::sqrt(squares / n)};
    };
    const auto median = [&] {
        std::vector<double> sorted(values.begin(), values.end());
        skerry::parallel_sort(sorted);
        return sorted[sorted.size() / 2];
    };
    auto [all, middle] = skerry::parallel_invoke(mean_and_deviation, median); // both at the same time
    all.median = middle;
    return all;
}

} // namespace statistics
