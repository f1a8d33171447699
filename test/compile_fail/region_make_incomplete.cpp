// SPDX-License-Identifier: Apache-2.0
// expect: region_object|incomplete
#include <skerry/region.hpp>

struct later;

void f(skerry::region r) { r.make_array<later>(2); }
