// SPDX-License-Identifier: Apache-2.0
// expect: the elements must convert to the sum's type
#include <skerry/algorithm.hpp>

#include <vector>

struct thing {};
void f(std::vector<int>& v, std::vector<thing>& w) { skerry::parallel_exclusive_scan(v, w.begin(), 0L); }
