// SPDX-License-Identifier: Apache-2.0
// expect: skerry: region::make: no object in a region has an alignment of more than 1 MiB
#include <skerry/region.hpp>

struct alignas(1 << 21) wide {
    char c;
};

void f(skerry::region r) { r.make<wide>(); }
