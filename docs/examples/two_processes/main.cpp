// SPDX-License-Identifier: Apache-2.0

// One program as two processes that share no memory: two_processes. It launches itself; `skerry launch -n 2
// ./two_processes work` does the same. Tasks name objects in a region, which have the same addresses in both processes.
#include <cstddef>
#include <cstdio>
#include <span>
#include <string_view>

#include <skerry/launch.hpp>
#include <skerry/skerry.hpp>

constexpr std::size_t n = 256, rows = 16; // a product of n x n, in stripes of so many rows

void multiply(std::span<const double> a, std::span<const double> b, std::span<double> c) {
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t k = 0; k < n; ++k)
            for (std::size_t j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
}

double product() {
    skerry::region home = skerry::root_region();
    const std::span<double> a = home.make_array<double>(n * n), b = home.make_array<double>(n * n),
                            c = home.make_array<double>(n * n);
    for (std::size_t i = 0; i < n * n; ++i) a[i] = 1, b[i] = 2;
    for (std::size_t i = 0; i < n * n; i += rows * n)
        skerry::spawn(multiply, skerry::in(a.subspan(i, rows * n)), skerry::in(b),
                      skerry::inout(c.subspan(i, rows * n)));
    skerry::taskwait(); // what the other process has written is here
    return skerry::parallel_reduce(c, 0.0);
}

int work() {
    skerry::runtime all;
    const double sum = all.run(product); // in the second process this runs tasks, and does not return
    std::printf("sum of the product: %.0f\n", sum);
    for (const skerry::executor_statistics& e : all.executors())
        std::printf("%s ran %ju tasks\n", e.name.c_str(), e.tasks);
    return sum == 2.0 * n * n * n ? 0 : 1;
}

int main(int argc, char** argv) {
    if (argc > 1 && std::string_view(argv[1]) == "work") return work();
    const skerry::launch_result end = skerry::launch(2, {argv[0], "work"});
    if (end.status != 0) std::fprintf(stderr, "%s\n", end.text.c_str());
    return end.status;
}
