// SPDX-License-Identifier: Apache-2.0
#include "skynet/skynet.hpp"

#include <array>
#include <functional>
#include <ranges>

#include <skerry/finish.hpp>
#include <skerry/reduce.hpp>
#include <skerry/task_group.hpp>

namespace bench::skynet {
namespace {

std::uint64_t sum_by_loop(std::uint64_t first, std::uint64_t leaves) {
    if (leaves <= 1) {
        return first;
    }
    const std::uint64_t each = leaves / children;
    return skerry::parallel_transform_reduce(
        std::views::iota(0U, children), std::uint64_t{0}, std::plus<>(),
        [=](unsigned i) { return sum_by_loop(first + i * each, each); }, skerry::grain::fixed(1));
}

std::uint64_t sum_by_group(std::uint64_t first, std::uint64_t leaves) {
    if (leaves <= 1) {
        return first;
    }
    const std::uint64_t each = leaves / children;
    std::array<std::uint64_t, children> sums{};
    skerry::task_group group;
    for (unsigned i = 0; i < children - 1; ++i) {
        group.run([=, &sums] { sums[i] = sum_by_group(first + i * each, each); });
    }
    sums[children - 1] = sum_by_group(first + (children - 1) * each, each);
    group.wait();
    std::uint64_t all = 0;
    for (const std::uint64_t one : sums) {
        all += one;
    }
    return all;
}

} // namespace

std::uint64_t by_loop(std::uint64_t leaves) { return sum_by_loop(0, leaves); }
// In a finish, so that the caller has a slot: a group outside of any has a second thread started for its tasks.
std::uint64_t by_group(std::uint64_t leaves) {
    return skerry::finish([leaves](skerry::scope& /*unused*/) { return sum_by_group(0, leaves); });
}

} // namespace bench::skynet
