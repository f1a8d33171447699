// SPDX-License-Identifier: Apache-2.0
// expect: f must be callable as f\(x\) with an element x
#include <skerry/algorithm.hpp>

#include <list>

void f(std::list<int>& l) {
    skerry::parallel_for_each(l, [](int*) {});
}
