// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace skerry_test {

// Programs over two processes in which every byte shows whether it was the current one. The result is the exit status.
[[nodiscard]] bool is_current_program(const std::string& name);
int run_current_program(const std::string& name);

} // namespace skerry_test
