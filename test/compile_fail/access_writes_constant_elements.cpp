// SPDX-License-Identifier: Apache-2.0
// expect: skerry: out\(\) and inout\(\) need a span of elements that can be written
#include <span>

#include <skerry/access.hpp>

void f(std::span<const int> all) { static_cast<void>(skerry::inout(all)); }
