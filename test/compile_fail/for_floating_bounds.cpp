// SPDX-License-Identifier: Apache-2.0
// expect: no form of this algorithm takes these arguments
#include <skerry/forkjoin.hpp>

void f() {
    skerry::parallel_for(0.0, 1.0, [](double) {});
}
