// SPDX-License-Identifier: Apache-2.0
#include "harness/harness.hpp"
#include "loop/loop.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

namespace bench::loop {
namespace {

// simple_partitioner is the one that splits down to the grain; the index form uses the automatic one.
template <class Body>
void each(std::size_t n, Body body) {
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, n, 1),
        [body](const tbb::blocked_range<std::size_t>& range) {
            for (std::size_t i = range.begin(); i != range.end(); ++i) {
                body(i);
            }
        },
        tbb::simple_partitioner());
}

} // namespace

void empty(std::size_t n) {
    each(n, [](std::size_t i) { keep(i); });
}

void mark(std::size_t n, unsigned char* visits) {
    each(n, [visits](std::size_t i) { ++visits[i]; });
}

} // namespace bench::loop
