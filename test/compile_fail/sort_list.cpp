// SPDX-License-Identifier: Apache-2.0
// expect: no form of this algorithm takes these arguments
#include <skerry/algorithm.hpp>

#include <list>

void f(std::list<int>& l) { skerry::parallel_sort(l); }
