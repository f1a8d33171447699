// SPDX-License-Identifier: Apache-2.0
// expect: its result must be assignable to the output's elements
#include <skerry/algorithm.hpp>

#include <string>
#include <vector>

void f(std::vector<int>& v) {
    skerry::parallel_transform(v, v.begin(), [](int) { return std::string{}; });
}
