// SPDX-License-Identifier: Apache-2.0
#include "region/region.hpp"

#include <tbb/parallel_for.h>

namespace bench::region {

void empty(std::size_t n) {
    tbb::parallel_for(std::size_t{0}, n, [](std::size_t) {});
}

void mark(std::size_t n, unsigned char* visits) {
    tbb::parallel_for(std::size_t{0}, n, [=](std::size_t i) { ++visits[i]; });
}

} // namespace bench::region
