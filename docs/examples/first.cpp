// SPDX-License-Identifier: Apache-2.0

// [program]
#include <cstdio>
#include <skerry/serial.hpp>
#include <skerry/skerry.hpp>
namespace par = skerry; // or skerry::serial: the same program in program order, on one thread

void collatz(std::span<int> steps, long first) { // how many steps lead from each number to 1
    par::parallel_for(0, steps.size(), [=](std::size_t i) {
        for (long n = first + long(i); n != 1; n = n % 2 ? 3 * n + 1 : n / 2) ++steps[i];
    });
}
void longest(std::span<const int> steps, int& most) { most = std::max(most, *std::ranges::max_element(steps)); }

int main() {
    par::runtime machine;
    machine.run([] {
        std::span<int> steps = par::root_region().make_array<int>(4'000'001); // at one address in all processes
        for (std::size_t at = 1; at < steps.size(); at += 100'000) {
            par::spawn(collatz, par::inout(steps.subspan(at, 100'000)), long(at));
            par::spawn(longest, par::in(steps.subspan(at, 100'000)), par::inout(steps[0]));
        }
        par::taskwait();
        std::printf("the longest way to 1 takes %d steps\n", steps[0]);
    });
    for (const auto& e : machine.executors()) std::printf("%s ran %ju tasks\n", e.name.c_str(), e.tasks);
}
// [/program]
