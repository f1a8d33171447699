// SPDX-License-Identifier: Apache-2.0
// expect: skerry: region::make<T>: T cannot be made of these arguments
#include <skerry/region.hpp>

struct point {
    explicit point(int x);
};

void f(skerry::region r) { r.make<point>("one"); }
