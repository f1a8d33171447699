// SPDX-License-Identifier: Apache-2.0
// Forks in its own code, so it needs the page that a fork writes (load.cmake takes it for that, too).
// Compiled for simulated cores (-DSKERRY_MACHINE_SIM) it forks through the simulator's policy, and must not find a
// library that was built for hardware threads.
#include <skerry/parallel_invoke.hpp>

int main() {
    int left = 0;
    int right = 0;
    skerry::parallel_invoke([&] { left = 1; }, [&] { right = 2; });
    return left + right == 3 ? 0 : 1;
}
