// SPDX-License-Identifier: Apache-2.0

// A task of a scope takes no argument.

#include <skerry/finish.hpp>

void wrong(skerry::scope& s) {
    s.async([](int) {});
}
