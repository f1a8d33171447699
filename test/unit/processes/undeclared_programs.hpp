// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace skerry_test {

// What launched processes do, by name; the result is the exit status.
[[nodiscard]] bool is_undeclared_program(const std::string& name);
int run_undeclared_program(const std::string& name);

} // namespace skerry_test
