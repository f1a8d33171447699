// SPDX-License-Identifier: Apache-2.0
#include "events/events.hpp"

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
    const int status = bench::run(argc, argv, bench::events::measured());
    std::fflush(nullptr);
    std::_Exit(status); // cores that dispatch for ever are still there
}
