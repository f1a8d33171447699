// SPDX-License-Identifier: Apache-2.0

// Which fault is switched on in this process and in those that it launches; 0: none.

#include <cstdlib>

namespace {

int from_environment() {
    const char* const text = std::getenv("SKERRY_FAULT");
    return text != nullptr ? std::atoi(text) : 0;
}

} // namespace

extern int skerry_fault;
int skerry_fault = from_environment();
