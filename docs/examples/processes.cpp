// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdio>
#include <numeric>
#include <span>
#include <string_view>

#include <skerry/launch.hpp>
#include <skerry/skerry.hpp>

// [program]
void fill(std::span<double> part, double from) {
    for (double& x : part) x = from++;
}
void add(std::span<const double> part, double& sum) {
    for (const double x : part) sum += x;
}

double fill_and_add() {
    skerry::region home = skerry::root_region(); // objects in regions have the same address in all processes
    const std::span<double> all = home.make_array<double>(8000);
    const std::span<double> sums = home.make_array<double>(8);
    for (std::size_t i = 0; i < 8; ++i) {
        const std::span<double> part = all.subspan(1000 * i, 1000);
        skerry::spawn(fill, skerry::out(part), 1000.0 * static_cast<double>(i)); // here or in another process
        skerry::spawn(add, skerry::in(part), skerry::inout(sums[i]));
    }
    skerry::taskwait(); // what the other processes have written is here
    return std::accumulate(sums.begin(), sums.end(), 0.0);
}

int work() { // in every process
    skerry::runtime all;
    const double sum = all.run(fill_and_add); // the others stay here, run tasks, and end when the first ends `all`
    std::printf("sum of 0 to 7999: %.0f\n", sum);
    return sum == 31'996'000 ? 0 : 1;
}
// [/program]

int main(int argc, char** argv) {
    if (argc > 1 && std::string_view(argv[1]) == "work") return work();
    // [launch]
    const skerry::launch_result end = skerry::launch(2, {argv[0], "work"});
    if (end.status != 0) std::fprintf(stderr, "%s\n", end.text.c_str()); // "process 1 was killed by signal 9"
    // [/launch]
    return end.status;
}
