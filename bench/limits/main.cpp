// SPDX-License-Identifier: Apache-2.0
#include "limits/limits.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>

namespace bench::limits {

void print(const char* name, const char* unit, double value) {
    std::printf(R"({"workload": "limits", "step": "%s", "unit": "%s", "value": %.4g})"
                "\n",
                name, unit, value);
}

double least_nanoseconds(unsigned runs, const std::function<seconds()>& f) {
    double least = std::numeric_limits<double>::infinity();
    for (unsigned i = 0; i < runs; ++i) {
        least = std::min(least, f().count() * 1e9);
    }
    return least;
}

} // namespace bench::limits

int main() {
    using namespace bench;
    constexpr unsigned n = 30;
    constexpr std::uint64_t value = 832040;
    constexpr double forks = 1346268;
    constexpr unsigned runs = 9;
    std::vector<limits::step> steps = limits::fork_steps();
    for (const limits::step& step : limits::owner_steps()) {
        steps.push_back(step);
    }
    for (const limits::step& step : steps) {
        bool right = true;
        const double least = limits::least_nanoseconds(runs, [&] {
            std::uint64_t computed = 0;
            const seconds passed = time([&] { computed = step.fib(unknown(n)); });
            right &= computed == value;
            return passed;
        });
        if (!right) {
            std::fprintf(stderr, "bench_limits: '%s' computed a wrong value\n", step.name);
            return 1;
        }
        limits::print(step.name, "ns/fork", least / forks);
    }
    limits::measure_loops();
    limits::measure_operations();
}
