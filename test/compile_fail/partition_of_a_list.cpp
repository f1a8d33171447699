// SPDX-License-Identifier: Apache-2.0
// expect: skerry: partition: the array's elements must lie in one piece, as those of a std::span or std::vector
#include <list>

#include <skerry/partition.hpp>

void f(std::list<int>& l) { static_cast<void>(skerry::partition(l, 3)); }
