// SPDX-License-Identifier: Apache-2.0
// The same tasks without a runtime: a fork is a call.
#include "nqueens/tasks.hpp"

#include <skerry/serial.hpp>

namespace bench::nqueens {

std::uint64_t by_comparing(unsigned n) { return count<compared, skerry::serial::parallel_transform_reduce>(n); }
std::uint64_t by_bits(unsigned n) { return count<bits, skerry::serial::parallel_transform_reduce>(n); }

} // namespace bench::nqueens
