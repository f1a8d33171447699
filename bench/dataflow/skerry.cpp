// SPDX-License-Identifier: Apache-2.0
#include "dataflow/dataflow.hpp"

#include <skerry/dataflow.hpp>
#include <skerry/runtime.hpp>

namespace bench::dataflow {
namespace {

// As many workers as the environment says.
skerry::runtime& workers() {
    static skerry::runtime all;
    return all;
}

} // namespace

void chain(std::uint64_t tasks, std::uint64_t& sum) {
    workers().run([&] {
        for (std::uint64_t i = 0; i < tasks; ++i) {
            skerry::spawn([](std::uint64_t& x) { ++x; }, skerry::inout(sum));
        }
    });
}

void independent(std::span<std::uint64_t> cells) {
    workers().run([&] {
        for (std::uint64_t i = 0; i < cells.size(); ++i) {
            skerry::spawn([](std::uint64_t& x, std::uint64_t value) { x = value; }, skerry::out(cells[i]), i + 1);
        }
    });
}

} // namespace bench::dataflow
