// SPDX-License-Identifier: Apache-2.0
// expect: skerry: compile without -fno-exceptions: what a task throws arrives where somebody waits for it
// flags: -fno-exceptions
// lines: 2
// refuse: confused by
#include <skerry/serial.hpp>
#include <skerry/skerry.hpp>

void loop() {
    skerry::parallel_for(0, 10, [](int) {});
}
int f() {
    return std::get<0>(skerry::parallel_invoke([] { return 1; }, [] { return 2; }));
}
