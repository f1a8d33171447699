// SPDX-License-Identifier: Apache-2.0
// expect: no form of this algorithm takes these arguments
#include <skerry/algorithm.hpp>

int f() { return skerry::parallel_reduce(7, 0); }
