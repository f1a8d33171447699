// SPDX-License-Identifier: Apache-2.0
// expect: skerry: an access needs an object that lives until the task has ended, not a temporary
#include <skerry/access.hpp>

void f() { static_cast<void>(skerry::in(3)); }
