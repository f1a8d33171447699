// SPDX-License-Identifier: Apache-2.0
// expect: f must be callable with N coordinates
#include <skerry/forkjoin.hpp>

void f() {
    skerry::parallel_for(skerry::box<2>{{0, 0}, {5, 5}}, [](int) {});
}
