// SPDX-License-Identifier: Apache-2.0
#pragma once

// Small files of the system: /proc and /sys; locks. Thread safety: any thread.

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::port {

// The whole content; nothing if the file cannot be opened or read, or is longer than 1 MiB.
std::optional<std::string> read_small_file(const std::string& path);

// While this lives, others that ask for a lock of the same file wait, in this process and in others; the system opens
// the lock of a process that dies. Without effect where the file system has no locks.
class file_lock {
  public:
    // Errors: std::runtime_error: others have held the lock and the file has not grown for about `most_ns`, as when who
    // writes is stopped.
    explicit file_lock(std::FILE* file, std::uint64_t most_ns = 10'000'000'000);
    file_lock(const file_lock&) = delete;
    file_lock& operator=(const file_lock&) = delete;
    ~file_lock();

  private:
    const int descriptor_;
};

bool directory_exists(const std::string& path) noexcept;

} // namespace skerry::inline SKERRY_ABI::port
