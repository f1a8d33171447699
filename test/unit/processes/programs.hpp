// SPDX-License-Identifier: Apache-2.0
#pragma once

// The programs that processes_test launches: one executable, which is several processes then.

namespace skerry_test {

// What a launched process does; argv[1] names it. The result is the process's exit status: 0, or 1 with a text.
int run_program(int argc, char** argv);

} // namespace skerry_test
