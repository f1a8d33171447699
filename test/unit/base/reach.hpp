// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace skerry_test {

// Whether the system lets a process into the memory of another one that lets it in. Precondition: the calling process
// has one thread.
bool processes_reach_each_other();

} // namespace skerry_test
