// SPDX-License-Identifier: Apache-2.0
#pragma once

// Files that traces are written to. Runtimes of one process that name the same file share it: each is a process of its
// own in the picture. The file is whole after each of them.
//
// A runtime's trace is written when the runtime is destroyed; what still runs is written at exit(), in the terminate
// handler, and before this process ends because another has died, so an exception that nobody catches loses nothing.
// abort(), _exit() and signals do.
//
// In a program of several processes the first makes the file, and each writes its part behind the others' when it ends:
// nobody waits for anybody's trace, and a process that is killed takes its own part with it and nothing else. They lock
// the file meanwhile; the system opens the lock of a process that dies. Rejected: that the first collects the parts. It
// would wait for processes that may be dead, and an end of the first would lose all.
//
// Thread safety: any thread.

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include <skerry/detail/base/abi.hpp>

#include "fabric/agreement.hpp"
#include "trace/part.hpp"

namespace skerry::inline SKERRY_ABI::detail {

class trace_file;
void write_open_traces() noexcept;
// The same, unless a thread is at it: for a process that is about to end without exit().
void write_traces_before_the_end() noexcept;

// One runtime's place in a file. Precondition of the first: watch_forks().
class trace_entry {
  public:
    // In the first process of a program, opens the file, which loses what it held, unless a runtime of this process has
    // opened it before; the others open it when they write. If the parent of a forked child has opened it, the child
    // opens another one, whose name ends in its process id. `take` is called once, by any thread, while workers may
    // run; of a part without executors nothing is written. Errors: std::system_error names the file and the reason;
    // std::bad_alloc.
    trace_entry(const std::string& path, fabric::place_in_line place, std::function<trace_part()> take);
    trace_entry(const trace_entry&) = delete;
    trace_entry& operator=(const trace_entry&) = delete;
    // Writes nothing: a runtime that could not be made has no trace.
    ~trace_entry();

    // Unless it was done. An error is reported on stderr; the program goes on. Nothing in the child of a fork.
    void write() noexcept;

  private:
    friend void write_open_traces() noexcept;
    void write_locked() noexcept;

    const std::function<trace_part()> take_;
    const std::uint32_t generation_;
    std::shared_ptr<trace_file> file_; // guarded by trace_files_mutex(); null: written
};

// Held while files are opened and written, and across fork(), so that a child does not inherit it locked.
std::mutex& trace_files_mutex() noexcept;

} // namespace skerry::inline SKERRY_ABI::detail
