// SPDX-License-Identifier: Apache-2.0
#pragma once

// Copies of one piece of work, each in a process of its own and on a logical CPU of its own, that begin at the same
// moment: what so many processors give to serial code, and so what a parallel program on as many workers is held
// against. Processes, for threads would share an allocator; pinned, for two copies on one CPU would be a weak rival.

#include <sys/types.h>

#include <array>
#include <atomic>
#include <functional>
#include <vector>

namespace apps {

/// Thread safety: one thread at a time. The copies end with the thread that made them.
class side_by_side {
  public:
    /// Returns when every copy has called it as often as the caller.
    using meeting = std::function<void()>;
    /// What a copy does in a round; what it returns, 1 to 512 numbers, reaches round(). All copies meet equally often.
    using work = std::function<std::vector<double>(const meeting&)>;

    /// Forks the copies. Each calls prepare() and then waits for the first round.
    /// Errors: std::system_error, if there is no memory, pipe or process.
    side_by_side(unsigned copies, const std::function<work()>& prepare);
    side_by_side(const side_by_side&) = delete;
    side_by_side& operator=(const side_by_side&) = delete;
    ~side_by_side();

    /// All work once. What each has returned.
    /// Errors: std::runtime_error, if one has ended instead; it has said why on standard error.
    std::vector<std::vector<double>> round();

    /// The same of work that returns one number: the greatest, so of times that of the last to end.
    double slowest();

  private:
    struct copy {
        pid_t process;
        int answers; // what is read of it
    };

    void add(unsigned rank, unsigned copies, const std::function<work()>& prepare);
    void end() noexcept;

    std::atomic<unsigned>* arrived_ = nullptr; // shared with the copies: how often one of them has come to a meeting
    // A pipe; a byte for each copy begins a round. Both ends stay open here: written to without a reader it would kill.
    std::array<int, 2> begin_{-1, -1};
    std::vector<copy> copies_;
};

} // namespace apps
