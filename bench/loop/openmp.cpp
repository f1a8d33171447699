// SPDX-License-Identifier: Apache-2.0
#include "harness/harness.hpp"
#include "loop/loop.hpp"

namespace bench::loop {
namespace {

template <class Body>
void each(std::size_t n, Body body) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1)
    for (std::size_t i = 0; i < n; ++i) {
        body(i);
    }
}

} // namespace

void empty(std::size_t n) {
    each(n, [](std::size_t i) { keep(i); });
}

void mark(std::size_t n, unsigned char* visits) {
    each(n, [visits](std::size_t i) { ++visits[i]; });
}

} // namespace bench::loop
