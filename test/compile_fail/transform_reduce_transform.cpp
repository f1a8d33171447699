// SPDX-License-Identifier: Apache-2.0
// expect: transform must be callable with an element
#include <skerry/algorithm.hpp>

#include <functional>
#include <vector>

int f(std::vector<int>& v) {
    return skerry::parallel_transform_reduce(v, 0, std::plus<>{}, [](const char*) { return 1; });
}
