// SPDX-License-Identifier: Apache-2.0
#include "region/region.hpp"

#include <skerry/forkjoin.hpp>

namespace bench::region {

void empty(std::size_t n) {
    skerry::parallel_for(std::size_t{0}, n, [](std::size_t) {});
}

void mark(std::size_t n, unsigned char* visits) {
    skerry::parallel_for(std::size_t{0}, n, [=](std::size_t i) { ++visits[i]; });
}

} // namespace bench::region
