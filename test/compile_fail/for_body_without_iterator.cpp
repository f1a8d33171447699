// SPDX-License-Identifier: Apache-2.0
// expect: f must be callable as f\(\*first\)
#include <skerry/forkjoin.hpp>

void f(int* p) {
    skerry::parallel_for(p, p + 3, [](const char*) {});
}
