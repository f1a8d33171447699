// SPDX-License-Identifier: Apache-2.0
#include "skynet/skynet.hpp"

namespace bench::skynet {
namespace {

std::uint64_t sum(std::uint64_t first, std::uint64_t leaves) {
    if (leaves <= 1) {
        return first;
    }
    const std::uint64_t each = leaves / children;
    std::uint64_t all = 0;
    for (unsigned i = 0; i < children; ++i) {
        all += sum(first + i * each, each);
    }
    return all;
}

} // namespace

std::uint64_t by_loop(std::uint64_t leaves) { return sum(0, leaves); }
std::uint64_t by_group(std::uint64_t leaves) { return sum(0, leaves); }

} // namespace bench::skynet
