// SPDX-License-Identifier: Apache-2.0
// expect: skerry: partition: an array has 1 to 3 dimensions
#include <vector>

#include <skerry/partition.hpp>

void f(std::vector<int>& v) { static_cast<void>(skerry::partition(v, {2, 2, 2, 2}, {1, 1, 1, 1})); }
