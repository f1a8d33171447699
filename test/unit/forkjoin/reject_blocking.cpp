// SPDX-License-Identifier: Apache-2.0

// A blocking call takes no argument.

#include <skerry/blocking.hpp>

void wrong() {
    skerry::blocking([](int) {});
}
