// SPDX-License-Identifier: Apache-2.0
// expect: coordinate
#include <skerry/forkjoin.hpp>

void f() {
    skerry::parallel_for(skerry::box<2>{{0, 0}, {5}}, [](int, int) {});
}
