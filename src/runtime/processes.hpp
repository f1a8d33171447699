// SPDX-License-Identifier: Apache-2.0
#pragma once

// A runtime's part of a program that was launched as several processes. The first process runs the program; in the
// others run() serves until the first has ended, and then ends the process.
//
// Thread safety: one thread, but for what the crossing allows.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <skerry/detail/base/abi.hpp>
#include <skerry/runtime.hpp>

#include "base/port/thread.hpp"
#include "deps/crossing.hpp"
#include "fabric/agreement.hpp"

namespace skerry::inline SKERRY_ABI::detail {

class processes {
  public:
    // Which process of how many, as the launcher said: Skerry's, or that of an MPI (`mpi`: options::mpi). Errors:
    // std::invalid_argument: its variables make no sense.
    static fabric::place_in_line started_as(const std::string& mpi);

    // Joins the other processes, if this one was launched and no runtime has joined them before; else null. `track`:
    // for the events of what moves messages; null: no trace. Errors: std::runtime_error (the handshake),
    // std::system_error, std::bad_alloc.
    static std::unique_ptr<processes> join(team& crew, const options& o, trace_buffer<machine>* track);

    processes(const processes&) = delete;
    processes& operator=(const processes&) = delete;
    // In the first process: lets the others end.
    ~processes();

    // This process's number.
    [[nodiscard]] unsigned self() const noexcept { return crossing_.self(); }
    [[nodiscard]] bool helps() const noexcept { return self() != 0; }
    // Of the others.
    [[nodiscard]] std::vector<crossing::peer_counts> counts() const { return crossing_.counts(); }
    // Precondition: helps(). Runs what comes until the first process closes, and leaves; the process has to end then.
    void serve(worker& self) noexcept {
        crossing_.serve(self);
        crossing_.messages().leave();
    }

  private:
    processes(team& crew, std::unique_ptr<fabric::endpoint> endpoint, bool guard, trace_buffer<machine>* track);

    static void stand_in(void* self);

    crossing crossing_;
    machine::atomic<bool> stopping_{false};
    port::thread stand_in_; // moves messages while every worker computes
};

} // namespace skerry::inline SKERRY_ABI::detail
