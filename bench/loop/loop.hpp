// SPDX-License-Identifier: Apache-2.0
// A parallel loop whose every iteration is a task of its own (grain 1) and does nothing: what an iteration costs.
#pragma once

#include <cstddef>

namespace bench::loop {

void empty(std::size_t n);                       // the body only keeps its index
void mark(std::size_t n, unsigned char* visits); // the same loop; adds one to visits[i]

} // namespace bench::loop
