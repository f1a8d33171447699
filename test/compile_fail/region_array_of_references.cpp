// SPDX-License-Identifier: Apache-2.0
// expect: region_object|reference
#include <skerry/region.hpp>

void f(skerry::region r) { r.make_array<int&>(2); }
