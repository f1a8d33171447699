// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <iosfwd>
#include <mutex>
#include <string>
#include <thread>

namespace cli {

/// One line on a terminal that says what goes on, once the work has taken longer than `patience`. It is rewritten in
/// place and gone when the work is done.
///
/// Thread safety: one thread calls; a second one, of this class, redraws the elapsed seconds.
class progress {
  public:
    using clock = std::chrono::steady_clock;

    /// Not `enabled`: writes nothing and starts no thread.
    progress(std::ostream& terminal, bool enabled, clock::duration patience = std::chrono::seconds{1});
    ~progress();
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;

    /// What goes on from now on.
    void stage(std::string text);

    /// Takes the line away, so that something else may be printed; the next stage brings it back.
    void clear();

  private:
    void redraw_every_so_often();
    void draw();

    // Constant after construction.
    std::ostream& terminal_;
    const bool enabled_;
    const clock::duration patience_;
    const clock::time_point begin_;

    // Guarded by mutex_.
    std::mutex mutex_;
    std::condition_variable changed_;
    std::string text_;
    bool drawn_ = false;
    bool ending_ = false;

    std::thread redrawer_;
};

} // namespace cli
