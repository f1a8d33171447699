// SPDX-License-Identifier: Apache-2.0
// expect: f must be callable as f\(x\) with an element x of the range
#include <skerry/forkjoin.hpp>

#include <vector>

void f(std::vector<int>& v) {
    skerry::parallel_for(v, [](const char*) {});
}
