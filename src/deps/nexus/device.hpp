// SPDX-License-Identifier: Apache-2.0
#pragma once

// A task manager as its driver sees it: registers of three FIFOs, New, Ready and Finished (words.hpp), and time. The
// golden model (model.hpp) is one, the hardware another. Source: Nexus++ (Dallou and Juurlink), section IV-C.
//
//  1. write(new_task) puts a header word, then as many access words as the header says. Words of two tasks do not mix.
//  2. Each task comes once out of ready_task, when all earlier tasks that conflict with it have been taken out of the
//     Finished FIFO. Earlier: by the order of their words. Two tasks conflict if both access one address and one of
//     them writes. An address twice in a task counts once, in its strongest mode.
//  3. write(finished_task) comes once for each ready word that was read, with its id. From then on the manager may give
//     the id to another task.
//  4. Who writes has seen room in the status word since, and who reads ready_task has seen a word. Otherwise the
//     program ends.
//  5. Every task that the driver begins fits (fits.hpp), or the words behind it wait for ever.
//  6. Nothing deadlocks: finished words are taken whatever the New and the Ready FIFO hold, also in the middle of a
//     task, and to take one needs no room.
//  7. Between reads and writes the driver lets time pass with advance(). Once a status word says `quiet`, time changes
//     nothing until the next read or write of a task word.
//
// Thread safety: one thread at a time.

#include <cstdint>

#include <skerry/detail/base/abi.hpp>

#include "deps/nexus/words.hpp"

namespace skerry::inline SKERRY_ABI::detail {

class nexus_device {
  public:
    nexus_device(const nexus_device&) = delete;
    nexus_device& operator=(const nexus_device&) = delete;
    virtual ~nexus_device() = default;

    [[nodiscard]] virtual std::uint64_t read(nexus_register from) noexcept = 0;
    virtual void write(nexus_register to, std::uint64_t word) noexcept = 0;

    // At most so many cycles; fewer if nothing is under way any more. Returns how many passed.
    virtual std::uint64_t advance(std::uint64_t cycles) noexcept = 0;

  protected:
    nexus_device() noexcept = default;
};

} // namespace skerry::inline SKERRY_ABI::detail
