// SPDX-License-Identifier: Apache-2.0
#include "nqueens/tasks.hpp"

#include <skerry/algorithm.hpp>

namespace bench::nqueens {

std::uint64_t by_comparing(unsigned n) { return count<compared, skerry::parallel_transform_reduce>(n); }
std::uint64_t by_bits(unsigned n) { return count<bits, skerry::parallel_transform_reduce>(n); }

} // namespace bench::nqueens
