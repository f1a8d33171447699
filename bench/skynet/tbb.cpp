// SPDX-License-Identifier: Apache-2.0
#include "skynet/skynet.hpp"

#include <array>
#include <functional>

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_group.h>

namespace bench::skynet {
namespace {

std::uint64_t sum_by_loop(std::uint64_t first, std::uint64_t leaves) {
    if (leaves <= 1) {
        return first;
    }
    const std::uint64_t each = leaves / children;
    return tbb::parallel_reduce(
        tbb::blocked_range<unsigned>(0, children, 1), std::uint64_t{0},
        [=](const tbb::blocked_range<unsigned>& range, std::uint64_t sum) {
            for (unsigned i = range.begin(); i != range.end(); ++i) {
                sum += sum_by_loop(first + i * each, each);
            }
            return sum;
        },
        std::plus<>(), tbb::simple_partitioner());
}

std::uint64_t sum_by_group(std::uint64_t first, std::uint64_t leaves) {
    if (leaves <= 1) {
        return first;
    }
    const std::uint64_t each = leaves / children;
    std::array<std::uint64_t, children> sums;
    tbb::task_group group;
    for (unsigned i = 0; i < children - 1; ++i) {
        group.run([=, &sums] { sums[i] = sum_by_group(first + i * each, each); });
    }
    group.run_and_wait([=, &sums] { sums[children - 1] = sum_by_group(first + (children - 1) * each, each); });
    std::uint64_t all = 0;
    for (const std::uint64_t one : sums) {
        all += one;
    }
    return all;
}

} // namespace

std::uint64_t by_loop(std::uint64_t leaves) { return sum_by_loop(0, leaves); }
std::uint64_t by_group(std::uint64_t leaves) { return sum_by_group(0, leaves); }

} // namespace bench::skynet
