// SPDX-License-Identifier: Apache-2.0
#pragma once

// In a process that runs tasks of others and holds them to what they declare (coherence/exposure.hpp): whether the
// system lets it touch what the tasks that run here declare, and nothing else that it knows of.

#include <chrono>
#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <vector>

#include <skerry/region.hpp>

#include "coherence/page_source.hpp"
#include "world.hpp"

namespace random_programs {

// What a task has declared: bytes, or a region.
struct held_piece {
    std::span<const word> words;
    std::optional<skerry::region> region; // none: it is the words
    bool written;
};

// What tasks hold whose bodies run here, or that may have children here.
struct hold {
    std::uint32_t program; // a task of an earlier one has ended, with its children
    std::vector<held_piece> pieces;
    // Of its regions, as they were when it began: while one is lent to a child elsewhere, nobody here knows its pages,
    // which are open all the same.
    std::vector<skerry::detail::page_range> written{};
    std::vector<skerry::detail::page_range> read{};
};

// While a task runs. Looks only where audit_exposure() has been called.
class exposure_audit {
  public:
    // `spawns`: the task may have unfinished children when its body ends. Errors: std::logic_error says what is open.
    exposure_audit(std::vector<held_piece> held, const layout& l, bool spawns);
    exposure_audit(const exposure_audit&) = delete;
    exposure_audit& operator=(const exposure_audit&) = delete;
    ~exposure_audit();

  private:
    const bool stays_;
    std::list<hold>::iterator hold_;
};

// A task that runs here has made this in a region.
void made_here(std::span<const word> words_there);

// From now on. What is open for so long is not open for a copy that arrives. Precondition: one thread runs all tasks of
// this process, which is not the first.
void audit_exposure(std::chrono::milliseconds most_for_an_arrival);

} // namespace random_programs
