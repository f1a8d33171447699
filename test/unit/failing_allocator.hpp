// SPDX-License-Identifier: Apache-2.0
#pragma once

// The operators new and delete of a test's program: they count blocks, and one allocation fails when the test says so.

#include <atomic>

namespace skerry::test {

constexpr long never = -1;
extern std::atomic<long> fail_after; // allocations until one fails; then every later one works again
extern std::atomic<long> live;       // blocks

} // namespace skerry::test
