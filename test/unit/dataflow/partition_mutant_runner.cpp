// SPDX-License-Identifier: Apache-2.0

// partition_mutant_runner SECONDS SEED: random programs over partitions with one fault switched on (SKERRY_FAULT),
// until one differs from its elision. The protocol is that of test/faults/search.py.

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "partition_programs.hpp"

int main(int argc, char** argv) {
    if (argc != 3) {
        return 2;
    }
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(std::atof(argv[1]));
    skerry::options o;
    o.workers = 4;
    skerry::runtime runtime(o);
    skerry::serial::runtime in_order;
    partition_test::word seed = std::strtoull(argv[2], nullptr, 10);
    for (int programs = 1;; ++programs) {
        ++seed;
        using partition_test::any_program;
        if (any_program<partition_test::parallel>(runtime, seed) !=
            any_program<partition_test::serial>(in_order, seed)) {
            std::printf("differs %d\n", programs);
            return 1;
        }
        if (std::chrono::steady_clock::now() > end) {
            std::printf("passed %d\n", programs);
            return 0;
        }
    }
}
