// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace skerry::fabric_test {

// What one of several launched processes does, by name; the result is its exit status. Texts of errors go to stderr.
int run_launched(int argc, char** argv);

} // namespace skerry::fabric_test
