// SPDX-License-Identifier: Apache-2.0

// Calls a library that uses Skerry inside, from a thread that knows nothing of it, and from tasks.
#include "statistics.hpp"

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

#include <skerry/skerry.hpp>

int main() {
    std::vector<std::vector<double>> series(8, std::vector<double>(100'001));
    for (std::size_t s = 0; s < series.size(); ++s)
        for (std::size_t i = 0; i < series[s].size(); ++i) series[s][i] = static_cast<double>((i * 7919 + s) % 100'001);

    const statistics::summary alone = statistics::summary_of(series[0]);
    std::vector<statistics::summary> each(series.size());
    skerry::parallel_for(std::size_t{0}, series.size(),
                         [&](std::size_t s) { each[s] = statistics::summary_of(series[s]); });

    std::printf("mean %.1f, median %.1f, deviation %.1f\n", alone.mean, alone.median, alone.deviation);
    for (const statistics::summary& s : each)
        if (std::abs(s.mean - 50'000) > 1e-6 || s.median != 50'000) return 1;
    return 0;
}
