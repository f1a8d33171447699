// SPDX-License-Identifier: Apache-2.0
// expect: skerry: out\(\) and inout\(\) need a part of an array whose elements can be written
#include <vector>

#include <skerry/partition.hpp>

void f(const std::vector<int>& v) { static_cast<void>(skerry::inout(skerry::partition(v, 3)(0))); }
