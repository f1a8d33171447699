// SPDX-License-Identifier: Apache-2.0
// The same tasks without a runtime: a fork is a call.
#include "uts/tasks.hpp"

#include <skerry/serial.hpp>

namespace bench::uts {

std::uint64_t count() { return below<skerry::serial::parallel_transform_reduce>(node()); }

} // namespace bench::uts
