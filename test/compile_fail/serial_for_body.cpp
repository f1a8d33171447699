// SPDX-License-Identifier: Apache-2.0
// expect: f must be callable as f\(i\) with an index i
#include <skerry/serial.hpp>

void f() {
    skerry::serial::parallel_for(0, 10, [](const char*) {});
}
