// SPDX-License-Identifier: Apache-2.0
// expect: the predicate must be callable with an element and give a bool
#include <skerry/algorithm.hpp>

#include <vector>

bool f(std::vector<int>& v) {
    return skerry::parallel_any_of(v, [] { return true; });
}
