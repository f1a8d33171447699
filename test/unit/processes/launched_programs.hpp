// SPDX-License-Identifier: Apache-2.0
#pragma once

// Programs of several processes, by name. A test launches its own executable with the name, and that runs the program.

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <skerry/runtime.hpp>

#include "../base/child.hpp"

namespace skerry_test {

using launched_program = void (*)(skerry::runtime&);

// A file's programs, from before main on.
struct launched_programs {
    launched_programs(std::initializer_list<std::pair<const char*, launched_program>> list);
};

[[nodiscard]] bool is_launched_program(const std::string& name);
// In each of the processes. The result is the exit status: 1 and a line with the name, if the program throws.
int run_launched_program(const std::string& name);

// Moments of which a program's processes tell each other, not by way of Skerry.
enum class moment : unsigned { begun, child_begun, seen };
void tell(moment m);
// Until it has been told. Errors: std::logic_error after a minute.
void await(moment m);

// In the test: launches it over so many processes of one worker each. `guard`: options::guard_accesses. `within`: the
// words of a command that runs each process: this executable and the name follow them.
child_result launch_program(unsigned processes, const std::string& name, bool guard = true,
                            const std::vector<std::string>& within = {});

} // namespace skerry_test
