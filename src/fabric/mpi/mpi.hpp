// SPDX-License-Identifier: Apache-2.0
#pragma once

// The fabric of the ranks that an MPI's launcher has started: mpirun, mpiexec.
//
// Nothing here links an MPI. Each has a shared object of ours (skerry_mpi.c) that is opened when a program joins
// others.

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/agreement.hpp"

namespace skerry::inline SKERRY_ABI::fabric::mpi {

inline constexpr unsigned most_ranks = 64;

// Which MPI, as options::mpi says it: automatic (by the variables of its launcher), openmpi, mpich, off, or the path of
// a shared object. Errors: std::invalid_argument: none of these.
void check_choice(const std::string& choice);

struct connect_options {
    table_identity table{};
    std::string choice = "automatic";
    std::uint64_t timeout_ns = 30'000'000'000; // for MPI's own start, and for the slowest rank to arrive
};

// Which of how many, as the launcher said; 0 of 1 if there was none, or one rank, or `choice` is off.
place_in_line launched_as(const std::string& choice);
// How many of the ranks are on this machine, as the launcher said; 0: it did not.
unsigned ranks_of_this_machine();

// A shared object of ours, and where it would be opened from; empty: it is in none of the folders.
struct object {
    std::string name; // "openmpi"
    std::string path;
};
std::vector<object> objects();
// The folders in which they are sought, in this order.
std::vector<std::string> folders();

// Joins the others. Once in a process. Precondition: launched_as() is one of several. Throws std::runtime_error (no
// such object, or one that cannot be opened; MPI was started by the program, or by another MPI's launcher; another rank
// runs another program; no common address for the arena). If a rank does not come in time the process ends with a
// message: MPI does not let go of whoever waits in it.
[[nodiscard]] connection connect(const connect_options& options);

} // namespace skerry::inline SKERRY_ABI::fabric::mpi
