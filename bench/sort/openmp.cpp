// SPDX-License-Identifier: Apache-2.0
// OpenMP has no sort; libstdc++'s parallel mode is one written in it.
#include "sort/sort.hpp"

#include <parallel/algorithm>

namespace bench::sort {

void by_comparison(std::vector<std::uint32_t>& keys) { __gnu_parallel::sort(keys.begin(), keys.end()); }
void by_radix(std::vector<std::uint32_t>& keys) { by_comparison(keys); }

} // namespace bench::sort
