// SPDX-License-Identifier: Apache-2.0
// expect: skerry: out\(\) and inout\(\) need an object that can be written
#include <skerry/access.hpp>

void f(const int& x) { static_cast<void>(skerry::out(x)); }
