// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands.hpp"

#include <string>
#include <vector>

namespace cli {

/// The flags that were given, as words of a command line: what another process of this command is to hear.
std::vector<std::string> words_of(const runtime_flags& flags);

/// Those among them that say what is to become of the trace.
runtime_flags of_the_trace(const runtime_flags& flags);

/// Of a program with an event machine: its cores are inside the default runtime, which reads the environment. So what
/// is to become of the trace goes there. Before the first core.
void trace_cores(const apps::program_info& info, const runtime_flags& flags);

/// Errors: apps::usage_error names a flag that none of the back ends in `request.on` has a use for. One that some have
/// a use for is right: a table with serial or simulated rows can be had with it, too.
void refuse_useless_flags(const run_request& request);

} // namespace cli
