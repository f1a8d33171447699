// SPDX-License-Identifier: Apache-2.0
#include "harness/harness.hpp"
#include "loop/loop.hpp"

#include <skerry/forkjoin.hpp>

namespace bench::loop {

void empty(std::size_t n) {
    skerry::parallel_for(std::size_t{0}, n, [](std::size_t i) { keep(i); }, skerry::grain::fixed(1));
}

void mark(std::size_t n, unsigned char* visits) {
    skerry::parallel_for(std::size_t{0}, n, [=](std::size_t i) { ++visits[i]; }, skerry::grain::fixed(1));
}

} // namespace bench::loop
