// SPDX-License-Identifier: Apache-2.0
// expect: f must be callable as f\(x\) with an element x
#include <skerry/algorithm.hpp>

#include <vector>

void f(std::vector<int>& v) {
    skerry::parallel_for_each(v, [](int, int) {});
}
