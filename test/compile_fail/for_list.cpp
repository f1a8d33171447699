// SPDX-License-Identifier: Apache-2.0
// expect: no form of this algorithm takes these arguments
#include <skerry/forkjoin.hpp>

#include <list>

void f(std::list<int>& l) {
    skerry::parallel_for(l, [](int) {});
}
