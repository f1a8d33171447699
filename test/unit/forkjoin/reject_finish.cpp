// SPDX-License-Identifier: Apache-2.0

// The body of a finish takes the scope.

#include <skerry/finish.hpp>

void wrong() {
    skerry::finish([] {});
}
