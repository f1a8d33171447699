// SPDX-License-Identifier: Apache-2.0
#pragma once

// The operators new and delete of a test's program: they count blocks, and one allocation fails when the test says so.

#include <atomic>

namespace skerry::test {

constexpr long never = -1;
extern std::atomic<long> fail_after; // allocations until one fails; then every later one works again
extern std::atomic<bool> without_memory;
extern std::atomic<long> live; // blocks
extern std::atomic<long> made; // as large as a task, which has at most 16 whole cache lines; a worker has more

} // namespace skerry::test
