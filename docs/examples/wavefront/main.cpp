// SPDX-License-Identifier: Apache-2.0
// A wavefront over a table, whose order a model of the hardware task manager Nexus++ keeps. docs/guide/nexus.md

// [program]
#include <algorithm>
#include <cstdio>
#include <skerry/skerry.hpp>
#include <vector>

using namespace skerry;

// How many ways lead from the upper left to each cell of a table, going right and down.
void block(const long& above, const long& left, long& here) { here = (above + left) % 1'000'007; }

int main() {
    options o = options::from_environment();
    o.task_manager = task_manager_kind::nexus_model; // as SKERRY_TASK_MANAGER=nexus-model does
    runtime machine(o);
    constexpr std::size_t side = 60;
    std::vector<long> ways(side * side, 1);
    machine.run([&] {
        for (std::size_t y = 1; y < side; ++y) {
            for (std::size_t x = 1; x < side; ++x) {
                const std::size_t here = y * side + x;
                spawn(block, in(ways[here - side]), in(ways[here - 1]), inout(ways[here]));
            }
        }
        taskwait();
    });
    const statistics done = machine.stats();
    std::printf("%ld ways, modulo 1000007; %ju tasks ordered by the manager, %ju by software\n", ways.back(),
                done.managed_tasks, done.unmanaged_tasks);
    return done.managed_tasks == (side - 1) * (side - 1) ? 0 : 1;
}
// [/program]
