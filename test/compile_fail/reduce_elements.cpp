// SPDX-License-Identifier: Apache-2.0
// expect: the elements must convert to init's type
#include <skerry/algorithm.hpp>

#include <string>
#include <vector>

int f(std::vector<std::string>& v) { return skerry::parallel_reduce(v, 0); }
