// SPDX-License-Identifier: Apache-2.0
// expect: region_object|array
#include <skerry/region.hpp>

void f(skerry::region r) { r.make<int[3]>(); }
