// SPDX-License-Identifier: Apache-2.0
#include "sort/sort.hpp"

#include <algorithm>

namespace bench::sort {

void by_comparison(std::vector<std::uint32_t>& keys) { std::sort(keys.begin(), keys.end()); }
void by_radix(std::vector<std::uint32_t>& keys) { by_comparison(keys); }

} // namespace bench::sort
