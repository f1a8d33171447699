// SPDX-License-Identifier: Apache-2.0
#include "harness/harness.hpp"
#include "loop/loop.hpp"

namespace bench::loop {

// What an iteration that is a call of its own costs at least.
[[gnu::noinline]] static void body(std::size_t i) { keep(i); }

void empty(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        body(i);
    }
}

void mark(std::size_t n, unsigned char* visits) {
    for (std::size_t i = 0; i < n; ++i) {
        ++visits[i];
    }
}

} // namespace bench::loop
