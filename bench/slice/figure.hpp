// SPDX-License-Identifier: Apache-2.0
// One line of JSON per figure, as `driver/slice_figures.py` reads it.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace bench {

/// `more`: further fields. Precondition: there is a sample.
inline void print_figure(const char* step, const char* unit, std::vector<double> samples,
                         const std::string& more = {}) {
    std::sort(samples.begin(), samples.end());
    std::printf("{\"step\": \"%s\", \"unit\": \"%s\", \"least\": %.4g, \"median\": %.4g, \"most\": %.4g%s}\n", step,
                unit, samples.front(), samples[samples.size() / 2], samples.back(), more.c_str());
    std::fflush(stdout);
}

} // namespace bench
