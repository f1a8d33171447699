// SPDX-License-Identifier: Apache-2.0
// expect: parallel_for_each and reductions, then without a grain: also forward ones, or a source
#include <skerry/algorithm.hpp>

#include <list>

void f(std::list<int>& l) {
    skerry::parallel_for_each(l, [](int) {}, skerry::grain::fixed(3));
}
