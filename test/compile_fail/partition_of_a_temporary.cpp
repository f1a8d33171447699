// SPDX-License-Identifier: Apache-2.0
// expect: skerry: partition: the array must live until the tasks have ended, it cannot be a temporary
#include <vector>

#include <skerry/partition.hpp>

void f() { static_cast<void>(skerry::partition(std::vector<int>(9), 3)); }
