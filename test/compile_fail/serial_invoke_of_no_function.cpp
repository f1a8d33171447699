// SPDX-License-Identifier: Apache-2.0
// expect: branch
#include <skerry/serial.hpp>

void f() {
    skerry::serial::parallel_invoke([] {}, 5);
}
