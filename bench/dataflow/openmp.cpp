// SPDX-License-Identifier: Apache-2.0
#include "dataflow/dataflow.hpp"

namespace bench::dataflow {

void chain(std::uint64_t tasks, std::uint64_t& sum) {
    std::uint64_t* const at = &sum;
#pragma omp parallel
#pragma omp single
    for (std::uint64_t i = 0; i < tasks; ++i) {
#pragma omp task depend(inout : at[0]) firstprivate(at)
        ++*at;
    }
}

void independent(std::span<std::uint64_t> cells) {
    std::uint64_t* const first = cells.data();
    const std::uint64_t tasks = cells.size();
#pragma omp parallel
#pragma omp single
    for (std::uint64_t i = 0; i < tasks; ++i) {
#pragma omp task depend(out : first[i]) firstprivate(first, i)
        first[i] = i + 1;
    }
}

} // namespace bench::dataflow
