// SPDX-License-Identifier: Apache-2.0
#include "dataflow/dataflow.hpp"
#include "harness/harness.hpp"

namespace bench::dataflow {

void chain(std::uint64_t tasks, std::uint64_t& sum) {
    for (std::uint64_t i = 0; i < tasks; ++i) {
        sum = unknown(sum + 1);
    }
}

void independent(std::span<std::uint64_t> cells) {
    for (std::uint64_t i = 0; i < cells.size(); ++i) {
        cells[i] = unknown(i + 1);
    }
}

} // namespace bench::dataflow
