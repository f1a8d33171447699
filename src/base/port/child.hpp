// SPDX-License-Identifier: Apache-2.0
#pragma once

// Starting other programs, and hearing how they end.
//
// Thread safety: one thread per child_watch, and one child_watch at a time in a process: it owns what the process does
// with SIGCHLD, SIGINT and SIGTERM while it lives. Errors: as each function says.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::port {

struct child_end {
    int pid = 0;
    bool killed = false; // by a signal; else it exited
    int number = 0;      // the signal, or the exit status
};

// From construction to destruction the calling thread takes those three signals one by one instead of being
// interrupted; children are started with the mask and handlers that were there before.
class child_watch {
  public:
    child_watch() noexcept;
    ~child_watch();
    child_watch(const child_watch&) = delete;
    child_watch& operator=(const child_watch&) = delete;

    // Starts a program, looked up in PATH, with further environment variables. It is killed when the calling thread
    // ends, however that happens. Throws std::system_error with the system's reason, also when there is no such
    // program. Precondition: `command` is not empty.
    int start(const std::vector<std::string>& command,
              const std::vector<std::pair<std::string, std::string>>& environment);

    struct event {
        enum class what : std::uint8_t { time_over, child_ended, asked_to_end } kind = what::time_over;
        child_end child; // child_ended
        int signal = 0;  // asked_to_end: SIGINT or SIGTERM that was sent to this process alone
    };

    // The next end of one of `children` or the next signal; at most timeout_ns later.
    event next(const std::vector<int>& children, std::uint64_t timeout_ns) noexcept;

  private:
    alignas(16) unsigned char old_mask_[128];
    alignas(16) unsigned char old_action_[160];
};

// Sends SIGTERM, SIGINT or SIGKILL to a child that has not been waited for.
void send_signal(int pid, int signal) noexcept;
inline constexpr int signal_terminate = 15;
inline constexpr int signal_kill = 9;

// Ends this process as SIGKILL from outside would: nothing runs any more.
[[noreturn]] void kill_this_process() noexcept;

} // namespace skerry::inline SKERRY_ABI::port
