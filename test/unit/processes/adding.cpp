// SPDX-License-Identifier: Apache-2.0

// A program of several processes, compiled once for each list of numbers that it ADDS and each STEP: the same source,
// other tasks, or other code in tasks of the same types.

#include <cstdio>
#include <exception>

#include <skerry/dataflow.hpp>
#include <skerry/skerry.hpp>

namespace {

template <int N>
struct add {
    void operator()(int& x) const { x += N; }
};

void step(int& x) { x += STEP; }

template <int... Numbers>
int sum_by_tasks() {
    int& x = *skerry::root_region().create().make<int>(0);
    (skerry::spawn(add<Numbers>{}, skerry::inout(x)), ...);
    skerry::spawn(step, skerry::inout(x));
    skerry::taskwait();
    return x - (Numbers + ... + STEP);
}

} // namespace

int main() {
    try {
        skerry::runtime r;
        return r.run(sum_by_tasks<ADDS>);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 7;
    }
}
