// SPDX-License-Identifier: Apache-2.0
// expect: region_object
#include <skerry/region.hpp>

void f(skerry::region r) { r.make<const int>(3); }
