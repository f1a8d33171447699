// SPDX-License-Identifier: Apache-2.0
// expect: skerry: partition: a part has as many indices as the array has dimensions
#include <vector>

#include <skerry/partition.hpp>

void f(std::vector<int>& v) { static_cast<void>(skerry::partition(v, {2, 2}, {1, 1})(0)); }
