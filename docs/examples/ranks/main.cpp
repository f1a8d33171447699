// SPDX-License-Identifier: Apache-2.0

// One program as the ranks of an MPI: mpirun -n 4 ./ranks. Without mpirun it is one process. It adds up the squares of
// a large array, a part in each task; which rank runs a task is Skerry's affair.
#include <cstddef>
#include <cstdio>
#include <span>

#include <skerry/skerry.hpp>

constexpr std::size_t parts = 64, each = 20'000;

void fill(std::span<double> part, std::size_t first) {
    for (std::size_t i = 0; i < part.size(); ++i) part[i] = static_cast<double>(first + i);
}
void add_squares(std::span<const double> part, double& sum) {
    for (const double x : part) sum += x * x;
}

double squares() {
    skerry::region home = skerry::root_region(); // the same addresses in every rank
    const std::span<double> numbers = home.make_array<double>(parts * each), sums = home.make_array<double>(parts);
    for (std::size_t p = 0; p < parts; ++p) {
        const std::span<double> part = numbers.subspan(p * each, each);
        skerry::spawn(fill, skerry::out(part), p * each);
        skerry::spawn(add_squares, skerry::in(part), skerry::inout(sums[p]));
    }
    skerry::taskwait(); // the sums have come back
    return skerry::parallel_reduce(sums, 0.0);
}

int main() {
    skerry::runtime all;
    const double sum = all.run(squares); // in the other ranks this runs tasks, and does not return
    std::printf("sum of the squares: %.6e\n", sum);
    for (const skerry::executor_statistics& e : all.executors())
        std::printf("%s ran %ju tasks\n", e.name.c_str(), e.tasks);
    const double n = double{parts} * double{each};
    const double expected = (n - 1) * n * (2 * n - 1) / 6;
    return sum > 0.999999 * expected && sum < 1.000001 * expected ? 0 : 1;
}
