// SPDX-License-Identifier: Apache-2.0
// expect: skerry: an access names an object, not a pointer to it: write in\(\*p\), or in\(std::span\(p, n\)\)
#include <skerry/access.hpp>

void f(int* p) { static_cast<void>(skerry::in(p)); }
