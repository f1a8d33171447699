// SPDX-License-Identifier: Apache-2.0
#include "uts/tasks.hpp"

#include <skerry/algorithm.hpp>

namespace bench::uts {

std::uint64_t count() { return below<skerry::parallel_transform_reduce>(node()); }

} // namespace bench::uts
