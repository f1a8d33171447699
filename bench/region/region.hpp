// SPDX-License-Identifier: Apache-2.0
// Entry into a parallel region from a thread that is no worker: one empty parallel loop of 1,000 iterations after the
// other, from main, with the automatic grain.
#pragma once

#include <cstddef>

namespace bench::region {

void empty(std::size_t n);
void mark(std::size_t n, unsigned char* visits); // the same loop; adds one to visits[i]

} // namespace bench::region
