// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fabric/mpi/calls.h"

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::fabric::mpi {

// Which MPI's launcher has started this process.
struct launcher {
    const char* name = nullptr; // "openmpi"; null: none has
    const char* in_words = "";  // "Open MPI"
    const char* package = "";   // Debian's, with its compiler
    unsigned rank = 0;
    unsigned ranks = 1;
    unsigned here = 0; // ranks of this machine; 0: not told
};
// Errors: std::invalid_argument: its variables make no sense.
launcher find_launcher();

// Opens the shared object of that choice. Errors: std::runtime_error names what was sought, where and why.
const skerry_mpi_calls& open_calls(const std::string& choice, const launcher& by);

} // namespace skerry::inline SKERRY_ABI::fabric::mpi
