// SPDX-License-Identifier: Apache-2.0
// expect: skerry: region::make_array<T>: T cannot be made without arguments
#include <skerry/region.hpp>

struct point {
    explicit point(int x);
};

void f(skerry::region r) { r.make_array<point>(3); }
