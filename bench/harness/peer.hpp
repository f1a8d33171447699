// SPDX-License-Identifier: Apache-2.0
// The part of a peer that is the same in every workload: its name, and how it is told its number of workers.
// One of the files peer_*.cpp is linked into each program.
#pragma once

#include <string>

namespace bench::peer {

extern const char* const name;

/// The version of the runtime that was linked, for the record.
std::string version();

/// Limits the peer to this many workers. Called once, before its first use.
void start(unsigned workers);

} // namespace bench::peer
