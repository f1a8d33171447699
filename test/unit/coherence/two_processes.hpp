// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace skerry_test {

// What each of two launched processes does, by name; the result is its exit status. Texts of errors go to stderr.
int run_two_processes(int argc, char** argv);

} // namespace skerry_test
